// Combine in order sequence on a tree of several levels: a running sum visits the roles in
// preorder, down and up each edge once, frame by frame.
#include "base/memory.h"
#include "role/combine_step.h"
#include "role/steps.h"

namespace alpha {
namespace {

// What advance() works on.  Edges stand in the order of the visit: child i's answer lands on what
// left to it, and is what leaves to child i + 1, or to the parent.
struct Prefix {
  Participant& participant;
  const Round& round;
  Inbound* parent;  // null at the root
  Span<const Inbound> children;
  Span<Outbound> out;  // to the children, then to the parent
  u8* base;
  bool own;  // this role contributes
  u64 total;
  u64 finished = 0;
};

// The sum of everyone before this role, then its own value: how far it is made.
u64 own_sum(Prefix& prefix) {
  Inbound* const from = prefix.parent;
  if (from == nullptr || from->what.total == 0) return prefix.own ? prefix.total : 0;
  if (from->arrived > from->released) {
    u8* const sum = prefix.base + from->released;
    const u64 bytes = from->arrived - from->released;
    if (prefix.own) {
      combine_add(prefix.round.region.element, sum, from->staging,
                  bytes / prefix.round.element_bytes);
    } else {
      copy_bytes(sum, from->staging, bytes);
    }
    from->released = from->arrived;
  }
  return from->released;
}

bool advance_prefix(void* context) {
  Prefix& prefix = *static_cast<Prefix*>(context);
  u64 made = own_sum(prefix);
  for (u64 i = 0; i < prefix.children.size(); ++i) {
    prefix.out[i].ready = made;
    made = prefix.children[i].arrived;
  }
  if (prefix.parent != nullptr) {
    prefix.out[prefix.children.size()].ready = made;
    return true;
  }
  const u64 begin = prefix.finished;
  prefix.finished = made;
  return finish_result(prefix.participant, prefix.round, prefix.base, begin, made);
}

// Whether anyone before a bound of the batch contributes.
bool holds_before(const Participant& participant, u64 bound) {
  return participant.role.learner == nullptr || bound > 0;
}

Transfer whole_or_none(Transfer transfer, bool whole) {
  if (!whole) transfer.total = 0;
  return transfer;
}

bool combine_prefix(Participant& participant, const Round& round) {
  const Step& step = participant.step();
  const bool own = holds(participant, round.share.own);
  u8* const base = participant.base(round.region);
  Transfer transfer;
  if (!participant.arm(round.region, round.region.bytes, &transfer)) return false;
  if (own && !admit_contribution(participant, round, base)) return false;
  // An edge's range is that of the subtree below it.
  const auto before = [&](Slot slot) {
    const u64 bound = edge_range(participant, round.share, slot).begin;
    return whole_or_none(transfer, holds_before(participant, bound));
  };
  const auto after = [&](Slot slot) {
    const u64 bound = edge_range(participant, round.share, slot).end;
    return whole_or_none(transfer, holds_before(participant, bound));
  };
  const u64 children = step.to.size();
  const u64 up = step.from == kNoSlot ? 0 : 1;
  Outbound* const out = participant.outbound;
  for (u64 i = 0; i < children; ++i) {
    const Slot slot = step.to[i];
    out[i] = {.slot = slot, .what = before(slot), .base = base, .replaced = true};
    participant.inbound[up + i] = {.slot = slot,
                                   .what = after(slot),
                                   .base = base,
                                   .staging = nullptr,
                                   .after = out[i].what.total == 0 ? nullptr : &out[i]};
  }
  if (up != 0) {
    const Slot slot = step.from;
    *participant.inbound = {
        .slot = slot, .what = before(slot), .base = nullptr, .staging = participant.staging};
    out[children] = {.slot = slot, .what = after(slot), .base = base, .replaced = true};
  }
  Prefix context = {participant,
                    round,
                    up == 0 ? nullptr : participant.inbound,
                    {participant.inbound + up, children},
                    {out, children + up},
                    base,
                    own,
                    round.region.bytes};
  return exchange(participant.session, {participant.inbound, children + up}, {out, children + up},
                  {advance_prefix, &context});
}

}  // namespace

bool run_combine_prefix(Participant& participant) {
  const Round round = this_round(participant);
  if (!combine_prefix(participant, round)) return false;
  if (participant.step().from == kNoSlot) report_result(participant, round.region);
  return true;
}

}  // namespace alpha
