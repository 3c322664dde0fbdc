// How the two ends of an edge come to share a ring, right after their connection has opened.
//
// The higher role makes the memory and passes it, with its opening frame, over a Unix socket whose
// name says where the lower one listens.  It is in no folder, so nothing is left behind, and it
// is seen where the port is seen.
#pragma once

#include "socket/budget.h"

namespace alpha {

// Lower role: holds the name, once the port is bound.
[[nodiscard]] bool listen_for_ring(Session&, Link&);
// Lower role: takes the ring, if it comes from our own user and with the opening frame that must
// come; strangers are logged and closed.
[[nodiscard]] bool accept_ring(Session&, Link&, const Deadline&);
// Higher role: makes the ring, and passes it on within the budget.
[[nodiscard]] bool offer_ring(Session&, Link&, const Deadline&);

}  // namespace alpha
