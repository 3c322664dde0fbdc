// Which digests are remembered, by the place that payloads leave from and the frame's number.
#include "socket/digests.h"

#include "base/assert.h"

namespace alpha {

SharedDigests::SharedDigests(Session& session, Span<Inbound> inbound, Span<Outbound> outbound)
    : frame_bytes_(session.frame_bytes), sources_{} {
  Span<Digest> room = session.digests;
  const auto sharers = [&](const u8* base, u64 total) {
    u64 count = 0;
    for (const Outbound& out : outbound) {
      count += !out.replaced && out.base == base && out.what.total == total;
    }
    for (const Inbound& in : inbound) {
      count += in.staging == nullptr && in.base == base && in.what.total == total;
    }
    return count;
  };
  for (const Outbound& out : outbound) {
    const u64 frames = frame_count(out.what.total, frame_bytes_);
    if (out.replaced || count_ == kSharedSourcesMax || frames > room.count ||
        find(out.base, out.what.total) != nullptr)
      continue;
    if (sharers(out.base, out.what.total) < 2) continue;
    Source& source = sources_[count_++];
    source.base = out.base;
    source.total = out.what.total;
    source.frames = {room.first, frames};
    source.hasher.start();
    room = {room.first + frames, room.count - frames};
  }
}

SharedDigests::Source* SharedDigests::find(const u8* base, u64 total) {
  for (u64 i = 0; i < count_; ++i) {
    if (sources_[i].base == base && sources_[i].total == total) return &sources_[i];
  }
  return nullptr;
}

void SharedDigests::remember(Source* source, u64 frame, const Digest& digest) {
  if (source == nullptr || frame != source->known) return;
  source->frames[frame] = digest;
  source->known = frame + 1;
  source->hashed = 0;
  source->hasher.start();
}

bool SharedDigests::extend(const Outbound& out, u64 extent, u64 bytes, PayloadHasher& own,
                           Digest& payload) {
  Source* source = source_of(out);
  const u64 frame = out.sent / frame_bytes_;
  if (source != nullptr && frame < source->known) {
    payload = source->frames[frame];
    return true;
  }
  const u8* const first = out.base + out.sent;
  if (source != nullptr) {
    ALPHA_ASSERT(frame == source->known);  // an edge is past a frame once that is remembered
    if (bytes > source->hashed) source->hashed = bytes;
    bytes = source->hashed;
  }
  PayloadHasher& hasher = source != nullptr ? source->hasher : own;
  if (bytes < extent) {
    hasher.arrived(first, bytes);
    return false;
  }
  payload = hasher.finish(first, extent);
  remember(source, frame, payload);
  return true;
}

void SharedDigests::verified(const Inbound& in, u64 offset, const Digest& payload) {
  if (in.staging != nullptr) return;
  remember(find(in.base, in.what.total), offset / frame_bytes_, payload);
}

}  // namespace alpha
