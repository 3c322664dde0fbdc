// The engine beneath every communicating step: frames in and out on several edges at once, one
// thread, no blocking, so that two participants that send large regions to each other never wait
// for each other.
#pragma once

#include "socket/session.h"
#include "socket/transfer.h"

namespace alpha {

// Frames of one transfer that go out on one edge; frame k is sent once `ready` covers it.
struct Outbound {
  u16 slot;
  Transfer what;
  const u8* base;
  u64 ready = 0;  // bytes that hold their final value
  // What comes in lands on what has left: its digests are of use to no other.
  bool replaced = false;
  u64 sent = 0;
  bool complete = false;
};

// Frames of one transfer that come in on one edge.  With `staging` null, payloads land at base +
// offset. With staging (frame_bytes long), each lands there; the next frame is read when released
// == arrived.
struct Inbound {
  u16 slot;
  Transfer what;
  u8* base;
  u8* staging;
  bool held = false;  // its next frame is not read yet: advance() has no staging for it
  // What leaves from where this lands: a frame is read once that has gone so far.  The wait for it
  // is counted from the end of that, as if the one step had followed the other.
  const Outbound* after = nullptr;
  u64 arrived = 0;        // verified bytes, from 0
  u64 released = 0;       // staging only: bytes that advance() has used
  bool complete = false;  // every frame verified (a region of 0 bytes is one frame)
};

// Called once at the start and after frames came in or went out: uses what arrived, sets `released`
// and `ready`. Returns false after session.fail.
struct Advance {
  bool (*call)(void* context) = nullptr;
  void* context = nullptr;
};

// Runs until every transfer is complete.  An edge holds at most one transfer a direction.  A
// payload that leaves on several edges from the same base is hashed once; what arrived and was
// verified is not hashed again when it is relayed from the same base (Session::digests gives the
// room for that).
[[nodiscard]] bool exchange(Session&, Span<Inbound>, Span<Outbound>, Advance);

}  // namespace alpha
