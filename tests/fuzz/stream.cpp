// What a peer may send after it connected: a short region of words, a long region, the closing
// frame. Whatever comes instead is refused by name, and no byte of it is given away.
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "frame/seal.h"
#include "fuzz.h"
#include "socket/exchange.h"
#include "socket/kernel.h"

using namespace alpha;

namespace {

constexpr u64 kWordBytes = 16, kLongBytes = 3000, kFrameBytes = 2048;
constexpr Transfer kWords = {
    .region = 0, .version = 1, .total = kWordBytes, .element = Element::word};
constexpr Transfer kLong = {
    .region = 1, .version = 1, .total = kLongBytes, .element = Element::i32};
u8 run_identity[32] = {1, 2, 3};

void append_frame(std::string& out, const Transfer& what, u64 offset, const std::string& payload) {
  const Header header = make_header({.run = run_identity,
                                     .sender = 0,
                                     .receiver = 1,
                                     .region = what.region,
                                     .version = what.version,
                                     .offset = offset,
                                     .extent = payload.size(),
                                     .total = what.total,
                                     .element = what.element});
  const Digest sealed = trailer(header, payload_digest(payload.data(), payload.size()));
  out.append(reinterpret_cast<const char*>(&header), sizeof header);
  out += payload;
  out.append(reinterpret_cast<const char*>(sealed.byte), sizeof sealed.byte);
}

const std::string& right() {
  static const std::string stream = [] {
    std::string made;
    append_frame(made, kWords, 0, std::string("\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16));
    append_frame(made, kLong, 0, std::string(kFrameBytes, 'x'));
    append_frame(made, kLong, kFrameBytes, std::string(kLongBytes - kFrameBytes, 'y'));
    const Header closing = closing_header(run_identity, 0, 1);
    const Digest sealed = trailer(closing, payload_digest(nullptr, 0));
    made.append(reinterpret_cast<const char*>(&closing), sizeof closing);
    made.append(reinterpret_cast<const char*>(sealed.byte), sizeof sealed.byte);
    return made;
  }();
  return stream;
}

// Edits of the right stream: four bytes each, two for the place, one for the deed, one for its
// value.
std::string edited(const u8* data, size_t bytes) {
  std::string stream = right();
  for (size_t i = 0; i + 4 <= bytes && i < 64; i += 4) {
    const size_t place = (data[i] * 256u + data[i + 1]) % (stream.size() + 1);
    switch (data[i + 2] % 5) {
      case 0:
        if (place < stream.size()) stream[place] = static_cast<char>(data[i + 3]);
        break;
      case 1:
        stream.insert(place, 1, static_cast<char>(data[i + 3]));
        break;
      case 2:
        stream.erase(place, data[i + 3]);
        break;
      case 3:
        stream.insert(place, stream, place, data[i + 3]);
        break;
      default:
        stream.resize(place);
    }
  }
  return stream;
}

bool receive(Session& session, const Transfer& what, u8* to) {
  Inbound in[1] = {{.slot = 0, .what = what, .base = to, .staging = nullptr}};
  return exchange(session, in, {}, {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8* data, size_t bytes) {
  const std::string stream = edited(data, bytes);
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
  REQUIRE(send(ends[1], stream.data(), stream.size(), 0) == static_cast<ssize_t>(stream.size()));
  shutdown(ends[1], SHUT_WR);

  Link links[1];
  Session session;
  session.role = 1;
  std::memcpy(session.run, run_identity, sizeof session.run);
  session.frame_bytes = kFrameBytes;
  const u64 second = 1'000'000'000;
  session.budgets = {second, second, second, second, 0};
  session.links = links;
  links[0].fd = ends[0];
  u8 words[kWordBytes] = {}, region[kLongBytes] = {};
  const bool first = receive(session, kWords, words);
  const bool second_too = first && receive(session, kLong, region);
  const bool closed = second_too && close_edge(session, 0);
  abandon(session);
  close(ends[1]);

  const size_t words_end = kHeaderBytes + kWordBytes + kTrailerBytes;
  REQUIRE(first == (stream.compare(0, words_end, right(), 0, words_end) == 0));
  if (!first) REQUIRE(words[0] == 0);  // short payloads wait in staging until they are verified
  if (second_too) REQUIRE(region[0] == 'x' && region[kLongBytes - 1] == 'y');
  REQUIRE(closed == (stream == right()));
  REQUIRE(closed == (session.failure.kind == FailureKind::none));
  const int code = exit_code(session.failure.kind);
  if (!closed) REQUIRE(code >= 70 && code <= 74);
  return 0;
}
