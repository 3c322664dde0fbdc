// Closing an edge: both sides know that everything was said, and a killed peer never looks like a
// clean end.
#include "socket/budget.h"
#include "socket/edge_failure.h"
#include "socket/edge_stream.h"
#include "socket/exchange.h"

namespace alpha {

namespace {

constexpr Transfer kClosing = {
    .region = kEdgeRegion, .version = kClosingVersion, .total = 0, .element = Element::bytes};

bool send_closing(Session& session, u16 slot) {
  Outbound out[1] = {{.slot = slot, .what = kClosing, .base = nullptr}};
  return exchange(session, {}, out, {});
}

bool receive_closing(Session& session, u16 slot) {
  Inbound in[1] = {{.slot = slot, .what = kClosing, .base = nullptr, .staging = nullptr}};
  return exchange(session, in, {}, {});
}

bool await_end(Session& session, Link& link) {
  const Deadline until =
      deadline(session, FailureKind::frame_time, monotonic_ns(), session.budgets.frame_ns);
  for (;;) {
    u8 beyond;
    const i64 result = receive_some(link, &beyond, 1);
    if (result == 0) return true;
    if (result > 0) {
      return fail_edge(session, FailureKind::bytes, link.peer, session.role,
                       ": a byte after the closing frame");
    }
    if (result != -kernel::kAgain) {
      return fail_edge(session, FailureKind::truncated, link.peer, session.role, ": ",
                       kernel::error_words(-result), " in place of the end of stream");
    }
    if (!wait_for(link.fd, kernel::kReadable, until.at_ns)) {
      return fail_edge(session, until.kind, link.peer, session.role,
                       ": no end of stream after the closing frame for ", Seconds{until.budget_ns});
    }
  }
}

}  // namespace

bool close_edge(Session& session, u16 slot) {
  Link& link = session.links[slot];
  leave_ring(link);
  if (!send_closing(session, slot)) return false;
  kernel::half_close(link.fd);
  if (!receive_closing(session, slot) || !await_end(session, link)) return false;
  close_descriptor(link.fd);
  release_ring(link.ring);
  link.closed = true;
  return true;
}

}  // namespace alpha
