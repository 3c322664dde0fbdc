// Steps 1 and 2 of establishment, and hearing of ports: listeners first, so that a peer that was
// told of a port finds it held.
#include "base/assert.h"
#include "socket/budget.h"
#include "socket/edge_failure.h"
#include "socket/kernel.h"
#include "socket/session.h"
#include "socket/share.h"
#include "socket/stream.h"

namespace alpha {

namespace {

bool cannot_listen(Session& session, Link& link, i64 error) {
  close_descriptor(link.listener);
  return fail_edge(session, FailureKind::admission, link.peer, session.role, ": cannot listen on ",
                   Endpoint{link.listen_address, link.listen_port}, ": ",
                   kernel::error_words(-error));
}

bool bind_listener(Session& session, Link& link) {
  i64 result = kernel::socket();
  if (result < 0) return cannot_listen(session, link, result);
  link.listener = static_cast<int>(result);
  // Lets a port be bound that a crashed run left in TIME_WAIT; a port that another socket listens
  // on stays refused.
  constexpr int kSocket = 1, kReuseAddress = 2;
  const i32 on = 1;
  kernel::set_option(link.listener, kSocket, kReuseAddress, &on, sizeof(on));
  result = kernel::bind(link.listener, socket_address(link.listen_address, link.listen_port));
  if (result < 0) return cannot_listen(session, link, result);
  result = kernel::listen(link.listener, kBacklogMax);
  if (result < 0) return cannot_listen(session, link, result);
  kernel::SocketAddress at;
  result = kernel::own_address(link.listener, at);
  if (result < 0) return cannot_listen(session, link, result);
  link.listen_port = endpoint(at).port;
  return !link.shared || listen_for_ring(session, link);
}

bool cannot_hear(Session& session, const Link& link, FailureKind kind, const char* why) {
  return fail_edge(session, kind, link.peer, session.role, ": no port on descriptor 0: ", why);
}

// Two bytes of the port, however they come.
bool hear_port(Session& session, Link& link, int hear, const Deadline& until) {
  u8 port[2] = {};
  for (u64 got = 0; got < sizeof(port);) {
    if (!wait_for(hear, kernel::kReadable, until.at_ns)) {
      return cannot_hear(session, link, until.kind, "timed out");
    }
    const i64 result = kernel::read(hear, port + got, sizeof(port) - got);
    if (result == -kernel::kInterrupted || result == -kernel::kAgain) continue;
    if (result <= 0) {
      const char* why = result == 0 ? "end of stream" : kernel::error_words(-result);
      return cannot_hear(session, link, FailureKind::connect, why);
    }
    got += static_cast<u64>(result);
  }
  link.dial_port = load_big16(port);
  if (link.dial_port == 0) return cannot_hear(session, link, FailureKind::connect, "got port 0");
  return true;
}

}  // namespace

bool bind_listeners(Session& session) {
  for (Link& link : session.links) {
    if (link.lower && !bind_listener(session, link)) return false;
  }
  return true;
}

bool announce_ports(Session& session, int announce) {
  if (announce < 0) return true;
  ALPHA_ASSERT(session.links.count <= kEdgesMax);
  u8 ports[2 * kEdgesMax];
  u64 bytes = 0;
  for (const Link& link : session.links) {
    if (!link.lower) continue;
    store_big16(ports + bytes, link.listen_port);
    bytes += 2;
  }
  i64 result = write_all(announce, ports, bytes);
  // Nothing else is ever written there: the reader may close it, and a stray write must not reach
  // it.
  const i64 null = kernel::open_at(kernel::kCurrentFolder, "/dev/null", kernel::kOpenReadWrite);
  if (result == 0 && null < 0) result = null;
  if (null >= 0) {
    const i64 moved = kernel::duplicate_onto(static_cast<int>(null), announce);
    if (result == 0 && moved < 0) result = moved;
    kernel::close(static_cast<int>(null));
  }
  if (result == 0) return true;
  Text<512> text;
  text.add("cannot announce ports on descriptor ", announce, ": ", kernel::error_words(-result));
  return session.fail(FailureKind::local, text.c_str());
}

bool hear_ports(Session& session, int hear) {
  const Deadline until =
      deadline(session, FailureKind::connect, monotonic_ns(), session.budgets.connect_ns);
  for (Link& link : session.links) {
    if (link.lower || link.dial_port != 0) continue;
    if (hear < 0) return cannot_hear(session, link, FailureKind::connect, "none is given");
    if (!hear_port(session, link, hear, until)) return false;
  }
  return true;
}

}  // namespace alpha
