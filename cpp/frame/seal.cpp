// Two levels of SHA-256, and the trailer above them.
#include "frame/seal.h"

#include "base/memory.h"
#include "frame/sha256_constants.h"

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

namespace {

const u8* bytes_of(const Header& header) { return reinterpret_cast<const u8*>(&header); }

}  // namespace

const u32* HeaderState::of(const Header& header) {
  const u8* const first = bytes_of(header);
  if (!same_bytes(block_, first, sizeof(block_))) {
    copy_bytes(block_, first, sizeof(block_));
    copy_bytes(state_, kInitialState, sizeof(state_));
    hash_form().blocks(state_, block_, 1);
  }
  return state_;
}

Digest trailer(const Header& header, const Digest& payload, HeaderState& kept) {
  u32 state[8];
  copy_bytes(state, kept.of(header), sizeof(state));
  hash_form().blocks(state, bytes_of(header) + 64, 1);
  u8 last[64] = {};
  copy_bytes(last, payload.byte, sizeof(payload));
  last[sizeof(payload)] = 0x80;
  store_big64(last + 56, 8 * (sizeof(header) + sizeof(payload)));
  hash_form().blocks(state, last, 1);
  return digest_of(state);
}

Digest trailer(const Header& header, const Digest& payload) {
  HeaderState fresh;
  return trailer(header, payload, fresh);
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
