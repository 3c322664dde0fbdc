// Hearing of ports on a descriptor: two bytes each, big-endian, for the edges that wait for one, or
// a named end.
#include <unistd.h>

#include <cstring>

#include "fuzz.h"
#include "socket/kernel.h"
#include "socket/session.h"

using namespace alpha;

// Input: which of four edges have a compiled port (four bits), then what is written to the
// descriptor.
extern "C" int LLVMFuzzerTestOneInput(const u8* data, size_t bytes) {
  if (bytes == 0) return 0;
  const u8 compiled = data[0];
  ++data, --bytes;
  if (bytes > 64) bytes = 64;  // a pipe takes it at once
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  REQUIRE(write(pipe_ends[1], data, bytes) == static_cast<ssize_t>(bytes));
  close(pipe_ends[1]);

  Link links[4];
  Session session;
  session.role = 9;
  session.links = links;
  session.budgets = {1'000'000'000, 1'000'000'000, 1'000'000'000, 1'000'000'000, 0};
  for (u16 i = 0; i < 4; ++i) {
    links[i].peer = i;
    links[i].dial_port = (compiled >> i) % 2 == 1 ? 4000 : 0;
  }
  const bool heard = hear_ports(session, pipe_ends[0]);
  close(pipe_ends[0]);

  size_t at = 0;
  bool right = true;
  for (u16 i = 0; i < 4 && right; ++i) {
    if ((compiled >> i) % 2 == 1) {
      REQUIRE(links[i].dial_port == 4000);
      continue;
    }
    right = at + 2 <= bytes && (data[at] != 0 || data[at + 1] != 0);
    if (right) REQUIRE(links[i].dial_port == data[at] * 256 + data[at + 1]);
    at += 2;
  }
  REQUIRE(heard == right);
  REQUIRE(heard == (session.failure.kind == FailureKind::none));
  if (!heard) {
    REQUIRE(session.failure.kind == FailureKind::connect);
    REQUIRE(std::strncmp(session.failure.text.c_str(), "edge ", 5) == 0);
  }
  return 0;
}
