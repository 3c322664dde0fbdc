// What differs between two roles of one class: rows at a fixed address, written by the build after
// the link.
//
// The stamp is a read-only segment of its own at kStampAddress, appended to a copy of the class's
// executable (python/alpha_build/build/stamp.py writes it, byte for byte what is laid out here;
// little-endian).  Offsets are from the stamp's first byte and 64-byte aligned; the build wrote
// them, so they are trusted.
#pragma once

#include "base/types.h"

namespace alpha {

// 62 KiB into a 64 KiB page: with pages of any size the segment's file offset, which must be
// congruent, can follow right after a small executable instead of at the next 64 KiB.
inline constexpr u64 kStampAddress = 0x4000f900;

// One edge, in slot order.  The lower role listens and uses `listen_*`; the higher one dials and
// uses `dial_*`.
struct EdgeRow {
  u64 peer;
  u32 listen_address;  // IPv4, host order: 0x7f000001 is 127.0.0.1
  u32 dial_address;
  u16 listen_port;  // 0: the kernel picks, the port is announced
  u16 dial_port;    // 0: read from descriptor 0
  u32 shared;       // 1: through memory that both ends map
};
static_assert(sizeof(EdgeRow) == 24);

// Which samples (order tree) or blocks (order canonical) are held below an edge or by the role
// itself, for one kind of round: [begin, end) within the batch.
struct Range {
  u64 begin;
  u64 end;
};

inline constexpr u64 kHoldsSamples = 1;
inline constexpr u64 kHoldsEvaluation = 2;

// One kind of round: 0 full batches, 1 the last short batch, 2 evaluation.
struct Share {
  Range own;         // samples of the batch, [begin, end)
  Range own_blocks;  // canonical: whole blocks
  u64 blocks;        // canonical: K of the batch
  u64 edge_ranges;   // offset: Range[edges], blocks (canonical) or samples (tree) in the subtree
                     // across each edge, seen from here: a child's own subtree; for the parent's
                     // slot this role's whole subtree
};

struct Stamp {
  u8 magic[8];  // "ALPHAST1"
  u64 bytes;    // of the whole stamp
  u8 run[32];
  u64 role;
  u64 edges;                                                 // equals Role::edges
  u64 edge_rows;                                             // offset: EdgeRow[edges]
  u64 connect_ns, accept_ns, wait_ns, frame_ns, session_ns;  // budgets; session 0: none
  // learner only, zero elsewhere, but for what a mean needs: without a learner rounds_cycle is 1
  // and the one denominator is the number of members
  u8 state_identity[32];
  u64 rounds_cycle;  // batches in one pass over the samples: round t uses batch t mod rounds_cycle
  u64 short_batch;   // 1 when the last batch of a pass is a short one
  u64 block;         // canonical: samples a block
  u64 evaluation_block;
  u64 denominators;            // offset: f64[rounds_cycle], what the mean divides by in each batch
  u64 evaluation_denominator;  // f64 bits
  Share share[3];
  u64 initial_state;  // offset: u64[state leaves], each the offset of that leaf's bytes
  u64 constants;      // offset: u64[block + update + metric constants], likewise
  u64 samples;     // offset: u64[sample arrays], each the offset of this role's rows, batch after
                   // batch
  u64 evaluation;  // offset: u64[evaluation arrays]
  // Rows that are not embedded lie in a file beside the executable; their offsets count from its
  // first byte.
  u64 sample_file;  // offset: its name, with a zero byte after it; 0: everything is embedded
  u64 sample_file_bytes;
  u8 sample_file_sha256[32];
  u64 sample_file_holds;  // kHoldsSamples, kHoldsEvaluation, or both
  u64 host_roles;         // participants on this role's host; 0: unknown, so none of them spins
};

}  // namespace alpha
