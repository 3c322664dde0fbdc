// Order canonical on one participant: its own blocks merged as they come, then its children's node
// lists.
#pragma once

#include "combine.h"
#include "role/combine_step.h"

namespace alpha {

struct CanonicalMemory {
  CanonicalMerge own;        // what this role's blocks of the round came to
  CanonicalNode* own_nodes;  // its memory
  CanonicalNode* merged;     // the same for own and children's nodes together
  CanonicalNode* arriving;   // one child's list
  u8* pool;                  // values of own blocks and nodes
  u64 pool_bytes;
  void** free;  // values of the pool that are not in use
  u64 free_count;
  u64 values_max;  // of the pool
  u8** lists;      // one an edge: the values that arrive over it
  u8* outbox;      // several nodes one after another, as they travel; on a mesh each peer's part of
                   // them
};

// Takes the memory for the largest round of every combining step.
void layout_canonical(Participant& participant);

// Own blocks of a round, in ascending order: begin, then for each block a value to fill and its
// push.
void begin_blocks(Participant& participant, const Region& region, u64 blocks);
u8* block_value(Participant& participant);
void push_block(Participant& participant, u64 block, u8* value);

// What a combine over a mesh (canonical_parts.cpp) shares with one over a tree.
u64 nodes_in(Range blocks, const Share& share);
[[nodiscard]] bool admit_own(Participant& participant, const Round& round);
// `count`: elements of a value.
CanonicalMerge merge_of(Participant& participant, const Round& round, u64 count);
// The values that arrived from an edge, `bytes` each.
void merge_list(Participant& participant, const Round& round, Slot slot, u64 bytes,
                CanonicalMerge* merge);

}  // namespace alpha
