// A freestanding participant: one role of a pair whose other is a test.  `pair` swaps one region as
// role 1, `accept` waits as role 0, `descriptors` lists what is open after step 0, `edges` asks for
// the descriptors of a thousand edges.
#include "frame/sha256.h"
#include "socket/exchange.h"
#include "socket/kernel.h"

namespace {

using namespace alpha;

constexpr u64 kBytes = 100'000;
Link links[kEdgesMax];
Session session;
u8 region[kBytes], ours[kBytes];
Digest digests[8];

template <u64 N>
void print(int fd, const Text<N>& text) {
  if (write_all(fd, text.c_str(), text.size()) != 0) kernel::exit_process(9);
}

int failed() {
  print(2, Text<600>().add("alpha-build: role ", session.role, ": ",
                           failure_words(session.failure.kind), ": ", session.failure.text.c_str(),
                           "\n"));
  return exit_code(session.failure.kind);
}

bool establish(u64 role, u64 peer) {
  for (u64 i = 0; i < 32; ++i) session.run[i] = static_cast<u8>(i);
  const u64 limit_ns = 20'000'000'000;
  session.role = role;
  session.budgets = {limit_ns, limit_ns, limit_ns, limit_ns, 0};
  session.frame_bytes = 1 << 14;
  session.links = {links, 1};
  session.digests = digests;
  links[0].peer = peer;
  links[0].lower = role < peer;
  links[0].listen_address = links[0].dial_address = 0x7f000001;
  return prepare_process(session, session.links.count) && bind_listeners(session) &&
         announce_ports(session, 1) && hear_ports(session, 0) && connect_lower(session) &&
         accept_higher(session);
}

int pair() {
  const Transfer what = {.region = 0, .version = 1, .total = kBytes, .element = Element::bytes};
  Inbound in[1] = {{.slot = 0, .what = what, .base = region, .staging = nullptr}};
  Outbound out[1] = {{.slot = 0, .what = what, .base = ours, .ready = kBytes}};
  for (u64 i = 0; i < kBytes; ++i) ours[i] = static_cast<u8>(i % 251);
  if (!establish(1, 0) || !exchange(session, in, out, {}) || !close_edge(session, 0))
    return failed();
  const Digest got = sha256(region, kBytes);
  print(2, Text<256>().add("complete: ", Hex{got.byte, 32}, " ", hash_form().name, "\n"));
  return 0;
}

int accept() {
  if (!establish(0, 1) || !close_edge(session, 0)) return failed();
  print(2, Text<32>().add("complete\n"));
  return 0;
}

int descriptors() {
  if (!prepare_process(session, session.links.count)) return failed();
  Text<256> line;
  for (int fd = 0; fd < 200; ++fd) {
    if (kernel::descriptor_flags(fd) >= 0) line.add(fd, " ");
  }
  print(2, line.add("\n"));
  u8 byte = 0;
  const i64 written =
      kernel::write(1, &byte, 1);  // to a pipe without a reader: an error, not a signal
  print(2, Text<64>().add(written < 0 ? kernel::error_words(-written) : "written", "\n"));
  return 0;
}

int edges() {
  session.links = links;
  if (!prepare_process(session, session.links.count)) return failed();
  return 0;
}

}  // namespace

extern "C" int alpha_main(int argc, char** argv, char**) {
  if (argc != 2) return 64;
  choose_hash(processor());
  switch (argv[1][0]) {
    case 'p':
      return pair();
    case 'a':
      return accept();
    case 'd':
      return descriptors();
    case 'e':
      return edges();
    default:
      return 64;
  }
}
