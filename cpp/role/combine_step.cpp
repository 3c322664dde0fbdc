// Combine in order tree: own value, then each child's subtotal, frame by frame over all edges at
// once; a delivery of the sum that follows goes down frame by frame meanwhile.
#include "role/combine_step.h"

#include "base/assert.h"
#include "base/memory.h"
#include "role/steps.h"

namespace alpha {
namespace {

bool refuse_nonfinite(Participant& participant, const Round& round, u64 element,
                      const char* whose) {
  Text<256> text;
  text.add("region ", round.region.number, " \"",
           participant.role.buffers[round.region.buffer].name, "\": element ", element, " of ",
           whose, " is not finite");
  return participant.fail_local(text.c_str());
}

// What advance() works on.
struct TreeCombine {
  Participant& participant;
  const Round& round;
  Span<Inbound> children;
  Outbound* parent;  // null at the root
  u8* base;
  bool own;  // this role contributes
  u64 total;
  const Delivery& delivery;
  u64 finished = 0;
};

// Frames are numbered as they are added, frame k of every child before k + 1 of any.  Those that
// may be read are the next ones, as many as there is staging for: each has its own.
void share_staging(const TreeCombine& combine) {
  const u64 frame_bytes = combine.participant.role.frame_bytes;
  u64 children = 0;
  for (const Inbound& child : combine.children) children += child.what.total != 0;
  const auto each = [&](const auto& use) {
    u64 number = 0;
    for (Inbound& child : combine.children) {
      if (child.what.total == 0) continue;
      if (child.released != child.what.total) {
        use(child, child.released / frame_bytes * children + number);
      }
      ++number;
    }
  };
  u64 next = ~u64{0};
  each([&](const Inbound&, u64 frame) { next = frame < next ? frame : next; });
  each([&](Inbound& child, u64 frame) {
    child.held = frame - next >= kStagedFramesMax;
    child.staging = combine.participant.staging + frame % kStagedFramesMax * frame_bytes;
  });
}

// Adds what arrived: frame k of a child once frame k of everyone before it is in the sum.
bool advance_tree(void* context) {
  TreeCombine& combine = *static_cast<TreeCombine*>(context);
  const u64 width = combine.round.element_bytes;
  bool empty = !combine.own;
  u64 limit = combine.total;
  for (Inbound& child : combine.children) {
    if (child.what.total == 0) continue;
    if (child.arrived > child.released && child.arrived <= limit) {
      u8* const sum = combine.base + child.released;
      const u64 bytes = child.arrived - child.released;
      if (empty) {
        copy_bytes(sum, child.staging, bytes);  // nothing absent is added as zero
      } else {
        combine_add(combine.round.region.element, sum, child.staging, bytes / width);
      }
      child.released = child.arrived;
    }
    limit = child.released;
    empty = false;
  }
  if (combine.children.size() > kStagedFramesMax) share_staging(combine);
  if (combine.parent != nullptr) {
    combine.parent->ready = limit;
    relay_down(combine.delivery);
    return true;
  }
  const u64 begin = combine.finished;
  combine.finished = limit;
  if (!finish_result(combine.participant, combine.round, combine.base, begin, limit)) return false;
  // Where nobody contributed, what is delivered is what the root holds.
  pass_down(combine.delivery, combine.total == 0 ? combine.round.region.bytes : limit);
  return true;
}

bool combine_tree_up(Participant& participant, const Round& round) {
  const Step& step = participant.step();
  const Region& region = round.region;
  const bool own = holds(participant, round.share.own);
  Transfer transfer;
  if (!participant.arm(region, region.bytes, &transfer)) return false;
  if (own && !admit_contribution(participant, round, participant.base(region))) return false;
  Delivery delivery;
  if (!arm_delivery(participant, &delivery)) return false;
  bool any = own;
  for (u64 i = 0; i < step.to.size(); ++i) {
    const Slot slot = step.to[i];
    Transfer what = transfer;
    if (!holds(participant, edge_range(participant, round.share, slot))) what.total = 0;
    any = any || what.total != 0;
    participant.inbound[i] = {
        .slot = slot,
        .what = what,
        .base = nullptr,
        .staging = participant.staging + i % kStagedFramesMax * participant.role.frame_bytes};
  }
  u8* const base = participant.base(region);
  const u64 up = step.from == kNoSlot ? 0 : 1;
  const u64 total = any ? region.bytes : 0;
  transfer.total = total;
  if (up != 0) {
    *participant.outbound = {.slot = step.from, .what = transfer, .base = base, .replaced = true};
  }
  TreeCombine context = {participant,
                         round,
                         {participant.inbound, step.to.size()},
                         up == 0 ? nullptr : participant.outbound,
                         base,
                         own,
                         total,
                         delivery};
  return combine_and_deliver(participant, delivery, {advance_tree, &context});
}

// The own contribution is still leaving while the peer's arrives, so the sum is made in the peer's
// memory: both ends hold own + peer, which addition makes the same bits in either order.
struct TreeExchange {
  const Round& round;
  const Inbound& peer;
  const u8* own;  // null where this role does not contribute
  u64 added = 0;
};

bool advance_exchange(void* context) {
  TreeExchange& exchange = *static_cast<TreeExchange*>(context);
  if (exchange.own != nullptr && exchange.peer.arrived > exchange.added) {
    combine_add(exchange.round.region.element, exchange.peer.base + exchange.added,
                exchange.own + exchange.added,
                (exchange.peer.arrived - exchange.added) / exchange.round.element_bytes);
  }
  exchange.added = exchange.peer.arrived;
  return true;
}

bool exchange_tree(Participant& participant, const Round& round) {
  const Slot slot = participant.step().from;
  const Region& region = round.region;
  const bool own = holds(participant, round.share.own);
  const bool peer = holds(participant, peer_range(participant, round.share, slot));
  Transfer transfer;
  if (!participant.arm(region, region.bytes, &transfer)) return false;
  if (own && !admit_contribution(participant, round, participant.base(region))) return false;
  Transfer out = transfer;
  if (!own) out.total = 0;
  if (!peer) transfer.total = 0;
  u8*& base = participant.buffers[region.buffer];
  u8*& twin = participant.twins[region.buffer];
  *participant.inbound = {.slot = slot, .what = transfer, .base = twin, .staging = nullptr};
  *participant.outbound = {.slot = slot, .what = out, .base = base, .ready = out.total};
  TreeExchange context = {round, *participant.inbound, own ? base : nullptr};
  if (!exchange(participant.session, {participant.inbound, 1}, {participant.outbound, 1},
                {advance_exchange, &context})) {
    return false;
  }
  if (peer) {
    u8* const sum = twin;
    twin = base;
    base = sum;
  }
  return finish_result(participant, round, base, 0, own || peer ? region.bytes : 0);
}

// The delivery that follows the combine in hand at once, of the same memory over the same edges the
// other way; null: none does.
const Step* delivery_after(const Participant& participant) {
  const Step& up = participant.step();
  const Step* const down = participant.following();
  if (down == nullptr || down->op != Op::deliver) return nullptr;
  bool same = down->region->buffer == up.region->buffer &&
              down->region->bytes == up.region->bytes && down->from == up.from &&
              down->to.size() == up.to.size();
  for (u64 i = 0; same && i < up.to.size(); ++i) same = down->to[i] == up.to[i];
  return same ? down : nullptr;
}

}  // namespace

bool arm_delivery(Participant& participant, Delivery* delivery) {
  const Step* const down = delivery_after(participant);
  if (down == nullptr) return true;
  Transfer result;
  if (!participant.arm(*down->region, down->region->bytes, &result)) return false;
  result.place = down->place;
  participant.take_following();
  u8* const base = participant.base(*down->region);
  const u64 children = down->to.size();
  const u64 up = down->from == kNoSlot ? 0 : 1;
  delivery->to = {participant.outbound + up, children};
  for (u64 i = 0; i < children; ++i) {
    delivery->to[i] = {.slot = down->to[i], .what = result, .base = base};
  }
  if (up == 0) return true;
  Inbound* const from = participant.inbound + children;
  *from = {.slot = down->from,
           .what = result,
           .base = base,
           .staging = nullptr,
           .after = participant.outbound};
  delivery->from = from;
  return true;
}

bool combine_and_deliver(Participant& participant, const Delivery& delivery, Advance advance) {
  const Step& step = participant.step();
  const u64 in_count = step.to.size() + (delivery.from == nullptr ? 0 : 1);
  const u64 out_count = delivery.to.size() + (step.from == kNoSlot ? 0 : 1);
  return exchange(participant.session, {participant.inbound, in_count},
                  {participant.outbound, out_count}, advance);
}

bool holds(const Participant& participant, Range range) {
  return participant.role.learner == nullptr || range.begin < range.end;
}

Round this_round(const Participant& participant) {
  const Stamp& stamp = participant.stamp;
  const Learner* const learner = participant.role.learner;
  const Region& region = *participant.step().region;
  const u64 width = element_bytes(region.element);
  ALPHA_ASSERT(participant.role.frame_bytes % width == 0);
  if (learner != nullptr && region.buffer == learner->metrics && learner->metric.call != nullptr) {
    f64 denominator;
    copy_bytes(&denominator, &stamp.evaluation_denominator, sizeof denominator);
    return {region, stamp.share[2], width, true, denominator};
  }
  const u64 batch = this_batch(participant);
  const bool divides = participant.role.contract.normalization == Normalization::mean;
  const f64 denominator = divides ? participant.stamped<f64>(stamp.denominators)[batch] : 1;
  return {region, batch_share(participant, batch), width, divides, denominator};
}

u64 this_batch(const Participant& participant) {
  return participant.round() % participant.stamp.rounds_cycle;
}

const Share& batch_share(const Participant& participant, u64 batch) {
  const Stamp& stamp = participant.stamp;
  const bool is_short = stamp.short_batch != 0 && batch + 1 == stamp.rounds_cycle;
  return stamp.share[is_short ? 1 : 0];
}

Range edge_range(const Participant& participant, const Share& share, Slot slot) {
  if (share.edge_ranges == 0) return {0, 0};
  return participant.stamped<Range>(share.edge_ranges)[slot];
}

Range peer_range(const Participant& participant, const Share& share, Slot slot) {
  // The stamp's rows, since memory is measured before the session is filled.
  const EdgeRow* const rows = participant.stamped<EdgeRow>(participant.stamp.edge_rows);
  if (participant.stamp.role < rows[slot].peer) return edge_range(participant, share, slot);
  // Seen from the higher role an edge's range is its own; the lower one holds all that comes before
  // it, so that an empty own range stands at the end.
  const Range own =
      participant.role.contract.order == Order::canonical ? share.own_blocks : share.own;
  return {0, own.begin};
}

bool admit_contribution(Participant& participant, const Round& round, const void* values) {
  if (!participant.role.contract.refuse_nonfinite) return true;
  const u64 count = round.region.bytes / round.element_bytes;
  const u64 found = first_nonfinite(round.region.element, values, count);
  return found == count || refuse_nonfinite(participant, round, found, "this role's contribution");
}

bool finish_result(Participant& participant, const Round& round, u8* base, u64 begin, u64 end) {
  const u64 count = (end - begin) / round.element_bytes;
  u8* const values = base + begin;
  if (round.divides) combine_divide(round.region.element, values, count, round.denominator);
  if (!participant.role.contract.refuse_nonfinite) return true;
  const u64 found = first_nonfinite(round.region.element, values, count);
  return found == count ||
         refuse_nonfinite(participant, round, begin / round.element_bytes + found, "the result");
}

void report_result(Participant& participant, const Region& region) {
  const Learner* const learner = participant.role.learner;
  if (learner != nullptr) learner->combined(participant, region.buffer);
}

bool run_combine(Participant& participant) {
  const Step& step = participant.step();
  const Round round = this_round(participant);
  if (participant.role.contract.order == Order::canonical) {
    if (!combine_canonical_nodes(participant, round)) return false;
  } else if (!combine_tree_up(participant, round)) {
    return false;
  }
  if (step.from == kNoSlot) report_result(participant, round.region);
  return true;
}

bool run_exchange(Participant& participant) {
  const Round round = this_round(participant);
  if (participant.role.contract.order == Order::canonical) {
    if (!exchange_canonical_nodes(participant, round)) return false;
  } else if (!exchange_tree(participant, round)) {
    return false;
  }
  if (participant.session.links[participant.step().from].lower) {
    report_result(participant, round.region);
  }
  return true;
}

}  // namespace alpha
