// Failures that name their edge: "edge S->R", where S sends what was awaited, refused or could not
// be sent.
#pragma once

#include "socket/exchange.h"

namespace alpha {

template <class... Parts>
bool fail_edge(Session& session, FailureKind kind, u64 sender, u64 receiver,
               const Parts&... parts) {
  Text<512> text;
  text.add("edge ", sender, "->", receiver, parts...);
  return session.fail(kind, text.c_str());
}

template <class... Parts>
bool fail_transfer(Session& session, FailureKind kind, u64 sender, u64 receiver,
                   const Transfer& transfer, const Parts&... parts) {
  if (transfer.region == kEdgeRegion) {
    return fail_edge(session, kind, sender, receiver, " closing: ", parts...);
  }
  return fail_edge(session, kind, sender, receiver, " region ", transfer.region, ": ", parts...);
}

}  // namespace alpha
