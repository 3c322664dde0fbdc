// One region from an edge, or from here, to any number of edges, frame by frame as it arrives.
#pragma once

#include "role/participant.h"

namespace alpha {

// `from` is kNoSlot where the region starts.  Uses the region's next version.
[[nodiscard]] bool relay(Participant& participant, const Region& region, Slot from, Slots to);

}  // namespace alpha
