// Order canonical over a mesh: every member gets all node lists cut to its own part, and merges
// them there.
#include "base/assert.h"
#include "base/memory.h"
#include "role/canonical.h"

namespace alpha {
namespace {

// A peer's part of this role's nodes, one after another: where the only one is, or copied to
// `outbox`.
const u8* pack_part(const CanonicalMerge& nodes, Range part, u8* outbox) {
  if (nodes.size() == 1) return static_cast<const u8*>(nodes[0].value) + part.begin;
  const u64 bytes = part.end - part.begin;
  for (u64 i = 0; i < nodes.size(); ++i) {
    copy_bytes(outbox + i * bytes, static_cast<const u8*>(nodes[i].value) + part.begin, bytes);
  }
  return outbox;
}

void merge_own_part(const CanonicalMerge& own, u64 begin, CanonicalMerge* merge) {
  for (u64 i = 0; i < own.size(); ++i) {
    merge->push({own[i].level, own[i].index, static_cast<u8*>(own[i].value) + begin}, nullptr);
  }
}

void arm_edges(Participant& participant, const Round& round, const Transfer& transfer,
               Range own_part) {
  const CanonicalMerge& own = participant.canonical->own;
  u8* outbox = participant.canonical->outbox;
  const Slots slots = participant.step().to;
  for (u64 i = 0; i < slots.size(); ++i) {
    const Slot slot = slots[i];
    Transfer in = transfer;
    in.total = nodes_in(edge_range(participant, round.share, slot), round.share) *
               (own_part.end - own_part.begin);
    participant.inbound[i] = {
        .slot = slot, .what = in, .base = participant.canonical->lists[slot], .staging = nullptr};
    const Range part = participant.part_in_bytes(round.region, participant.peer_position(slot));
    Transfer out = transfer;
    out.total = own.size() * (part.end - part.begin);
    participant.outbound[i] = {
        .slot = slot, .what = out, .base = pack_part(own, part, outbox), .ready = out.total};
    if (own.size() > 1) outbox += out.total;
  }
}

}  // namespace

bool combine_canonical_parts(Participant& participant, const Round& round) {
  const Step& step = participant.step();
  Transfer transfer;
  if (!participant.arm(round.region, round.region.bytes, &transfer)) return false;
  if (!admit_own(participant, round)) return false;
  const u64 position = participant.position();
  const Range part = participant.part_in_bytes(round.region, position);
  const u64 bytes = part.end - part.begin;
  arm_edges(participant, round, transfer, part);
  if (!exchange(participant.session, {participant.inbound, step.to.size()},
                {participant.outbound, step.to.size()}, {})) {
    return false;
  }
  CanonicalMerge merge = merge_of(participant, round, bytes / round.element_bytes);
  for (const Slot slot : step.to) {
    if (slot == position) merge_own_part(participant.canonical->own, part.begin, &merge);
    merge_list(participant, round, slot, bytes, &merge);
  }
  if (position == step.to.size()) {
    merge_own_part(participant.canonical->own, part.begin, &merge);
  }
  ALPHA_ASSERT(merge.size() == 1);
  u8* const base = participant.base(round.region);
  copy_bytes(base + part.begin, merge[0].value, bytes);
  return finish_result(participant, round, base, part.begin, part.end);
}

}  // namespace alpha
