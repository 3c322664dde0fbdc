// Sending one frame: header, payload and trailer in one gathered call where the payload is small,
// resumed wherever the socket stopped.
#pragma once

#include "socket/arrival.h"
#include "socket/digests.h"

namespace alpha {

// Whether the next frame of `out` may go: `ready` covers it.  `extent` is set to its payload bytes.
bool next_departure(const Session&, const Outbound& out, u64& extent);

// Makes it the frame that goes.
void arm_departure(Session&, const Outbound& out, u64 extent, u64 now_ns);

// Sends what the socket takes of the armed frame.  A large payload is hashed piece by piece, each
// right before it is sent, so that the peer's work on one overlaps with ours on the next.  Where it
// leaves on several edges this returns after a piece, so that each has it while it is in cache.
Progress pump_departure(Session&, Outbound& out, SharedDigests&, u64 now_ns);

}  // namespace alpha
