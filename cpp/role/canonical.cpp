// Order canonical on one participant, see canonical.h; the rules are docs/contract.md's.
#include "role/canonical.h"

#include "base/assert.h"
#include "base/memory.h"

namespace alpha {
namespace {

// Values of the pool stand at multiples of 64 bytes, as programs want them.
u64 stride_of(const Region& region) { return (region.bytes + 63) / 64 * 64; }

u64 nodes_in(Range blocks, const Share& share) {
  return canonical_nodes(blocks.begin, blocks.end, share.blocks, nullptr);
}

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

void push(CanonicalMerge* merge, CanonicalNode node, u64 begin) {
  node.value = static_cast<u8*>(node.value) + begin;
  merge->push(node, nullptr);
}

// The values that arrive over an edge stand one after another, `bytes` each.
void push_list(const CanonicalCombine& combine, const Inbound& list, u64 bytes, u64 begin,
               CanonicalMerge* merge) {
  Participant& participant = combine.participant;
  const Share& share = combine.round.share;
  const Range range = arriving_range(participant, participant.step(), share, list.slot);
  CanonicalNode* const nodes = participant.canonical->arriving;
  const u64 count = canonical_nodes(range.begin, range.end, share.blocks, nodes);
  for (u64 i = 0; i < count; ++i) {
    nodes[i].value = list.base + i * bytes;
    push(merge, nodes[i], begin);
  }
}

// Bytes [begin, end) of each node's value, `stride` apart.
void pack(const CanonicalMerge& nodes, u64 begin, u64 end, u8* to, u64 stride) {
  for (u64 i = 0; i < nodes.size(); ++i) {
    copy_bytes(to + i * stride, static_cast<const u8*>(nodes[i].value) + begin, end - begin);
  }
}

// What goes to the parent: the only node where it is, or several copied to the outbox.
void leave_up(const CanonicalCombine& combine, const CanonicalMerge& merge, u64 begin, u64 end) {
  Outbound& up = *combine.up;
  if (merge.size() == 1) {
    up.base = static_cast<const u8*>(merge[0].value) - begin;
    up.ready = end;
    return;
  }
  const u64 bytes = combine.part.end - combine.part.begin;
  u8* const outbox = combine.participant.canonical->outbox;
  pack(merge, 0, end - begin, outbox + begin, bytes);
  up.base = outbox;
  up.ready = end == bytes ? up.what.total : end;
}

// Bytes [begin, end) of the part, from every node.
bool merge_piece(const CanonicalCombine& combine, u64 begin, u64 end) {
  Participant& participant = combine.participant;
  const Round& round = combine.round;
  const CanonicalMerge& own = participant.canonical->own;
  const Range part = combine.part;
  CanonicalMerge merge(round.region.element, round.share.blocks,
                       (end - begin) / round.element_bytes, participant.canonical->merged);
  for (u64 at = 0; at <= combine.lists.size(); ++at) {
    if (at == combine.own_at) {
      for (u64 i = 0; i < own.size(); ++i) push(&merge, own[i], part.begin + begin);
    }
    if (at == combine.lists.size()) break;
    push_list(combine, combine.lists[at], part.end - part.begin, begin, &merge);
  }
  if (combine.up != nullptr) {
    leave_up(combine, merge, begin, end);
    return true;
  }
  ALPHA_ASSERT(merge.size() == 1);
  u8* const base = participant.base(round.region);
  u8* const result = base + part.begin + begin;
  if (merge[0].value != result) copy_bytes(result, merge[0].value, end - begin);
  return finish_result(participant, round, base, part.begin + begin, part.begin + end);
}

}  // namespace

bool admit_own(Participant& participant, const Round& round) {
  const CanonicalMerge& own = participant.canonical->own;
  for (u64 i = 0; i < own.size(); ++i) {
    if (!admit_contribution(participant, round, own[i].value)) return false;
  }
  return true;
}

void arm_list(Participant& participant, const Round& round, Transfer transfer, u64 i, Slot slot,
              u64 bytes) {
  const Range range = arriving_range(participant, participant.step(), round.share, slot);
  transfer.total = nodes_in(range, round.share) * bytes;
  participant.inbound[i] = {.slot = slot,
                            .what = transfer,
                            .base = participant.canonical->lists[slot],
                            .staging = nullptr};
}

const u8* pack_own(Participant& participant, Range part, u8* outbox) {
  const CanonicalMerge& own = participant.canonical->own;
  if (own.size() == 1) return static_cast<const u8*>(own[0].value) + part.begin;
  pack(own, part.begin, part.end, outbox, part.end - part.begin);
  return outbox;
}

bool advance_canonical(void* context) {
  CanonicalCombine& combine = *static_cast<CanonicalCombine*>(context);
  const u64 bytes = combine.part.end - combine.part.begin;
  u64 limit = combine.leaving == nullptr ? bytes : combine.leaving->sent;
  for (const Inbound& list : combine.lists) {
    if (list.what.total == 0) continue;
    const u64 earlier = list.what.total - bytes;  // all nodes but the last
    const u64 there = list.arrived > earlier ? list.arrived - earlier : 0;
    limit = there < limit ? there : limit;
  }
  const u64 begin = combine.finished;
  combine.finished = limit;
  if ((limit > begin || bytes == 0) && !merge_piece(combine, begin, limit)) return false;
  if (combine.up == nullptr) {
    pass_down(combine.delivery, limit);
  } else {
    relay_down(combine.delivery);
  }
  return true;
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
  const u64 bytes = round.region.bytes;
  Transfer transfer;
  if (!participant.arm(round.region, bytes, &transfer)) return false;
  if (!admit_own(participant, round)) return false;
  CanonicalCombine context = {
      participant, round, {0, bytes}, {participant.inbound, step.to.size()}};
  if (!arm_delivery(participant, &context.delivery)) return false;
  for (u64 i = 0; i < step.to.size(); ++i) {
    arm_list(participant, round, transfer, i, step.to[i], bytes);
  }
  if (step.from != kNoSlot) {
    transfer.total = nodes_in(edge_range(participant, round.share, step.from), round.share) * bytes;
    context.up = participant.outbound;
    *context.up = {.slot = step.from, .what = transfer, .base = nullptr, .replaced = true};
  }
  return combine_and_deliver(participant, context.delivery, {advance_canonical, &context});
}

bool exchange_canonical_nodes(Participant& participant, const Round& round) {
  const Slot slot = participant.step().from;
  const u64 bytes = round.region.bytes;
  const u64 own_nodes = participant.canonical->own.size();
  Transfer transfer;
  if (!participant.arm(round.region, bytes, &transfer)) return false;
  if (!admit_own(participant, round)) return false;
  arm_list(participant, round, transfer, 0, slot, bytes);
  transfer.total = own_nodes * bytes;
  const u8* const values = pack_own(participant, {0, bytes}, participant.canonical->outbox);
  *participant.outbound = {.slot = slot, .what = transfer, .base = values, .ready = transfer.total};
  CanonicalCombine context = {participant, round, {0, bytes}, {participant.inbound, 1}};
  context.own_at = participant.session.links[slot].lower ? 0 : 1;
  if (own_nodes == 1) context.leaving = participant.outbound;
  return exchange(participant.session, context.lists, {participant.outbound, 1},
                  {advance_canonical, &context});
}

}  // namespace alpha
