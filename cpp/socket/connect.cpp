// Step 3 of establishment: dialling each lower peer, again and again inside the connect budget.
#include "base/memory.h"
#include "socket/budget.h"
#include "socket/edge_failure.h"
#include "socket/kernel.h"
#include "socket/opening.h"
#include "socket/session.h"
#include "socket/share.h"
#include "socket/stream.h"

namespace alpha {

namespace {

struct Try {
  Session& session;
  Link& link;
  const Deadline until;
  const char* reason = "no answer";  // why the last try failed

  Outcome again(const char* why) {
    reason = why;
    close_descriptor(link.fd);
    return Outcome::again;
  }
  Outcome shake_hands();
  Outcome exchange_openings();
  Outcome once();
};

bool connected_to_itself(int fd) {
  kernel::SocketAddress own, peer;
  return kernel::own_address(fd, own) >= 0 && kernel::peer_address(fd, peer) >= 0 &&
         same_bytes(&own, &peer, sizeof(own));
}

Outcome Try::shake_hands() {
  const i64 started = kernel::connect(link.fd, socket_address(link.dial_address, link.dial_port));
  if (started < 0 && started != -kernel::kInProgress && started != -kernel::kInterrupted) {
    return again(kernel::error_words(-started));
  }
  const u64 limit_ns = monotonic_ns() + kHandshakeMaxNs;
  if (!wait_for(link.fd, kernel::kWritable, limit_ns < until.at_ns ? limit_ns : until.at_ns)) {
    return again("no answer");
  }
  const i64 error = kernel::pending_error(link.fd);
  if (error != 0) return again(kernel::error_words(error < 0 ? -error : error));
  if (connected_to_itself(link.fd)) return again("connected to itself");
  return Outcome::open;
}

Outcome Try::exchange_openings() {
  const EmptyFrame own = own_opening(session, link);
  // An error here is not looked at: what the peer sent before it says more, and is read next.
  const i64 sent = send_all(link.fd, &own, sizeof(own), until.at_ns);
  const EmptyFrame expected = peer_opening(session, link);
  EmptyFrame found;
  u8* const to = found.bytes();
  for (u64 got = 0; got < sizeof(found);) {
    if (!wait_for(link.fd, kernel::kReadable, until.at_ns)) {
      return again(got == 0 ? "connected, but no opening frame"
                            : "connected, but half an opening frame");
    }
    const i64 result = receive_some(link.fd, to + got, sizeof(found) - got);
    if (result == -kernel::kAgain) continue;
    if (result == 0) return again("closed before an opening frame");
    if (result < 0) return again(kernel::error_words(-result));
    got += static_cast<u64>(result);
    Field field = Field::none;
    if (got >= kHeaderBytes) field = first_difference(expected.header, found.header);
    if (field == Field::none && got == sizeof(found) && !(found.trailer == expected.trailer)) {
      field = Field::trailer;
    }
    if (field == Field::none) continue;
    fail_opening(session, link, field, expected.header, found.header);
    return Outcome::refused;
  }
  if (sent < 0) return again(kernel::error_words(-sent));
  return Outcome::open;
}

Outcome Try::once() {
  const i64 created = kernel::socket();
  if (created < 0) {
    fail_edge(session, FailureKind::admission, session.role, link.peer,
              ": no socket: ", kernel::error_words(-created));
    return Outcome::refused;
  }
  link.fd = static_cast<int>(created);
  tune(link.fd, link.dial_address);
  const Outcome outcome = shake_hands();
  return outcome == Outcome::open ? exchange_openings() : outcome;
}

bool connect_edge(Session& session, Link& link, const Deadline& until) {
  Try attempt = {session, link, until};
  return try_until(
      until, [&] { return attempt.once(); },
      [&] {
        return fail_edge(session, until.kind, link.peer, session.role, ": ",
                         Endpoint{link.dial_address, link.dial_port}, " for ",
                         Seconds{until.budget_ns}, ": ", attempt.reason);
      });
}

}  // namespace

bool connect_lower(Session& session) {
  const Deadline until =
      deadline(session, FailureKind::connect, monotonic_ns(), session.budgets.connect_ns);
  for (Link& link : session.links) {
    if (link.lower) continue;
    if (!connect_edge(session, link, until)) return false;
    if (link.shared && !offer_ring(session, link, until)) return false;
    session.flight.record(session.flight.place, monotonic_ns(), link.peer, session.role,
                          kEdgeRegion, kOpeningVersion, 0);
  }
  return true;
}

}  // namespace alpha
