// Order canonical on one participant, see canonical.h; the rules are docs/contract.md's.
#include "role/canonical.h"

#include "base/assert.h"
#include "base/memory.h"

namespace alpha {
namespace {

// Values of the pool stand at multiples of 64 bytes, as programs want them.
u64 stride_of(const Region& region) { return (region.bytes + 63) / 64 * 64; }

struct Needs {
  u64 own_nodes = 0, arriving = 0, merged = 0, pool_bytes = 0, outbox_bytes = 0;
};

void raise(u64* most, u64 value) { *most = value > *most ? value : *most; }

// Whether a step combines in rounds of this kind: 0 full, 1 short, 2 evaluation.
bool meets(const Participant& participant, const Step& step, u64 kind) {
  const Learner& learner = *participant.role.learner;
  const bool evaluates = learner.metric.call != nullptr && step.region->buffer == learner.metrics;
  return evaluates == (kind == 2);
}

Range arriving_range(const Participant& participant, const Step& step, const Share& share,
                     Slot slot) {
  return step.op == Op::exchange ? peer_range(participant, share, slot)
                                 : edge_range(participant, share, slot);
}

// What travels to the parent, or to every peer.
Range leaving_range(const Participant& participant, const Step& step, const Share& share) {
  if (step.op != Op::combine) return share.own_blocks;
  return step.from == kNoSlot ? Range{0, 0} : edge_range(participant, share, step.from);
}

// This role's part of one value.
u64 part_bytes(const Participant& participant, const Region& region) {
  const Range own = participant.part_in_bytes(region, participant.position());
  return own.end - own.begin;
}

void add_needs(const Participant& participant, const Step& step, const Share& share, Needs* needs,
               u64 slot, u64* list_bytes) {
  const u64 bytes = step.region->bytes;
  const Range own = share.own_blocks;
  const u64 pending = canonical_pending_max(own.begin, own.end, share.blocks);
  raise(&needs->own_nodes, pending);
  raise(&needs->pool_bytes, pending * stride_of(*step.region));
  const u64 arriving_bytes =
      step.op == Op::combine_parts ? part_bytes(participant, *step.region) : bytes;
  const u64 leaving = nodes_in(leaving_range(participant, step, share), share);
  if (leaving > 1) raise(&needs->outbox_bytes, leaving * bytes);
  u64 merged = nodes_in(own, share);
  const Slots from = step.op == Op::exchange ? Slots{&step.from, 1} : step.to;
  for (const Slot edge : from) {
    const u64 count = nodes_in(arriving_range(participant, step, share, edge), share);
    raise(&needs->arriving, count);
    if (edge == slot) raise(list_bytes, count * arriving_bytes);
    merged += count;
  }
  raise(&needs->merged, merged);
}

// Over all combining steps; `list_bytes` for the edge at `slot`.
Needs needs_of(const Participant& participant, u64 slot, u64* list_bytes) {
  Needs needs;
  for_each_step(participant.role.schedule, [&](const Step& step) {
    if (!combines(step.op)) return;
    for (u64 kind = 0; kind < 3; ++kind) {
      if (!meets(participant, step, kind)) continue;
      add_needs(participant, step, participant.stamp.share[kind], &needs, slot, list_bytes);
    }
  });
  return needs;
}

void arm_list(Participant& participant, const Round& round, Transfer transfer, Slot slot,
              Range range, Inbound* in) {
  transfer.total = nodes_in(range, round.share) * round.region.bytes;
  *in = {.slot = slot,
         .what = transfer,
         .base = participant.canonical->lists[slot],
         .staging = nullptr};
}

// The values of `nodes`, one after another: where the only one is, or copied to the outbox.
const u8* pack(Participant& participant, const Round& round, const CanonicalMerge& nodes) {
  if (nodes.size() == 0) return participant.canonical->outbox;
  if (nodes.size() == 1) return static_cast<const u8*>(nodes[0].value);
  u8* const outbox = participant.canonical->outbox;
  for (u64 i = 0; i < nodes.size(); ++i) {
    copy_bytes(outbox + i * round.region.bytes, nodes[i].value, round.region.bytes);
  }
  return outbox;
}

void merge_own(Participant& participant, CanonicalMerge* merge) {
  const CanonicalMerge& own = participant.canonical->own;
  for (u64 i = 0; i < own.size(); ++i) merge->push(own[i], nullptr);
}

bool finish_canonical(Participant& participant, const Round& round, const CanonicalMerge& merge) {
  ALPHA_ASSERT(merge.size() == 1);
  u8* const base = participant.base(round.region);
  if (merge[0].value != base) copy_bytes(base, merge[0].value, round.region.bytes);
  return finish_result(participant, round, base, 0, round.region.bytes);
}

}  // namespace

u64 nodes_in(Range blocks, const Share& share) {
  return canonical_nodes(blocks.begin, blocks.end, share.blocks, nullptr);
}

bool admit_own(Participant& participant, const Round& round) {
  const CanonicalMerge& own = participant.canonical->own;
  for (u64 i = 0; i < own.size(); ++i) {
    if (!admit_contribution(participant, round, own[i].value)) return false;
  }
  return true;
}

CanonicalMerge merge_of(Participant& participant, const Round& round, u64 count) {
  return CanonicalMerge(round.region.element, round.share.blocks, count,
                        participant.canonical->merged);
}

void merge_list(Participant& participant, const Round& round, Slot slot, u64 bytes,
                CanonicalMerge* merge) {
  const Range range = arriving_range(participant, participant.step(), round.share, slot);
  CanonicalNode* const nodes = participant.canonical->arriving;
  const u64 count = canonical_nodes(range.begin, range.end, round.share.blocks, nodes);
  for (u64 i = 0; i < count; ++i) {
    nodes[i].value = participant.canonical->lists[slot] + i * bytes;
    merge->push(nodes[i], nullptr);
  }
}

void layout_canonical(Participant& participant) {
  ALPHA_ASSERT(participant.role.learner != nullptr);  // checked before projection
  Arena& arena = participant.arena;
  CanonicalMemory* const memory = arena.take<CanonicalMemory>(1);
  u8** const lists = arena.take<u8*>(participant.role.edges);
  if (arena.mapped()) {
    participant.canonical = memory;
    memory->lists = lists;
  }
  // Rows are read before the arena's second pass too: the stamp is there from the start.
  Needs needs;
  for (u64 slot = 0; slot < participant.role.edges; ++slot) {
    u64 list_bytes = 0;
    needs = needs_of(participant, slot, &list_bytes);
    u8* const list = arena.take<u8>(list_bytes);
    if (arena.mapped()) lists[slot] = list;
  }
  if (participant.role.edges == 0) {
    u64 none = 0;
    needs = needs_of(participant, 0, &none);
  }
  CanonicalNode* const own_nodes = arena.take<CanonicalNode>(needs.own_nodes);
  CanonicalNode* const merged = arena.take<CanonicalNode>(needs.merged);
  CanonicalNode* const arriving = arena.take<CanonicalNode>(needs.arriving);
  void** const free = arena.take<void*>(needs.own_nodes);
  u8* const pool = arena.take<u8>(needs.pool_bytes);
  u8* const outbox = arena.take<u8>(needs.outbox_bytes);
  if (!arena.mapped()) return;
  memory->own_nodes = own_nodes;
  memory->merged = merged;
  memory->arriving = arriving;
  memory->free = free;
  memory->pool = pool;
  memory->pool_bytes = needs.pool_bytes;
  memory->values_max = needs.own_nodes;
  memory->outbox = outbox;
}

void begin_blocks(Participant& participant, const Region& region, u64 blocks) {
  CanonicalMemory& memory = *participant.canonical;
  memory.own = CanonicalMerge(region.element, blocks, region.bytes / element_bytes(region.element),
                              memory.own_nodes);
  const u64 stride = stride_of(region);
  memory.free_count = 0;
  while (memory.free_count < memory.values_max &&
         (memory.free_count + 1) * stride <= memory.pool_bytes) {
    memory.free[memory.free_count] = memory.pool + memory.free_count * stride;
    ++memory.free_count;
  }
}

u8* block_value(Participant& participant) {
  CanonicalMemory& memory = *participant.canonical;
  ALPHA_ASSERT(memory.free_count != 0);
  return static_cast<u8*>(memory.free[--memory.free_count]);
}

void push_block(Participant& participant, u64 block, u8* value) {
  CanonicalMemory& memory = *participant.canonical;
  memory.free_count += memory.own.push({0, block, value}, memory.free + memory.free_count);
}

bool combine_canonical_nodes(Participant& participant, const Round& round) {
  const Step& step = participant.step();
  Transfer transfer;
  if (!participant.arm(round.region, round.region.bytes, &transfer)) return false;
  if (!admit_own(participant, round)) return false;
  for (u64 i = 0; i < step.to.size(); ++i) {
    const Range range = edge_range(participant, round.share, step.to[i]);
    arm_list(participant, round, transfer, step.to[i], range, &participant.inbound[i]);
  }
  if (!step.to.empty() &&
      !exchange(participant.session, {participant.inbound, step.to.size()}, {}, {})) {
    return false;
  }
  CanonicalMerge merge = merge_of(participant, round, round.region.bytes / round.element_bytes);
  merge_own(participant, &merge);
  for (const Slot slot : step.to) {
    merge_list(participant, round, slot, round.region.bytes, &merge);
  }
  if (step.from == kNoSlot) return finish_canonical(participant, round, merge);
  transfer.total = merge.size() * round.region.bytes;
  *participant.outbound = {.slot = step.from,
                           .what = transfer,
                           .base = pack(participant, round, merge),
                           .ready = transfer.total};
  return exchange(participant.session, {}, {participant.outbound, 1}, {});
}

bool exchange_canonical_nodes(Participant& participant, const Round& round) {
  const Slot slot = participant.step().from;
  Transfer transfer;
  if (!participant.arm(round.region, round.region.bytes, &transfer)) return false;
  if (!admit_own(participant, round)) return false;
  const CanonicalMerge& own = participant.canonical->own;
  const Range range = peer_range(participant, round.share, slot);
  arm_list(participant, round, transfer, slot, range, participant.inbound);
  transfer.total = own.size() * round.region.bytes;
  *participant.outbound = {.slot = slot,
                           .what = transfer,
                           .base = pack(participant, round, own),
                           .ready = transfer.total};
  if (!exchange(participant.session, {participant.inbound, 1}, {participant.outbound, 1}, {})) {
    return false;
  }
  CanonicalMerge merge = merge_of(participant, round, round.region.bytes / round.element_bytes);
  const bool lower = participant.session.links[slot].lower;
  if (lower) merge_own(participant, &merge);
  merge_list(participant, round, slot, round.region.bytes, &merge);
  if (!lower) merge_own(participant, &merge);
  return finish_canonical(participant, round, merge);
}

}  // namespace alpha
