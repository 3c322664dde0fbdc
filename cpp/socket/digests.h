// Payload digests that several edges share: what leaves on each of them, and what is relayed, is
// hashed once.
#pragma once

#include "socket/exchange.h"

namespace alpha {

class SharedDigests {
 public:
  // Gives the session's room to the sources that leave in this exchange, as far as it goes.
  SharedDigests(Session&, Span<Inbound>, Span<Outbound>);

  // Hashes the next frame of `out`, unless it is remembered, up to its first `bytes` bytes (never
  // fewer than before); true, and `payload` set, once that is all.  `own` holds the state of what
  // leaves on no other edge.
  bool extend(const Outbound& out, u64 extent, u64 bytes, PayloadHasher& own, Digest& payload);

  // Whether what `out` sends is sent or received on another edge too.
  bool shared(const Outbound& out) { return source_of(out) != nullptr; }

  // An inbound frame at `offset` was verified: if it lies where an outbound transfer starts from,
  // it is known.
  void verified(const Inbound& in, u64 offset, const Digest& payload);

 private:
  // One place in memory that payloads leave from.
  struct Source {
    const u8* base;
    u64 total;
    Span<Digest> frames;
    u64 known;   // frames [0, known) are remembered
    u64 hashed;  // bytes of frame `known`, by `hasher`
    PayloadHasher hasher;
  };
  Source* find(const u8* base, u64 total);
  Source* source_of(const Outbound& out) {
    return out.replaced ? nullptr : find(out.base, out.what.total);
  }
  static void remember(Source*, u64 frame, const Digest&);

  u64 frame_bytes_;
  Source sources_[kSharedSourcesMax];
  u64 count_ = 0;
};

}  // namespace alpha
