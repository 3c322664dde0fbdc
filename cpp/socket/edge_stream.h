// The byte stream of an open edge, whichever way the deployment chose: its connection alone, or a
// ring with the connection beside it.
//
// On a ring a stream is what was put into the ring, then what comes over the connection: closing
// frame, end of stream, and the news that a peer has died.
#pragma once

#include "socket/session.h"
#include "socket/stream.h"

namespace alpha {

// As those of stream.h: -kAgain when nothing is there or nothing fits, 0 at the end of the stream.
inline i64 receive_some(Link& link, void* to, u64 bytes) {
  if (link.ring.memory == nullptr) return receive_some(link.fd, to, bytes);
  const i64 taken = take_from(link.ring, to, bytes);
  if (taken != 0) return taken;
  return link.ring.over ? receive_some(link.fd, to, bytes) : -kernel::kAgain;
}

inline i64 send_some(Link& link, const kernel::Piece* pieces, u64 count) {
  if (link.ring.memory == nullptr || link.ring.left) return send_some(link.fd, pieces, count);
  const i64 put = put_into(link.ring, pieces, count);
  if (put != 0) return put;
  return link.ring.over ? -kernel::kBrokenPipe : -kernel::kAgain;
}

// Whether a ring has what is waited for, without a call; false of a connection, which is asked by
// poll.
bool is_ready(Link&, u16 events);

// Before a poll and after it: the entries of a wait on this edge (at most kWaitEntries), and what
// came of them. A wait whose is_ready() is true after the first must not sleep.
inline constexpr u64 kWaitEntries = 2;
u64 begin_wait(Link&, u16 events, kernel::Poll* entries);
u64 end_wait(Link&, u16 events, const kernel::Poll* entries);

// The last frame goes, and comes, over the connection.
inline void leave_ring(Link& link) { link.ring.left = link.ring.over = true; }

}  // namespace alpha
