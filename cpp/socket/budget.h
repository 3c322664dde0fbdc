// One deadline object that every wait uses: a budget or the session's own deadline, whichever comes
// first.
#pragma once

#include "socket/session.h"

namespace alpha {

struct Deadline {
  u64 at_ns;
  FailureKind kind;  // what running out of time is
  u64 budget_ns;     // for the message
  constexpr bool passed(u64 now_ns) const { return now_ns >= at_ns; }
  constexpr u64 left_ns(u64 now_ns) const { return passed(now_ns) ? 0 : at_ns - now_ns; }
};

constexpr Deadline deadline(const Session& session, FailureKind kind, u64 since_ns, u64 budget_ns) {
  const u64 at_ns = budget_ns > ~u64{0} - since_ns ? ~u64{0} : since_ns + budget_ns;
  if (session.session_deadline_ns != 0 && session.session_deadline_ns < at_ns) {
    return {session.session_deadline_ns, FailureKind::session_time, session.budgets.session_ns};
  }
  return {at_ns, kind, budget_ns};
}

}  // namespace alpha
