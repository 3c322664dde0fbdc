// Two levels of SHA-256, and the trailer above them.
#include "frame/seal.h"

#include "base/memory.h"

namespace alpha {

void PayloadHasher::start() {
  outer_.start();
  hashed_ = 0;
}

void PayloadHasher::hash_leaves(const u8* first, u64 leaves) {
  constexpr u64 kAtOnce = 48;  // a multiple of every form's lanes
  Digest digests[kAtOnce];
  while (leaves > 0) {
    const u64 count = leaves < kAtOnce ? leaves : kAtOnce;
    hash_form().leaves(first + hashed_, count, digests);
    outer_.update(digests, count * sizeof(Digest));
    hashed_ += count * kLeafBytes;
    leaves -= count;
  }
}

void PayloadHasher::arrived(const u8* first, u64 bytes) {
  const u64 leaves = (bytes - hashed_) / kLeafBytes;
  hash_leaves(first, leaves - leaves % hash_form().lanes);
}

Digest PayloadHasher::finish(const u8* first, u64 bytes) {
  hash_leaves(first, (bytes - hashed_) / kLeafBytes);
  if (hashed_ < bytes) {
    const Digest last = sha256(first + hashed_, bytes - hashed_);
    outer_.update(&last, sizeof(last));
  }
  return outer_.finish();
}

Digest payload_digest(const void* payload, u64 bytes) {
  PayloadHasher hasher;
  hasher.start();
  return hasher.finish(static_cast<const u8*>(payload), bytes);
}

Digest trailer(const Header& header, const Digest& payload) {
  Sha256 hash;
  hash.start();
  hash.update(&header, sizeof(header));
  hash.update(&payload, sizeof(payload));
  return hash.finish();
}

Field open_frame(const Header& expected, const Header& found, Span<const u8> payload,
                 const u8* found_trailer) {
  const Field difference = first_difference(expected, found);
  if (difference != Field::none) return difference;
  const Digest computed = trailer(expected, payload_digest(payload.first, payload.count));
  if (!same_bytes(computed.byte, found_trailer, kTrailerBytes)) return Field::trailer;
  const bool words = expected.element.get() == static_cast<u32>(Element::word);
  if (words && first_noncanonical(payload, expected.offset.get()) != payload.count)
    return Field::word;
  return Field::none;
}

}  // namespace alpha
