// What both ends of an edge open it with, whatever carries it, and the tries of the end that dials.
#pragma once

#include "base/limits.h"
#include "frame/header.h"
#include "socket/budget.h"
#include "socket/stream.h"

namespace alpha {

inline EmptyFrame own_opening(const Session& session, const Link& link) {
  return seal_empty(opening_header(session.run, session.role, link.peer));
}

inline EmptyFrame peer_opening(const Session& session, const Link& link) {
  return seal_empty(opening_header(session.run, link.peer, session.role));
}

enum class Outcome : u8 { open, again, refused };

// Tries again, after pauses that grow, until it is open or refused; at the end of the budget
// `expired` says so.  Whether it is open.
template <class Once, class Expired>
bool try_until(const Deadline& until, const Once& once, const Expired& expired) {
  for (u64 pause_ns = kConnectPauseFirstNs;;
       pause_ns = pause_ns < kConnectPauseMaxNs / 2 ? 2 * pause_ns : kConnectPauseMaxNs) {
    const Outcome outcome = once();
    if (outcome != Outcome::again) return outcome == Outcome::open;
    const u64 next_ns = monotonic_ns() + pause_ns;
    pause_until(next_ns < until.at_ns ? next_ns : until.at_ns);
    if (until.passed(monotonic_ns())) return expired();
  }
}

}  // namespace alpha
