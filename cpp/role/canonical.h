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

// One execution of a combine, what advance_canonical works on.  A list is its nodes' values one
// after another, so a piece of the result is made as soon as that piece of every list's last node
// is there.
struct CanonicalCombine {
  Participant& participant;
  const Round& round;
  Range part;              // bytes of the region that are merged here
  Span<Inbound> lists;     // in block order
  u64 own_at = 0;          // own nodes come before this list
  Outbound* up = nullptr;  // to the parent on a tree; without one the sum is the result
  // The own node, where it leaves from where it is merged: not before it has left.
  const Outbound* leaving = nullptr;
  Delivery delivery = {};
  u64 finished = 0;
};

bool advance_canonical(void* context);

// What a combine over a mesh (canonical_parts.cpp) shares with one over a tree.
[[nodiscard]] bool admit_own(Participant& participant, const Round& round);
// Inbound `i`: the nodes that come from an edge, `bytes` each.
void arm_list(Participant& participant, const Round& round, Transfer transfer, u64 i, Slot slot,
              u64 bytes);
// A part of own nodes, one after another: where the only one is, or copied to `outbox`.
const u8* pack_own(Participant& participant, Range part, u8* outbox);

}  // namespace alpha
