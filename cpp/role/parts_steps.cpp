// Steps of a mesh whose members hold a part of a region each: combine, gather, scatter.
#include "base/assert.h"
#include "base/memory.h"
#include "role/combine_step.h"
#include "role/steps.h"

namespace alpha {
namespace {

// A part of the region in hand, in bytes.
struct Part {
  u8* base;
  u64 begin;
  u64 bytes;
};

Part part_at(Participant& participant, u64 position) {
  const Region& region = *participant.step().region;
  const Range range = participant.part_in_bytes(region, position);
  return {participant.base(region) + range.begin, range.begin, range.end - range.begin};
}

Part own_part(Participant& participant) { return part_at(participant, participant.position()); }

Part peer_part(Participant& participant, Slot slot) {
  return part_at(participant, participant.peer_position(slot));
}

Transfer of(Transfer transfer, u64 bytes) {
  transfer.total = bytes;
  return transfer;
}

void arrive(Participant& participant, u64 i, Slot slot, const Transfer& transfer, const Part& to) {
  participant.inbound[i] = {
      .slot = slot, .what = of(transfer, to.bytes), .base = to.base, .staging = nullptr};
}

void leave(Participant& participant, u64 i, Slot slot, const Transfer& transfer, const Part& from) {
  participant.outbound[i] = {
      .slot = slot, .what = of(transfer, from.bytes), .base = from.base, .ready = from.bytes};
}

struct PartsCombine {
  Participant& participant;
  const Round& round;
  Span<Inbound> peers;
  Part own;
  bool contributes;  // this role
  u64 finished = 0;
};

// Adds, in the order of the contract's tree, what every member's contribution has arrived of.
bool advance_parts(void* context) {
  PartsCombine& combine = *static_cast<PartsCombine*>(context);
  Participant& participant = combine.participant;
  u64 limit = combine.own.bytes;
  for (const Inbound& peer : combine.peers) {
    if (peer.what.total != 0 && peer.arrived < limit) limit = peer.arrived;
  }
  const u64 begin = combine.finished;
  if (begin == limit) return true;
  u8* const own = combine.own.base + begin;
  const u64 position = participant.position();
  void** const values = participant.contributions;
  for (u64 i = 0; i < combine.peers.size(); ++i) {
    const Inbound& peer = combine.peers[i];
    values[i < position ? i : i + 1] = peer.what.total == 0 ? nullptr : peer.base + begin;
  }
  values[position] = combine.contributes ? own : nullptr;
  combine_tree(combine.round.region.element, values, combine.peers.size() + 1,
               participant.role.contract.mesh_fanout,
               (limit - begin) / combine.round.element_bytes);
  combine.finished = limit;
  if (values[0] == nullptr) return true;  // nobody contributed
  if (values[0] != own) copy_bytes(own, values[0], limit - begin);
  return finish_result(participant, combine.round, participant.base(combine.round.region),
                       combine.own.begin + begin, combine.own.begin + limit);
}

bool combine_tree_parts(Participant& participant, const Round& round) {
  const Step& step = participant.step();
  Transfer transfer;
  if (!participant.arm(round.region, round.region.bytes, &transfer)) return false;
  const bool contributes = holds(participant, round.share.own);
  if (contributes && !admit_contribution(participant, round, participant.base(round.region))) {
    return false;
  }
  const Part own = own_part(participant);
  for (u64 i = 0; i < step.to.size(); ++i) {
    const Slot slot = step.to[i];
    Part taken = {participant.parts + i * own.bytes, 0, own.bytes};
    if (!holds(participant, edge_range(participant, round.share, slot))) taken.bytes = 0;
    arrive(participant, i, slot, transfer, taken);
    Part given = peer_part(participant, slot);
    if (!contributes) given.bytes = 0;
    leave(participant, i, slot, transfer, given);
  }
  const u64 peers = step.to.size();
  PartsCombine context = {participant, round, {participant.inbound, peers}, own, contributes};
  return exchange(participant.session, context.peers, {participant.outbound, peers},
                  {advance_parts, &context});
}

}  // namespace

bool run_combine_parts(Participant& participant) {
  const Step& step = participant.step();
  const Round round = this_round(participant);
  ALPHA_ASSERT(step.to.size() == participant.role.edges);
  const bool canonical = participant.role.contract.order == Order::canonical;
  if (!(canonical ? combine_canonical_parts : combine_tree_parts)(participant, round)) return false;
  if (step.to.empty()) report_result(participant, round.region);
  return true;
}

bool run_gather(Participant& participant) {
  const Step& step = participant.step();
  Transfer transfer;
  if (!participant.arm(*step.region, step.region->bytes, &transfer)) return false;
  for (u64 i = 0; i < step.sources.size(); ++i) {
    const Slot slot = step.sources[i];
    arrive(participant, i, slot, transfer, peer_part(participant, slot));
  }
  const Part own = own_part(participant);
  for (u64 i = 0; i < step.to.size(); ++i) {
    leave(participant, i, step.to[i], transfer, own);
  }
  if (!exchange(participant.session, {participant.inbound, step.sources.size()},
                {participant.outbound, step.to.size()}, {})) {
    return false;
  }
  if (participant.position() == 0 && !step.sources.empty()) {
    report_result(participant, *step.region);
  }
  return true;
}

bool run_scatter(Participant& participant) {
  const Step& step = participant.step();
  Transfer transfer;
  if (!participant.arm(*step.region, step.region->bytes, &transfer)) return false;
  const u64 in_count = step.from == kNoSlot ? 0 : 1;
  if (in_count != 0) arrive(participant, 0, step.from, transfer, own_part(participant));
  for (u64 i = 0; i < step.to.size(); ++i) {
    leave(participant, i, step.to[i], transfer, peer_part(participant, step.to[i]));
  }
  return exchange(participant.session, {participant.inbound, in_count},
                  {participant.outbound, step.to.size()}, {});
}

}  // namespace alpha
