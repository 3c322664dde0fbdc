// Failures that name their edge: "edge S->R", where S sends what was awaited, refused or could not
// be sent.
#pragma once

#include "socket/exchange.h"

namespace alpha {

// Records a failure whose text begins with its edge, and, in the second, with what was transferred;
// the text goes on where the sink points, which is nowhere when an earlier failure is kept.
TextSink begin_failure(Session&, FailureKind, u64 sender, u64 receiver);
TextSink begin_failure(Session&, FailureKind, u64 sender, u64 receiver, const Transfer&);

// What an edge's error (minus its number, 0 at its end) is: truncated, or counts of a ring that
// cannot be.
FailureKind failure_of(i64 result);

// A peer's opening frame that is not the expected one.
bool fail_opening(Session&, const Link&, Field, const Header& expected, const Header& found);

template <class... Parts>
bool fail_edge(Session& session, FailureKind kind, u64 sender, u64 receiver,
               const Parts&... parts) {
  const TextSink sink = begin_failure(session, kind, sender, receiver);
  (append(sink, parts), ...);
  return false;
}

template <class... Parts>
bool fail_transfer(Session& session, FailureKind kind, u64 sender, u64 receiver,
                   const Transfer& transfer, const Parts&... parts) {
  const TextSink sink = begin_failure(session, kind, sender, receiver, transfer);
  (append(sink, parts), ...);
  return false;
}

}  // namespace alpha
