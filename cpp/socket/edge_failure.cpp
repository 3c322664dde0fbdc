// How the text of a failure on an edge begins.
#include "socket/edge_failure.h"

namespace alpha {

TextSink begin_failure(Session& session, FailureKind kind, u64 sender, u64 receiver) {
  const bool first = session.failure.kind == FailureKind::none;
  session.fail(kind, "edge ");
  TextSink sink = session.failure.text.sink();
  if (!first) sink.capacity = 0;
  append(sink, sender);
  append(sink, "->");
  append(sink, receiver);
  return sink;
}

TextSink begin_failure(Session& session, FailureKind kind, u64 sender, u64 receiver,
                       const Transfer& transfer) {
  const TextSink sink = begin_failure(session, kind, sender, receiver);
  if (transfer.region == kEdgeRegion) {
    append(sink, " closing: ");
  } else {
    append(sink, " region ");
    append(sink, transfer.region);
    append(sink, ": ");
  }
  return sink;
}

FailureKind failure_of(i64 result) {
  return result == -kRingBroken ? FailureKind::bytes : FailureKind::truncated;
}

bool fail_opening(Session& session, const Link& link, Field field, const Header& expected,
                  const Header& found) {
  const TextSink sink = begin_failure(session, refusal_of(field), link.peer, session.role);
  append(sink, " opening: ");
  describe_difference(sink, field, expected, found);
  return false;
}

}  // namespace alpha
