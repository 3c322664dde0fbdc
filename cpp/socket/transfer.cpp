// The frames of a transfer.
#include "socket/transfer.h"

namespace alpha {

u64 frame_extent(const Session& session, const Transfer& what, u64 offset) {
  const u64 rest = what.total - offset;
  return rest < session.frame_bytes ? rest : session.frame_bytes;
}

Header frame_header(const Session& session, const Transfer& what, u64 sender, u64 receiver,
                    u64 offset, u64 extent) {
  return make_header({.run = session.run,
                      .sender = sender,
                      .receiver = receiver,
                      .region = what.region,
                      .version = what.version,
                      .offset = offset,
                      .extent = extent,
                      .total = what.total,
                      .element = what.element});
}

}  // namespace alpha
