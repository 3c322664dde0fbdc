// Order canonical over a mesh: every member gets all node lists cut to its own part, and merges
// them there.
#include "role/canonical.h"

namespace alpha {
namespace {

void arm_edges(Participant& participant, const Round& round, const Transfer& transfer,
               Range own_part) {
  const u64 nodes = participant.canonical->own.size();
  u8* outbox = participant.canonical->outbox;
  const Slots slots = participant.step().to;
  for (u64 i = 0; i < slots.size(); ++i) {
    const Slot slot = slots[i];
    arm_list(participant, round, transfer, i, slot, own_part.end - own_part.begin);
    const Range part = participant.part_in_bytes(round.region, participant.peer_position(slot));
    Transfer out = transfer;
    out.total = nodes * (part.end - part.begin);
    participant.outbound[i] = {
        .slot = slot, .what = out, .base = pack_own(participant, part, outbox), .ready = out.total};
    if (nodes > 1) outbox += out.total;
  }
}

}  // namespace

bool combine_canonical_parts(Participant& participant, const Round& round) {
  const u64 peers = participant.step().to.size();
  Transfer transfer;
  if (!participant.arm(round.region, round.region.bytes, &transfer)) return false;
  if (!admit_own(participant, round)) return false;
  const u64 position = participant.position();
  const Range part = participant.part_in_bytes(round.region, position);
  arm_edges(participant, round, transfer, part);
  CanonicalCombine context = {participant, round, part, {participant.inbound, peers}};
  context.own_at = position;
  return exchange(participant.session, context.lists, {participant.outbound, peers},
                  {advance_canonical, &context});
}

}  // namespace alpha
