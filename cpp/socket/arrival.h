// Receiving one frame: compared with the expected header before any byte of its body is used,
// hashed while it comes, given to nobody before its trailer checks.
#pragma once

#include "socket/exchange.h"

namespace alpha {

enum class Progress : u8 {
  none,     // would block
  some,     // bytes moved, and it would block now
  more,     // bytes moved, and more can at once
  frame,    // a frame is complete
  failed,   // session.failure says why
  aborted,  // sending: the link's error is set
};

// Whether what leaves from where `in` lands is still leaving.
constexpr bool is_after(const Inbound& in) { return in.after != nullptr && !in.after->complete; }

// Makes the next frame of `in` the expected one.  False where there is none to wait for yet.
bool arm_arrival(Session&, const Inbound& in, u64 now_ns);

// Receives what is there of the armed frame, up to its end.  `payload` is set to the frame's
// payload digest when the frame is complete.
Progress pump_arrival(Session&, Inbound& in, u64 now_ns, Digest& payload);

}  // namespace alpha
