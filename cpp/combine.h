// The ordered combine: element by element in a declared order, the same bits on host and device, in
// executables and in Python.
//
// The rules are those of docs/contract.md.  Pointers are to whole elements in native
// (little-endian) order and aligned to their size; counts are of elements; nothing here allocates
// or fails.  combine.cu is the one source: C++ everywhere, CUDA where nvcc compiles it.
#pragma once

#include "base/element.h"
#include "base/types.h"

namespace alpha {

// ---- element by element ----

// sum[i] += addend[i] for f32, f64, i32 and i64.  Integers wrap; a NaN result is the canonical one
// (0x7fc00000, 0x7ff8000000000000).  `sum` and `addend` do not overlap.
void combine_add(Element element, void* sum, const void* addend, u64 count);

// The same with a bf16 or f16 contribution, widened to f32 as it is added: accumulation is f32.
void combine_add_widened(Element narrow, f32* sum, const void* addend, u64 count);

// sum[i] /= denominator, for f32 (the denominator rounded to f32 once) and f64.  A NaN result is
// canonical.
void combine_divide(Element element, void* sum, u64 count, f64 denominator);

// bf16 and f16: to nearest, ties to even, subnormals kept, every NaN the canonical one.
void combine_narrow(Element narrow, void* out, const f32* in, u64 count);
void combine_widen(Element narrow, f32* out, const void* in, u64 count);
// In place through the narrow type and back: what a bf16 or f16 contract does once to a
// contribution.
void combine_round_through(Element narrow, f32* values, u64 count);

// The index of the first infinity or NaN; `count` when there is none, and for integers.
u64 first_nonfinite(Element element, const void* values, u64 count);

// ---- order tree ----

// All members in one process: member m's contribution is values[m], null for one that has none.
// Members stand in the preorder of ParticipantTree(members, fanout); fanout 1 is a chain, members -
// 1 a star.  Each node adds its children's subtotals to its own value in child order, in place, so
// values are overwritten.  The result is left in values[0], which is null when nobody contributed.
void combine_tree(Element element, void** values, u64 members, u64 fanout, u64 count);

// ---- order canonical ----

// Node (level, index) covers blocks [index 2^level, (index + 1) 2^level) of those that exist; a
// node whose right half is empty is its left half, and is always named by its highest level below
// the top.
struct CanonicalNode {
  u64 level;
  u64 index;
  void* value;
};

// Level of the one node that covers all of `blocks` >= 1 blocks.
u64 canonical_top(u64 blocks);

// The maximal nodes inside blocks [begin, end) of `blocks`, ascending; returns how many.  `nodes`
// may be null.
u64 canonical_nodes(u64 begin, u64 end, u64 blocks, CanonicalNode* nodes);

// How many values a CanonicalMerge holds at most while blocks [begin, end) are pushed one by one,
// the pushed one included: ceil(log2 blocks) + 1 for a range that starts at 0, at most twice that
// for any.
u64 canonical_pending_max(u64 begin, u64 end, u64 blocks);

// Adds siblings as nodes come in ascending block order.  The caller owns `nodes`, long enough for
// canonical_pending_max or, for lists of nodes, for all that are pushed.
class CanonicalMerge {
 public:
  CanonicalMerge(Element element, u64 blocks, u64 count, CanonicalNode* nodes)
      : element_(element), blocks_(blocks), count_(count), nodes_(nodes) {}

  // Takes a node whose blocks follow the last one's without a gap.  A value that was added into its
  // left sibling is spent: its pointer goes to freed[0 ..] (null, or as long as the pending nodes);
  // returns how many were.
  u64 push(CanonicalNode node, void** freed);

  // What is pending, ascending: the maximal nodes of the blocks pushed so far.
  u64 size() const { return size_; }
  const CanonicalNode& operator[](u64 i) const { return nodes_[i]; }

 private:
  Element element_;
  u64 blocks_;
  u64 count_;
  CanonicalNode* nodes_;
  u64 size_ = 0;
};

// All blocks in one process: the result of blocks values[0 .. blocks), which are overwritten.
// `nodes` has room for canonical_pending_max(0, blocks, blocks).  Returns the value that holds the
// result, null for no blocks.
void* combine_canonical(Element element, void* const* values, u64 blocks, u64 count,
                        CanonicalNode* nodes);

#ifdef __CUDACC__
// The device's part: sum += addend on device memory, in the order of the calls on `stream`.
void combine_add_device(Element element, void* sum, const void* addend, u64 count,
                        cudaStream_t stream);
void combine_divide_device(Element element, void* sum, u64 count, f64 denominator,
                           cudaStream_t stream);
#endif

}  // namespace alpha
