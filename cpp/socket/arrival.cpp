// Receiving one frame of a transfer.
#include "socket/arrival.h"

#include "base/assert.h"
#include "base/memory.h"
#include "socket/budget.h"
#include "socket/edge_failure.h"
#include "socket/edge_stream.h"

namespace alpha {

namespace {

u8* payload_of(const Inbound& in) {
  return in.staging != nullptr ? in.staging : in.base + in.arrived;
}

struct Place {
  u8* to;
  u64 bytes;
};

// Where the next bytes go, and how many at most: never past this frame's end, never into a body
// before its header compared.  A short frame is read whole into the link's staging, at its compiled
// size.
Place next_place(const Inbound& in, Arrival& arrival, u64 extent) {
  const u64 got = arrival.got;
  const u64 body_end = kHeaderBytes + extent;
  if (is_short(extent)) return {arrival.staging + got, body_end + kTrailerBytes - got};
  if (got < kHeaderBytes) return {arrival.staging + got, kHeaderBytes - got};
  if (got < body_end) {
    const u64 rest = body_end - got;
    return {payload_of(in) + (got - kHeaderBytes), rest < kPieceBytesMax ? rest : kPieceBytesMax};
  }
  return {arrival.staging + kHeaderBytes + (got - body_end), body_end + kTrailerBytes - got};
}

template <class... Parts>
Progress refuse(Session& session, const Inbound& in, FailureKind kind, const Parts&... parts) {
  fail_transfer(session, kind, session.links[in.slot].peer, session.role, in.what, parts...);
  return Progress::failed;
}

Progress differs(Session& session, const Inbound& in, Field field) {
  const Arrival& arrival = session.links[in.slot].in;
  Header found;
  copy_bytes(&found, arrival.staging, kHeaderBytes);
  const TextSink sink =
      begin_failure(session, refusal_of(field), session.links[in.slot].peer, session.role, in.what);
  if (field == Field::trailer || field == Field::word) {
    append(sink, "version ");
    append(sink, in.what.version);
    append(sink, " offset ");
    append(sink, in.arrived);
    append(sink, ": ");
  }
  describe_difference(sink, field, arrival.expected, found);
  return Progress::failed;
}

Progress ended(Session& session, const Inbound& in, u64 extent, i64 result) {
  const Arrival& arrival = session.links[in.slot].in;
  const char* why = result == 0 ? "end of stream" : kernel::error_words(-result);
  const u64 frame = kHeaderBytes + extent + kTrailerBytes;
  const FailureKind kind = failure_of(result);
  if (arrival.got == 0) {
    return refuse(session, in, kind, why, " before version ", in.what.version, " offset ",
                  in.arrived);
  }
  return refuse(session, in, kind, why, " after ", arrival.got, " of ", frame, " bytes of version ",
                in.what.version, " offset ", in.arrived);
}

Progress finish(Session& session, Inbound& in, u64 extent, Digest& payload) {
  Arrival& arrival = session.links[in.slot].in;
  const u8* body = is_short(extent) ? arrival.staging + kHeaderBytes : payload_of(in);
  const u8* found = arrival.staging + kHeaderBytes + (is_short(extent) ? extent : 0);
  payload = arrival.hasher.finish(body, extent);
  const Digest computed = trailer(arrival.expected, payload, arrival.header_state);
  if (!same_bytes(computed.byte, found, kTrailerBytes)) return differs(session, in, Field::trailer);
  if (in.what.element == Element::word &&
      first_noncanonical({body, extent}, in.arrived) != extent) {
    return differs(session, in, Field::word);
  }
  if (is_short(extent)) copy_bytes(payload_of(in), body, extent);
  in.arrived += extent;
  in.complete = in.arrived == in.what.total;
  arrival.armed = false;
  return Progress::frame;
}

}  // namespace

bool arm_arrival(Session& session, const Inbound& in, u64 now_ns) {
  Link& link = session.links[in.slot];
  if (link.in.armed) return true;
  if (in.complete || in.held) return false;
  if (in.staging != nullptr && in.released != in.arrived) return false;
  const u64 extent = frame_extent(session, in.what, in.arrived);
  if (is_after(in) && in.after->sent < in.arrived + extent) return false;
  link.in.expected = frame_header(session, in.what, link.peer, session.role, in.arrived, extent);
  link.in.place = in.what.place;
  link.in.got = 0;
  link.in.since_ns = now_ns;
  link.in.hasher.start();
  link.in.armed = true;
  return true;
}

Progress pump_arrival(Session& session, Inbound& in, u64 now_ns, Digest& payload) {
  Link& link = session.links[in.slot];
  Arrival& arrival = link.in;
  ALPHA_ASSERT(arrival.armed);
  const u64 extent = arrival.expected.extent.get();
  bool moved = false;
  for (;;) {
    const Place place = next_place(in, arrival, extent);
    const i64 result = receive_some(link, place.to, place.bytes);
    if (result == -kernel::kAgain) return moved ? Progress::some : Progress::none;
    if (result <= 0) return ended(session, in, extent, result);
    moved = true;
    const u64 before = arrival.got;
    if (before == 0) arrival.since_ns = now_ns;
    arrival.got += static_cast<u64>(result);
    if (arrival.got < kHeaderBytes) continue;
    if (before < kHeaderBytes) {
      Header found;
      copy_bytes(&found, arrival.staging, kHeaderBytes);
      const Field field = first_difference(arrival.expected, found);
      if (field != Field::none) return differs(session, in, field);
    }
    if (arrival.got == kHeaderBytes + extent + kTrailerBytes)
      return finish(session, in, extent, payload);
    const u64 body = arrival.got - kHeaderBytes;
    if (!is_short(extent)) arrival.hasher.arrived(payload_of(in), body < extent ? body : extent);
  }
}

}  // namespace alpha
