// Step 4 of establishment: telling the awaited peer from strangers, without letting one of them
// hold the place.
#include "base/memory.h"
#include "socket/budget.h"
#include "socket/edge_failure.h"
#include "socket/kernel.h"
#include "socket/opening.h"
#include "socket/session.h"
#include "socket/share.h"
#include "socket/strangers.h"
#include "socket/stream.h"

namespace alpha {

namespace {

// An accepted connection that has not shown who it is.
struct Candidate {
  int fd = -1;
  kernel::SocketAddress from;
  u64 order = 0;  // of acceptance
  u64 got = 0;
  EmptyFrame found;
};

struct Acceptance {
  Session& session;
  Link& link;
  const Deadline until;
  const EmptyFrame expected;
  const EmptyFrame own;
  Candidate candidates[kCandidatesMax];
  u64 accepted = 0;
  Strangers strangers = {session, link, "edge "};
  i64 error = 0;  // of the last accept

  bool run();
  bool wait(bool& listener_ready, bool (&ready)[kCandidatesMax]);
  void take_in();
  Candidate& free_place();
  bool hear(Candidate&);
  bool judge(Candidate&, u64 before);
  void drop(Candidate&, const char* why);
  bool refuse(Candidate&, Field);
};

// A stranger, or the peer's place given to another: logged, closed.
void Acceptance::drop(Candidate& candidate, const char* why) {
  strangers.add(endpoint(candidate.from), " after ", candidate.got, " bytes: ", why);
  close_descriptor(candidate.fd);
}

bool Acceptance::refuse(Candidate& candidate, Field field) {
  // Closing with bytes unread would reset the connection and might overtake our opening frame.
  kernel::half_close(candidate.fd);
  u8 rest[256];
  receive_some(candidate.fd, rest, sizeof(rest));
  return fail_opening(session, link, field, expected.header, candidate.found.header);
}

// How little a candidate has shown: 0 nothing, 1 something, 2 the whole header that is expected.
// The last was answered and takes the edge for open: it goes only when nobody else can.
u64 shown(const Candidate& candidate) {
  return candidate.got == 0 ? 0 : candidate.got < kHeaderBytes ? 1 : 2;
}

Candidate& Acceptance::free_place() {
  Candidate* victim = nullptr;
  for (Candidate& candidate : candidates) {
    if (candidate.fd < 0) return candidate;
    const bool first = victim == nullptr || shown(candidate) < shown(*victim) ||
                       (shown(candidate) == shown(*victim) && candidate.order < victim->order);
    if (first) victim = &candidate;
  }
  drop(*victim, "dropped for a newer connection");
  return *victim;
}

void Acceptance::take_in() {
  kernel::SocketAddress from;
  const i64 result = kernel::accept(link.listener, from);
  if (result == -kernel::kAgain || result == -kernel::kInterrupted) return;
  if (result < 0) {
    error = -result;
    const u64 pause_ns = monotonic_ns() + kAcceptPauseNs;
    return pause_until(pause_ns < until.at_ns ? pause_ns : until.at_ns);
  }
  Candidate& candidate = free_place();
  candidate.fd = static_cast<int>(result);
  candidate.from = from;
  candidate.order = ++accepted;
  candidate.got = 0;
  tune(candidate.fd, endpoint(from).address);
}

// What came so far decides: nothing yet, a stranger, a refusal, or the peer.  False after a
// failure.
bool Acceptance::judge(Candidate& candidate, u64 before) {
  if (candidate.got < sizeof(kMagic)) return true;
  if (!same_bytes(candidate.found.header.magic, kMagic, sizeof(kMagic))) {
    drop(candidate, "not an opening frame");
    return true;
  }
  if (candidate.got < kHeaderBytes) return true;
  if (before < kHeaderBytes) {
    // Answered even when it will be refused, so that the other side can name the mismatch as well.
    const Deadline answer =
        deadline(session, FailureKind::frame_time, monotonic_ns(), session.budgets.frame_ns);
    const i64 sent = send_all(candidate.fd, &own, sizeof(own), answer.at_ns);
    const Field field = first_difference(expected.header, candidate.found.header);
    if (field != Field::none) return refuse(candidate, field);
    if (sent < 0) {
      return fail_edge(session, sent == -kernel::kAgain ? answer.kind : FailureKind::truncated,
                       session.role, link.peer, " opening: ",
                       sent == -kernel::kAgain ? "not taken" : kernel::error_words(-sent));
    }
  }
  if (candidate.got < kEmptyFrameBytes) return true;
  if (!(candidate.found.trailer == expected.trailer)) return refuse(candidate, Field::trailer);
  link.fd = candidate.fd;
  candidate.fd = -1;
  return true;
}

bool Acceptance::hear(Candidate& candidate) {
  const u64 before = candidate.got;
  const i64 result =
      receive_some(candidate.fd, candidate.found.bytes() + before, kEmptyFrameBytes - before);
  if (result == -kernel::kAgain) return true;
  if (result <= 0) {
    const char* why = result == 0 ? "end of stream" : kernel::error_words(-result);
    if (before >= kHeaderBytes) {
      return fail_edge(session, FailureKind::truncated, link.peer, session.role, " opening: ", why,
                       " after ", before, " of ", kEmptyFrameBytes, " bytes");
    }
    drop(candidate, why);
    return true;
  }
  candidate.got += static_cast<u64>(result);
  return judge(candidate, before);
}

bool Acceptance::wait(bool& listener_ready, bool (&ready)[kCandidatesMax]) {
  kernel::Poll entries[1 + kCandidatesMax];
  entries[0] = {link.listener, kernel::kReadable, 0};
  for (u64 i = 0; i < kCandidatesMax; ++i)
    entries[1 + i] = {candidates[i].fd, kernel::kReadable, 0};
  const u64 now_ns = monotonic_ns();
  if (until.passed(now_ns)) {
    return fail_edge(
        session, until.kind, link.peer, session.role, ": listening on ",
        Endpoint{link.listen_address, link.listen_port}, " for ", Seconds{until.budget_ns},
        ": no opening frame (", strangers.count(),
        strangers.count() == 1 ? " stranger" : " strangers",
        error == 0 ? ")" : "); last accept: ", error == 0 ? "" : kernel::error_words(error));
  }
  const i64 count = kernel::poll(entries, 1 + kCandidatesMax, until.left_ns(now_ns));
  listener_ready = count > 0 && entries[0].happened != 0;
  for (u64 i = 0; i < kCandidatesMax; ++i) {
    ready[i] = count > 0 && candidates[i].fd >= 0 && entries[1 + i].happened != 0;
  }
  return true;
}

bool Acceptance::run() {
  bool listener_ready = false;
  bool ready[kCandidatesMax] = {};
  while (link.fd < 0) {
    if (!wait(listener_ready, ready)) return false;
    for (u64 i = 0; i < kCandidatesMax && link.fd < 0; ++i) {
      if (ready[i] && !hear(candidates[i])) return false;
    }
    if (listener_ready && link.fd < 0) take_in();
  }
  return true;
}

bool accept_edge(Session& session, Link& link, const Deadline& until) {
  Acceptance acceptance = {.session = session,
                           .link = link,
                           .until = until,
                           .expected = peer_opening(session, link),
                           .own = own_opening(session, link),
                           .candidates = {}};
  const bool open = acceptance.run();
  for (Candidate& candidate : acceptance.candidates) {
    if (candidate.fd < 0) continue;
    if (open) {
      acceptance.drop(candidate, "the peer is here");
    } else {
      close_descriptor(candidate.fd);
    }
  }
  close_descriptor(link.listener);
  acceptance.strangers.tell_further();
  return open;
}

}  // namespace

bool accept_higher(Session& session) {
  const Deadline until =
      deadline(session, FailureKind::accept, monotonic_ns(), session.budgets.accept_ns);
  for (Link& link : session.links) {
    if (!link.lower) continue;
    if (!accept_edge(session, link, until)) return false;
    if (link.shared && !accept_ring(session, link, until)) return false;
    session.flight.record(session.flight.place, monotonic_ns(), link.peer, session.role,
                          kEdgeRegion, kOpeningVersion, 0);
  }
  return true;
}

}  // namespace alpha
