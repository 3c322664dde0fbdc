// What moves over an edge, and the frames that it is cut into.
#pragma once

#include "base/element.h"
#include "socket/session.h"

namespace alpha {

// What is transferred: identity of one use of one region.
struct Transfer {
  u64 region;
  u64 version;
  u64 total;  // bytes of the whole region on this edge
  Element element;
  const char* place = nullptr;  // of its step in the user's file, for the flight record
};

// Bytes of the frame that begins at `offset`.
u64 frame_extent(const Session& session, const Transfer& what, u64 offset);
Header frame_header(const Session& session, const Transfer& what, u64 sender, u64 receiver,
                    u64 offset, u64 extent);

}  // namespace alpha
