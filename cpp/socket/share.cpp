// Opening a ring: what both ends do, and where the lower one waits for it.
#include "socket/share.h"

#include "socket/share_opening.h"

namespace alpha {

Field difference(const EmptyFrame& expected, const EmptyFrame& found) {
  const Field field = first_difference(expected.header, found.header);
  if (field != Field::none) return field;
  return found.trailer == expected.trailer ? Field::none : Field::trailer;
}

bool hear_connection(Session& session, const Link& link) {
  u8 first;
  const i64 got = receive_some(link.fd, &first, 1);
  if (got == -kernel::kAgain) return true;
  if (got > 0) {
    return fail_edge(session, FailureKind::admission, link.peer, session.role,
                     ": no ring: the peer sends over the connection, it was not bound to share "
                     "memory");
  }
  return fail_edge(session, FailureKind::truncated, link.peer, session.role, ": ",
                   got == 0 ? "end of stream" : kernel::error_words(-got),
                   " before there was a ring");
}

bool listen_for_ring(Session& session, Link& link) {
  const RingName name(link.listen_address, link.listen_port);
  i64 result = kernel::local_socket();
  if (result >= 0) {
    link.ring.bell = static_cast<int>(result);
    result = kernel::bind(link.ring.bell, name.at());
  }
  if (result >= 0) result = kernel::listen(link.ring.bell, kBacklogMax);
  if (result >= 0) return true;
  return fail_edge(session, FailureKind::admission, link.peer, session.role,
                   ": cannot listen for its ring on @", name.text.c_str(), ": ",
                   kernel::error_words(-result));
}

}  // namespace alpha
