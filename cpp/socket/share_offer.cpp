// The higher role of a shared edge makes the ring and passes it to the lower one.
#include "socket/share.h"
#include "socket/share_opening.h"

namespace alpha {

namespace {

struct Offer {
  Session& session;
  Link& link;
  const Deadline& until;
  const RingName name;
  int memory = -1;
  const char* reason = "no answer";  // why the last try failed

  bool run();
  Outcome again(const char* why) {
    reason = why;
    close_descriptor(link.ring.bell);
    return Outcome::again;
  }
  template <class... Parts>
  Outcome refuse(const Parts&... parts) {
    fail_edge(session, FailureKind::admission, link.peer, session.role, ": no ring: ", parts...);
    return Outcome::refused;
  }
  Outcome dial();
  Outcome nobody();
  Outcome await_answer();
  Outcome once();
};

// The name is held as long as the port: its holder has just gone, or is on another host.
Outcome Offer::nobody() {
  const u64 soon_ns = monotonic_ns() + kConnectPauseMaxNs;
  if (wait_for(link.fd, kernel::kReadable, soon_ns < until.at_ns ? soon_ns : until.at_ns) &&
      !hear_connection(session, link)) {
    return Outcome::refused;
  }
  return refuse("nobody listens on @", name.text.c_str(),
                ": the peer is on another host, behind a relay, or was not bound to share memory");
}

Outcome Offer::dial() {
  const i64 created = kernel::local_socket();
  if (created < 0) return refuse("no Unix socket: ", kernel::error_words(-created));
  link.ring.bell = static_cast<int>(created);
  const i64 connected = kernel::connect(link.ring.bell, name.at());
  if (connected == -kernel::kRefused) return nobody();
  if (connected < 0) return again(kernel::error_words(-connected));
  kernel::User user = {};
  const i64 known = kernel::peer_user(link.ring.bell, user);
  if (known < 0) return again(kernel::error_words(-known));
  if (!is_own_user(user)) {
    return refuse("@", name.text.c_str(), " is held by user ", user.user, ", this is user ",
                  static_cast<u64>(kernel::own_user()));
  }
  const EmptyFrame own = own_opening(session, link);
  const i64 sent = kernel::send_passing(link.ring.bell, {&own, sizeof(own)}, {.fd = memory});
  return sent < 0 ? again(kernel::error_words(-sent)) : Outcome::open;
}

Outcome Offer::await_answer() {
  const EmptyFrame expected = peer_opening(session, link);
  for (;;) {
    kernel::Poll entries[2] = {{link.ring.bell, kernel::kReadable, 0},
                               {link.fd, kernel::kReadable, 0}};
    const u64 now_ns = monotonic_ns();
    if (until.passed(now_ns)) return again("no answer");
    if (kernel::poll(entries, 2, until.left_ns(now_ns)) <= 0) continue;
    if (entries[0].happened != 0) {
      EmptyFrame found = {};
      const i64 got = receive_some(link.ring.bell, &found, sizeof(found));
      if (got > 0) {
        const Field field = difference(expected, found);
        if (field == Field::none) return Outcome::open;
        fail_opening(session, link, field, expected.header, found.header);
        return Outcome::refused;
      }
      if (got != -kernel::kAgain && entries[1].happened == 0) {
        return again("dropped for another connection");
      }
    }
    if (entries[1].happened != 0 && !hear_connection(session, link)) return Outcome::refused;
  }
}

Outcome Offer::once() {
  const Outcome dialled = dial();
  return dialled == Outcome::open ? await_answer() : dialled;
}

bool Offer::run() {
  return try_until(
      until, [this] { return once(); },
      [this] {
        return fail_edge(session, until.kind, link.peer, session.role, ": no ring: @",
                         name.text.c_str(), " for ", Seconds{until.budget_ns}, ": ", reason);
      });
}

}  // namespace

bool offer_ring(Session& session, Link& link, const Deadline& until) {
  link.ring.own = 1;
  const i64 made = make_ring(link.ring);
  if (made < 0) {
    return fail_edge(session, FailureKind::admission, session.role, link.peer,
                     ": no ring: ", u64{sizeof(RingMemory)},
                     " bytes of memory to share: ", kernel::error_words(-made));
  }
  Offer offer = {session, link, until, RingName(link.dial_address, link.dial_port),
                 static_cast<int>(made)};
  const bool passed = offer.run();
  close_descriptor(offer.memory);
  return passed;
}

}  // namespace alpha
