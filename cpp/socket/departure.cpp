// Sending one frame of a transfer.
#include "socket/departure.h"

#include "base/assert.h"
#include "socket/budget.h"
#include "socket/stream.h"

namespace alpha {

bool next_departure(const Session& session, const Outbound& out, u64& extent) {
  if (out.complete) return false;
  const u64 rest = out.what.total - out.sent;
  extent = rest < session.frame_bytes ? rest : session.frame_bytes;
  return out.ready >= out.sent + extent;
}

void arm_departure(Session& session, const Outbound& out, u64 extent, const Digest& payload,
                   u64 now_ns) {
  Link& link = session.links[out.slot];
  link.out.header = make_header({.run = session.run,
                                 .sender = session.role,
                                 .receiver = link.peer,
                                 .region = out.what.region,
                                 .version = out.what.version,
                                 .offset = out.sent,
                                 .extent = extent,
                                 .total = out.what.total,
                                 .element = out.what.element});
  link.out.trailer = trailer(link.out.header, payload);
  link.out.gone = 0;
  link.out.since_ns = now_ns;
  link.out.armed = true;
}

Progress pump_departure(Session& session, Outbound& out, u64 now_ns) {
  Link& link = session.links[out.slot];
  Departure& departure = link.out;
  ALPHA_ASSERT(departure.armed);
  const u64 extent = departure.header.extent.get();
  const kernel::Piece whole[3] = {{departure.header.magic, kHeaderBytes},
                                  {out.base + out.sent, extent},
                                  {departure.trailer.byte, kTrailerBytes}};
  bool moved = false;
  for (;;) {
    kernel::Piece rest[3];
    u64 count = 0;
    u64 skip = departure.gone;
    for (const kernel::Piece& piece : whole) {
      if (skip < piece.bytes) {
        rest[count++] = {static_cast<const u8*>(piece.first) + skip, piece.bytes - skip};
        skip = 0;
      } else {
        skip -= piece.bytes;
      }
    }
    const i64 result = send_some(link.fd, rest, count);
    if (result == -kernel::kAgain) return moved ? Progress::some : Progress::none;
    if (result < 0) {
      departure.error = -result;
      return Progress::aborted;
    }
    moved = true;
    if (departure.gone == 0) departure.since_ns = now_ns;
    departure.gone += static_cast<u64>(result);
    if (departure.gone < kHeaderBytes + extent + kTrailerBytes) continue;
    out.sent += extent;
    out.complete = out.sent == out.what.total;
    departure.armed = false;
    return Progress::frame;
  }
}

}  // namespace alpha
