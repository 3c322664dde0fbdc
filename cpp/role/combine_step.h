// What tree and canonical combines share: who contributes to a round, and what follows the last
// addition.
#pragma once

#include "combine.h"
#include "role/participant.h"
#include "role/relay.h"

namespace alpha {

// One execution of a combining step.
struct Round {
  const Region& region;
  const Share& share;  // which kind of round it is: full, short or evaluation
  u64 element_bytes;
  bool divides;
  f64 denominator;
};

Round this_round(const Participant& participant);

// The batch of the round in hand, counted within a pass over the samples, and how it is shared: the
// last one of a pass may be a short one.
u64 this_batch(const Participant& participant);
const Share& batch_share(const Participant& participant, u64 batch);

// Samples (order tree) or blocks (order canonical) below an edge; a protocol without a learner has
// none of either.
Range edge_range(const Participant& participant, const Share& share, Slot slot);
// Whether anything is contributed from such a range.
bool holds(const Participant& participant, Range range);
// Across the one edge of a pair, which is two ways: what the peer holds.
Range peer_range(const Participant& participant, const Share& share, Slot slot);

// Whether this role's contribution may leave it: exit 79 where the contract refuses a non-finite
// value.
[[nodiscard]] bool admit_contribution(Participant& participant, const Round& round,
                                      const void* values);

// After the last addition to bytes [begin, end) of the result: the mean's division, the contract's
// check.
[[nodiscard]] bool finish_result(Participant& participant, const Round& round, u8* base, u64 begin,
                                 u64 end);

// Arms the delivery that follows the combine in hand at once, of the same memory over the same
// edges the other way; none: nothing.  The combine's transfers stand before it: children's inbound,
// the parent's outbound.
[[nodiscard]] bool arm_delivery(Participant& participant, Delivery* delivery);
[[nodiscard]] bool combine_and_deliver(Participant& participant, const Delivery& delivery,
                                       Advance advance);

// The combines of order canonical; run_combine, run_exchange and run_combine_parts choose.
[[nodiscard]] bool combine_canonical_nodes(Participant& participant, const Round& round);
[[nodiscard]] bool exchange_canonical_nodes(Participant& participant, const Round& round);
[[nodiscard]] bool combine_canonical_parts(Participant& participant, const Round& round);

// Tells a learner's report that a result is there; called where results are reported, at the root.
void report_result(Participant& participant, const Region& region);

}  // namespace alpha
