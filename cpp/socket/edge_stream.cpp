// Waiting on an edge: for its connection, or for a ring's bell and its connection.
#include "socket/edge_stream.h"

namespace alpha {

namespace {

bool by_ring(const Link& link, u16 events) {
  return link.ring.memory != nullptr && !(link.ring.left && events == kernel::kWritable);
}

}  // namespace

bool is_ready(Link& link, u16 events) {
  if (!by_ring(link, events)) return false;
  // Counts that cannot be are something to look at, too.
  return (events == kernel::kReadable ? waiting_in(link.ring) : room_in(link.ring)) != 0;
}

u64 begin_wait(Link& link, u16 events, kernel::Poll* entries) {
  if (!by_ring(link, events)) {
    entries[0] = {link.fd, events, 0};
    return 1;
  }
  expect_bell(link.ring);
  entries[0] = {link.ring.bell, kernel::kReadable, 0};
  entries[1] = {link.fd, kernel::kReadable, 0};
  return 2;
}

u64 end_wait(Link& link, u16 events, const kernel::Poll* entries) {
  if (!by_ring(link, events)) return 1;
  forget_bell(link.ring);
  if (entries[0].happened != 0) hear_bell(link.ring);
  if (entries[1].happened != 0) link.ring.over = true;
  return 2;
}

}  // namespace alpha
