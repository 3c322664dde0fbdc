// The combine's functions under C names, for ctypes.
#include "combine.h"

#include "base/processor.h"

using namespace alpha;

extern "C" {

// From now on the loops are this processor's; whether it has more than every one has.
int shim_detect() {
  detect_processor(0);
  return processor().v3;
}

void shim_add(u32 element, void* sum, const void* addend, u64 count) {
  combine_add(static_cast<Element>(element), sum, addend, count);
}

void shim_add_widened(u32 narrow, f32* sum, const void* addend, u64 count) {
  combine_add_widened(static_cast<Element>(narrow), sum, addend, count);
}

void shim_divide(u32 element, void* sum, u64 count, f64 denominator) {
  combine_divide(static_cast<Element>(element), sum, count, denominator);
}

void shim_narrow(u32 narrow, void* out, const f32* in, u64 count) {
  combine_narrow(static_cast<Element>(narrow), out, in, count);
}

void shim_widen(u32 narrow, f32* out, const void* in, u64 count) {
  combine_widen(static_cast<Element>(narrow), out, in, count);
}

void shim_round_through(u32 narrow, f32* values, u64 count) {
  combine_round_through(static_cast<Element>(narrow), values, count);
}

u64 shim_first_nonfinite(u32 element, const void* values, u64 count) {
  return first_nonfinite(static_cast<Element>(element), values, count);
}

void* shim_tree(u32 element, void** values, u64 members, u64 fanout, u64 count) {
  combine_tree(static_cast<Element>(element), values, members, fanout, count);
  return members == 0 ? nullptr : values[0];
}

u64 shim_nodes(u64 begin, u64 end, u64 blocks, CanonicalNode* nodes) {
  return canonical_nodes(begin, end, blocks, nodes);
}

u64 shim_pending_max(u64 begin, u64 end, u64 blocks) {
  return canonical_pending_max(begin, end, blocks);
}

void* shim_canonical(u32 element, void* const* values, u64 blocks, u64 count,
                     CanonicalNode* nodes) {
  return combine_canonical(static_cast<Element>(element), values, blocks, count, nodes);
}

// Merges a list of nodes in the order given; returns how many are pending, in `nodes`.
u64 shim_merge(u32 element, u64 blocks, u64 count, const CanonicalNode* list, u64 list_count,
               CanonicalNode* nodes) {
  CanonicalMerge merge(static_cast<Element>(element), blocks, count, nodes);
  for (u64 i = 0; i < list_count; ++i) merge.push(list[i], nullptr);
  return merge.size();
}
}
