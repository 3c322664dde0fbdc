// Sending one frame of a transfer.
#include "socket/departure.h"

#include "base/assert.h"
#include "base/memory.h"
#include "socket/budget.h"
#include "socket/edge_stream.h"

namespace alpha {

namespace {

// Header, payload and trailer, less what is gone and what lies past `limit`.
u64 rest_of(const kernel::Piece (&whole)[3], u64 gone, u64 limit, kernel::Piece (&rest)[3]) {
  u64 count = 0;
  u64 begin = 0;
  for (const kernel::Piece& piece : whole) {
    const u64 end = begin + piece.bytes < limit ? begin + piece.bytes : limit;
    const u64 from = gone > begin ? gone : begin;
    if (from < end)
      rest[count++] = {static_cast<const u8*>(piece.first) + (from - begin), end - from};
    begin += piece.bytes;
  }
  return count;
}

}  // namespace

bool next_departure(const Session& session, const Outbound& out, u64& extent) {
  if (out.complete) return false;
  extent = frame_extent(session, out.what, out.sent);
  return out.ready >= out.sent + extent;
}

void arm_departure(Session& session, const Outbound& out, u64 extent, u64 now_ns) {
  Link& link = session.links[out.slot];
  link.out.header = frame_header(session, out.what, session.role, link.peer, out.sent, extent);
  link.out.place = out.what.place;
  link.out.hasher.start();
  link.out.sealed = false;
  link.out.gone = 0;
  link.out.since_ns = now_ns;
  link.out.armed = true;
}

Progress pump_departure(Session& session, Outbound& out, SharedDigests& digests, u64 now_ns) {
  Link& link = session.links[out.slot];
  Departure& departure = link.out;
  ALPHA_ASSERT(departure.armed);
  const u64 extent = departure.header.extent.get();
  const u64 frame = kHeaderBytes + extent + kTrailerBytes;
  const u8* const payload = out.base + out.sent;
  // A short frame is one piece, which a kernel sends with less ado.
  const u64 copied = is_short(extent) ? extent : 0;
  const u64 first = is_short(extent) ? frame : kHeaderBytes;
  const kernel::Piece whole[3] = {{&departure.header, first},
                                  {payload, extent - copied},
                                  {departure.rest, frame - first - (extent - copied)}};
  bool moved = false;
  for (;;) {
    u64 limit = frame;
    if (!departure.sealed) {
      const u64 body = departure.gone > kHeaderBytes ? departure.gone - kHeaderBytes : 0;
      const u64 hashed = extent - body < kPieceBytesMax ? extent : body + kPieceBytesMax;
      Digest digest;
      departure.sealed = digests.extend(out, extent, hashed, departure.hasher, digest);
      if (departure.sealed) {
        digest = trailer(departure.header, digest, departure.header_state);
        copy_bytes(departure.rest, payload, copied);
        copy_bytes(departure.rest + copied, digest.byte, kTrailerBytes);
      } else {
        limit = kHeaderBytes + hashed;
      }
    }
    kernel::Piece rest[3];
    const u64 count = rest_of(whole, departure.gone, limit, rest);
    const i64 result = send_some(link, rest, count);
    if (result == -kernel::kAgain) return moved ? Progress::some : Progress::none;
    if (result < 0) {
      departure.error = -result;
      return Progress::aborted;
    }
    moved = true;
    if (departure.gone == 0) departure.since_ns = now_ns;
    departure.gone += static_cast<u64>(result);
    if (departure.gone == limit && limit < frame && digests.shared(out)) return Progress::more;
    if (departure.gone < frame) continue;
    out.sent += extent;
    out.complete = out.sent == out.what.total;
    departure.armed = false;
    return Progress::frame;
  }
}

}  // namespace alpha
