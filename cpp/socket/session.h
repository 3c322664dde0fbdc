// A participant's open edges: establishing them, and what every wait on them shares.
//
// No function here ends the process or throws: each returns false after session.fail(...), so that
// the same code runs in an executable, in the Python bindings and in a simulation.
#pragma once

#include "base/failure.h"
#include "base/limits.h"
#include "base/span.h"
#include "base/types.h"
#include "frame/header.h"
#include "frame/seal.h"
#include "socket/flight.h"
#include "socket/ring.h"

namespace alpha {

struct Budgets {
  u64 connect_ns, accept_ns, wait_ns, frame_ns, session_ns;  // session 0: none
};

// Whether a frame is moved whole, by way of its link's staging.
constexpr bool is_short(u64 extent) { return extent <= kShortBodyBytes; }

// The frame that is coming in on a link.
struct Arrival {
  u64 got;            // bytes of the frame, header and trailer included
  u64 since_ns;       // when the wait for it began, or with its first byte the frame
  bool busy;          // in a transfer
  bool armed;         // `expected` is made and since_ns runs
  const char* place;  // of its step
  PayloadHasher hasher;
  HeaderState header_state;
  Header expected;
  u8 staging[kHeaderBytes + kShortBodyBytes + kTrailerBytes];
};

// The frame that is going out on a link.
struct Departure {
  u64 gone;      // bytes of the frame
  u64 since_ns;  // when it could begin, or with its first byte when it began
  i64 error;     // sending failed with this error number; what was received is read first
  bool busy;
  bool armed;
  bool sealed;        // the whole payload is hashed
  const char* place;  // of its step
  PayloadHasher hasher;
  HeaderState header_state;
  Header header;
  u8 rest[kShortBodyBytes + kTrailerBytes];  // once `sealed`: a short body, then the trailer
};
// A short frame is sent from where both lie.
static_assert(__builtin_offsetof(Departure, rest) ==
              __builtin_offsetof(Departure, header) + kHeaderBytes);

// One incident edge, in ascending peer order; its index is its slot.
struct Link {
  u64 peer = 0;
  bool lower = false;                        // we are the lower role: we listen
  bool shared = false;                       // frames go through memory that both ends map
  u32 listen_address = 0, dial_address = 0;  // IPv4, host order
  u16 listen_port = 0, dial_port = 0;
  int listener = -1;
  int fd = -1;
  bool closed = false;  // closing frames exchanged
  Ring ring = {};       // where the edge is shared, once it is open
  Arrival in = {};      // the engine's own, here so that nothing is allocated
  Departure out = {};
};

struct Session {
  u64 role = 0;
  u8 run[32] = {};
  u64 frame_bytes = 0;
  Budgets budgets = {};
  u64 session_deadline_ns = 0;  // 0: none
  u64 spin_ns = 0;              // looks at sockets for so long before it sleeps; 0: sleeps at once
  bool crowded = false;  // more participants here than cores: the core is offered at each look
  Span<Link> links;
  // Room for the digests of what leaves on several edges or is relayed: one for each frame of the
  // largest region (frame_count).  With less room results are the same, and payloads are hashed
  // again.
  Span<Digest> digests;
  Failure failure;
  Flight flight;
  // Strangers, for descriptor 2: one whole line, "alpha-build: role 0: ...\n"; may be null.
  void (*log)(const char* line, u64 bytes) = nullptr;

  bool fail(FailureKind kind, const char* text);  // returns false; keeps the first failure
};

// Frames of a region of `total` bytes: at least one.
constexpr u64 frame_count(u64 total, u64 frame_bytes) {
  return total == 0 ? 1 : total / frame_bytes + (total % frame_bytes != 0);
}

// Step 0, in an executable only, since it changes the process: /dev/null on closed descriptors 0 to
// 2, the others that a parent left open closed, no SIGPIPE and no SIGXFSZ, as many descriptors as
// the system allows, and no fewer than so many edges need (the links are not laid out yet).
[[nodiscard]] bool prepare_process(Session&, u64 edges);

// Steps 1 to 4 of docs/endpoint.md.  `announce` and `hear` are the descriptors that carry ports (1
// and 0 in an executable; -1 where a binding passes ports itself).
[[nodiscard]] bool bind_listeners(Session&);
[[nodiscard]] bool announce_ports(Session&, int announce);
[[nodiscard]] bool hear_ports(Session&, int hear);
[[nodiscard]] bool connect_lower(Session&);
[[nodiscard]] bool accept_higher(Session&);

// Closing frame, half-close, the peer's closing frame, end of stream.
[[nodiscard]] bool close_edge(Session&, u16 slot);
void abandon(Session&);  // close every descriptor, whatever its state

}  // namespace alpha
