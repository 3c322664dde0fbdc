// A participant's open edges: establishing them, and what every wait on them shares.
//
// No function here ends the process or throws: each returns false after session.fail(...), so that the same
// code runs in an executable, in the Python bindings and in a simulation.
#pragma once

#include "base/failure.h"
#include "base/span.h"
#include "base/types.h"

namespace alpha {

struct Budgets {
  u64 connect_ns, accept_ns, wait_ns, frame_ns, session_ns;  // session 0: none
};

// One incident edge, in ascending peer order; its index is its slot.
struct Link {
  u64 peer = 0;
  bool lower = false;  // we are the lower role: we listen
  u32 listen_address = 0, dial_address = 0;  // IPv4, host order
  u16 listen_port = 0, dial_port = 0;
  int listener = -1;
  int fd = -1;
  bool closed = false;  // closing frames exchanged
};

struct Session {
  u64 role = 0;
  u8 run[32] = {};
  u64 frame_bytes = 0;
  Budgets budgets = {};
  u64 session_deadline_ns = 0;
  Span<Link> links;
  Failure failure;
  void (*log)(const char* line, u64 bytes) = nullptr;  // strangers, for descriptor 2; may be null

  bool fail(FailureKind kind, const char* text);  // returns false; keeps the first failure
};

// The five steps of docs/endpoint.md.  `announce` and `hear` are the descriptors that carry ports (1 and 0 in an
// executable; -1 where a binding passes ports itself).
[[nodiscard]] bool bind_listeners(Session&);
[[nodiscard]] bool announce_ports(Session&, int announce);
[[nodiscard]] bool hear_ports(Session&, int hear);
[[nodiscard]] bool connect_lower(Session&);
[[nodiscard]] bool accept_higher(Session&);

// Closing frame, half-close, the peer's closing frame, end of stream.
[[nodiscard]] bool close_edge(Session&, u16 slot);
void abandon(Session&);  // close every descriptor, whatever its state

}  // namespace alpha
