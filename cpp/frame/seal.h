// The digest in a frame's trailer: two levels, so that a payload is hashed once however many edges
// it leaves on.
#pragma once

#include "frame/header.h"
#include "frame/sha256.h"

namespace alpha {

// Digest of a payload that comes piece by piece into one contiguous place: leaves are hashed as
// soon as there is one for each lane, while they are in cache.
class PayloadHasher {
 public:
  void start();
  // The payload's first `bytes` bytes, which start at `first`, are there now; never fewer than
  // before.
  void arrived(const u8* first, u64 bytes);
  // All of them are.
  Digest finish(const u8* first, u64 bytes);

 private:
  void hash_leaves(const u8* first, u64 leaves);

  Sha256 outer_;
  u64 hashed_ = 0;
};

// SHA-256 over the digests of the payload's 4,096-byte leaves; SHA-256("") for no payload.
Digest payload_digest(const void* payload, u64 bytes);

// The hash state behind a header's first 64 bytes (magic, run, both ends, region), kept for the
// next frame: those of one region on one edge have them in common.
class HeaderState {
 public:
  const u32* of(const Header&);

 private:
  u8 block_[64] = {};  // no header's: it lacks the magic
  u32 state_[8] = {};
};

// SHA-256(header || payload_digest).
Digest trailer(const Header& header, const Digest& payload, HeaderState& kept);
Digest trailer(const Header& header, const Digest& payload);

// Opens a whole frame that lies in memory: the first difference in layout order, then the trailer,
// then whether words are canonical.  Field::none: it is the expected frame.
Field open_frame(const Header& expected, const Header& found, Span<const u8> payload,
                 const u8* found_trailer);

}  // namespace alpha
