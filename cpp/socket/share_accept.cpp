// The lower role of a shared edge takes the ring that the higher one has made.
#include "socket/share.h"
#include "socket/share_opening.h"
#include "socket/strangers.h"

namespace alpha {

namespace {

struct Taking {
  Session& session;
  Link& link;
  const Deadline& until;
  int candidate = -1;  // whoever connected last and has said nothing
  Strangers strangers = {session, link, "the ring of edge "};

  bool run();
  bool expired();
  void take_in();
  void drop(const char* why);
  bool hear();
  bool take(int memory);
};

void Taking::drop(const char* why) {
  strangers.add(why);
  close_descriptor(candidate);
}

// One of our own user that is silent gives way to the next: the peer speaks at once, and comes
// again.
void Taking::take_in() {
  const i64 accepted = kernel::accept_local(link.ring.bell);
  if (accepted < 0) {
    if (accepted == -kernel::kAgain || accepted == -kernel::kInterrupted) return;
    const u64 pause_ns = monotonic_ns() + kAcceptPauseNs;
    return pause_until(pause_ns < until.at_ns ? pause_ns : until.at_ns);
  }
  if (candidate >= 0) drop("dropped for a newer connection");
  candidate = static_cast<int>(accepted);
  kernel::User user = {};
  if (kernel::peer_user(candidate, user) >= 0 && is_own_user(user)) return;
  Text<64> why;
  why.add("of user ", user.user);
  drop(why.c_str());
}

bool Taking::take(int memory) {
  if (memory < 0) {
    return fail_edge(session, FailureKind::admission, link.peer, session.role,
                     ": no ring: no memory came with its opening frame");
  }
  const char* const wrong = map_ring(link.ring, memory);
  if (wrong != nullptr) {
    return fail_edge(session, FailureKind::admission, link.peer, session.role,
                     ": no ring: its memory is ", wrong);
  }
  const EmptyFrame own = own_opening(session, link);
  const kernel::Piece packet = {&own, sizeof(own)};
  const i64 sent = send_some(candidate, &packet, 1);
  if (sent < 0) {
    return fail_edge(session, FailureKind::truncated, session.role, link.peer,
                     " opening of its ring: ", kernel::error_words(-sent));
  }
  close_descriptor(link.ring.bell);
  link.ring.bell = candidate;
  candidate = -1;
  return true;
}

// The candidate's one packet: the peer's opening frame with the memory, or a stranger's.
bool Taking::hear() {
  struct {
    EmptyFrame frame;
    u8 beyond;
  } found = {};
  int memory = -1;
  const i64 got = kernel::receive_passed(candidate, &found, sizeof(found), memory);
  if (got == -kernel::kAgain || got == -kernel::kInterrupted) return true;
  bool fine = true;
  if (got <= 0) {
    drop(got == 0 ? "end of stream" : kernel::error_words(-got));
  } else if (got != static_cast<i64>(kEmptyFrameBytes) ||
             !same_bytes(found.frame.header.magic, kMagic, sizeof(kMagic))) {
    drop("not an opening frame");
  } else {
    const EmptyFrame expected = peer_opening(session, link);
    const Field field = difference(expected, found.frame);
    if (field == Field::none) {
      fine = take(memory);
    } else {
      // Answered, so that the other side can name the mismatch as well.
      const EmptyFrame own = own_opening(session, link);
      const kernel::Piece packet = {&own, sizeof(own)};
      send_some(candidate, &packet, 1);
      fine = fail_opening(session, link, field, expected.header, found.frame.header);
    }
  }
  close_descriptor(memory);
  return fine;
}

bool Taking::expired() {
  return fail_edge(session, until.kind, link.peer, session.role, ": no ring came to @",
                   RingName(link.listen_address, link.listen_port).text.c_str(), " for ",
                   Seconds{until.budget_ns});
}

bool Taking::run() {
  while (link.ring.memory == nullptr) {
    kernel::Poll entries[3] = {{link.ring.bell, kernel::kReadable, 0},
                               {candidate, kernel::kReadable, 0},
                               {link.fd, kernel::kReadable, 0}};
    const u64 now_ns = monotonic_ns();
    if (until.passed(now_ns)) return expired();
    if (kernel::poll(entries, 3, until.left_ns(now_ns)) <= 0) continue;
    if (entries[1].happened != 0 && !hear()) return false;
    if (link.ring.memory != nullptr) break;
    if (entries[2].happened != 0 && !hear_connection(session, link)) return false;
    if (entries[0].happened != 0) take_in();
  }
  return true;
}

}  // namespace

bool accept_ring(Session& session, Link& link, const Deadline& until) {
  Taking taking = {session, link, until};
  const bool taken = taking.run();
  taking.strangers.tell_further();
  close_descriptor(taking.candidate);
  return taken;
}

}  // namespace alpha
