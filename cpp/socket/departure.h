// Sending one frame: header, payload and trailer in one gathered call, resumed wherever the socket
// stopped.
#pragma once

#include "socket/arrival.h"

namespace alpha {

// Whether the next frame of `out` may go: `ready` covers it.  `extent` is set to its payload bytes.
bool next_departure(const Session&, const Outbound& out, u64& extent);

// Makes it the frame that goes, sealed over a payload of this digest.
void arm_departure(Session&, const Outbound& out, u64 extent, const Digest& payload, u64 now_ns);

// Sends what the socket takes of the armed frame.
Progress pump_departure(Session&, Outbound& out, u64 now_ns);

}  // namespace alpha
