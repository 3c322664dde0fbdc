// One region from an edge, or from here, to any number of edges, frame by frame as it arrives.
#pragma once

#include "role/participant.h"

namespace alpha {

// A region on its way down: what has arrived from above goes on to those below.
struct Delivery {
  const Inbound* from = nullptr;  // null at the origin, or without a delivery
  Span<Outbound> to;
};

void pass_down(const Delivery& delivery, u64 ready);
void relay_down(const Delivery& delivery);  // nothing at the origin

// `from` is kNoSlot where the region starts.  Uses the region's next version.
[[nodiscard]] bool relay(Participant& participant, const Region& region, Slot from, Slots to);

}  // namespace alpha
