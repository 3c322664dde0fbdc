// What a generation holds: the shard file, and the manifest beside it that names everything by
// digest.
#pragma once

#include "state/place.h"

namespace alpha {

// One tensor of the shard.  `digest` is the frame's payload digest of its bytes.
struct TensorRecord {
  const char* name;
  const char* dtype;  // safetensors spelling: F32
  Span<const u64> shape;
  const u8* data;
  u64 bytes;
  Digest digest;
};

struct ChildManifest {
  u64 role;
  Digest digest;  // SHA-256 of its manifest.json
};

struct ShardRecord {
  u64 bytes;
  Digest sha256;
  Digest state;  // the state hash
};

struct ManifestRecord {
  u64 generation;
  u64 round;
  const u8* run;  // 32 bytes
  ShardRecord shard;
  Span<const TensorRecord> tensors;
  Span<const ChildManifest> children;
};

// Writes and flushes generation-G/state.safetensors: `header` as it is, then the tensors one after
// another; fills their digests.  `state_hash_pieces` is the canonical CBOR around them, one piece
// more than tensors.
[[nodiscard]] bool write_shard(const StateFolder& folder, u64 generation, Span<const u8> header,
                               Span<TensorRecord> tensors,
                               Span<const Span<const u8>> state_hash_pieces, ShardRecord* shard,
                               Failure* failure);

// Writes and flushes generation-G/manifest.json, then the folder and the one above it: after this
// the generation is prepared.
[[nodiscard]] bool write_manifest(const StateFolder& folder, const ManifestRecord& record,
                                  Digest* digest, Failure* failure);

// Checks that a generation is whole and this learner's: the manifest's digest where `expected` is
// not null, its state identity, the shard's bytes and digest.  A named failure otherwise (80; 78
// for another learner's state).
[[nodiscard]] bool check_generation(const StateFolder& folder, u64 generation,
                                    const Digest* expected, Digest* found, Failure* failure);

}  // namespace alpha
