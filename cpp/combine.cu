// The ordered combine, one source for host and device: see combine.h.
//
// Compile with -ffp-contract=off (nvcc: -fmad=false -Xcompiler -ffp-contract=off); never with
// fast-math.
#include "combine.h"

#include "base/processor.h"
#include "combine_element.h"

namespace alpha {

#ifndef __CUDACC_RTC__  // CUDA's run-time compiler makes kernels only

namespace {

// ---- host loops, for what every processor of the target has and for more ----

namespace baseline {
#define ALPHA_LEVEL
#include "combine_loops.h"
#undef ALPHA_LEVEL
}  // namespace baseline

#if defined(__x86_64__) && !defined(__CUDACC__)
// Vectors of 64 bytes made no sum faster than these of 32, and those of f64 and integers are fast
// enough without: memory is the bound.
namespace v3 {
#define ALPHA_LEVEL __attribute__((target("avx2")))
#include "combine_loops.h"
#undef ALPHA_LEVEL
}  // namespace v3

template <class Work>
void by_level(const Work& work) {
  return processor().v3 ? work(v3::Loops{}) : work(baseline::Loops{});
}
#else
template <class Work>
void by_level(const Work& work) {
  return work(baseline::Loops{});
}
#endif

// ---- host loops that need no more than every processor has ----

template <class T>
void divide_all(void* sum_bytes, u64 count, T denominator) {
  T* sum = static_cast<T*>(sum_bytes);
  for (u64 i = 0; i < count; ++i) sum[i] = canonical(sum[i] / denominator);
}

// Whole chunks are tested at once (the usual answer is that all are finite), then the one that is
// not is searched.
template <class T>
u64 first_nonfinite_of(const void* values_bytes, u64 count) {
  constexpr u64 kChunk = 1024;
  const T* values = static_cast<const T*>(values_bytes);
  for (u64 begin = 0; begin < count; begin += kChunk) {
    const u64 end = begin + kChunk < count ? begin + kChunk : count;
    auto found = nonfinite(T{});
    for (u64 i = begin; i < end; ++i) found |= nonfinite(values[i]);
    for (u64 i = begin; found != 0 && i < end; ++i) {
      if (nonfinite(values[i]) != 0) return i;
    }
  }
  return count;
}

}  // namespace

void combine_add(Element element, void* sum, const void* addend, u64 count) {
  switch (element) {
    case Element::f32:
      return by_level([&](auto loops) { loops.template add_all<f32>(sum, addend, count); });
    case Element::f64:
      return baseline::Loops::add_all<f64>(sum, addend, count);
    case Element::i32:
      return baseline::Loops::add_all<i32>(sum, addend, count);
    case Element::i64:
      return baseline::Loops::add_all<i64>(sum, addend, count);
    default:
      __builtin_trap();  // the checks before projection admit no other element
  }
}

void combine_add_widened(Element narrow, f32* sum, const void* addend, u64 count) {
  if (narrow == Element::bf16)
    return by_level([&](auto loops) { loops.template add_all_widened<Bf16>(sum, addend, count); });
  if (narrow == Element::f16)
    return by_level([&](auto loops) { loops.template add_all_widened<F16>(sum, addend, count); });
  __builtin_trap();
}

void combine_divide(Element element, void* sum, u64 count, f64 denominator) {
  if (element == Element::f32) return divide_all<f32>(sum, count, static_cast<f32>(denominator));
  if (element == Element::f64) return divide_all<f64>(sum, count, denominator);
  __builtin_trap();
}

void combine_narrow(Element narrow, void* out, const f32* in, u64 count) {
  if (narrow == Element::bf16)
    return by_level([&](auto loops) { loops.template narrow_all<Bf16>(out, in, count); });
  if (narrow == Element::f16)
    return by_level([&](auto loops) { loops.template narrow_all<F16>(out, in, count); });
  __builtin_trap();
}

void combine_widen(Element narrow, f32* out, const void* in, u64 count) {
  if (narrow == Element::bf16)
    return by_level([&](auto loops) { loops.template widen_all<Bf16>(out, in, count); });
  if (narrow == Element::f16)
    return by_level([&](auto loops) { loops.template widen_all<F16>(out, in, count); });
  __builtin_trap();
}

void combine_round_through(Element narrow, f32* values, u64 count) {
  if (narrow == Element::bf16)
    return by_level([&](auto loops) { loops.template round_all<Bf16>(values, count); });
  if (narrow == Element::f16)
    return by_level([&](auto loops) { loops.template round_all<F16>(values, count); });
  __builtin_trap();
}

u64 first_nonfinite(Element element, const void* values, u64 count) {
  if (element == Element::f32) return first_nonfinite_of<f32>(values, count);
  if (element == Element::f64) return first_nonfinite_of<f64>(values, count);
  return count;
}

// ---- order tree ----

namespace {

// Subtree of `members` in preorder: its descendants are cut into at most `fanout` chunks whose
// sizes differ by at most one, larger first, and each chunk is a child's subtree.  Recursion is as
// deep as the tree.
void fold_subtree(Element element, void** values, u64 members, u64 fanout, u64 count) {
  const u64 below = members - 1;
  const u64 children = below < fanout ? below : fanout;
  u64 first = 1;
  for (u64 child = 0; child < children; ++child) {
    const u64 size = below / children + (child < below % children ? 1 : 0);
    fold_subtree(element, values + first, size, fanout, count);
    if (values[0] == nullptr) {
      values[0] = values[first];  // nothing absent is added as zero
    } else if (values[first] != nullptr) {
      combine_add(element, values[0], values[first], count);
    }
    first += size;
  }
}

}  // namespace

void combine_tree(Element element, void** values, u64 members, u64 fanout, u64 count) {
  if (members != 0) fold_subtree(element, values, members, fanout, count);
}

// ---- order canonical ----

u64 canonical_top(u64 blocks) {
  u64 level = 0;
  while (level < 63 && (u64{1} << level) < blocks) ++level;
  return level;
}

u64 canonical_nodes(u64 begin, u64 end, u64 blocks, CanonicalNode* nodes) {
  const u64 top = canonical_top(blocks);
  u64 found = 0;
  for (u64 at = begin; at < end; ++found) {
    // The highest level whose node starts here and ends inside: a node that runs past the last
    // block ends there.
    u64 level = 0;
    while (level < top) {
      const u64 width = u64{2} << level;
      const u64 stop = blocks - at < width ? blocks : at + width;
      if (at % width != 0 || stop > end) break;
      ++level;
    }
    if (nodes != nullptr) nodes[found] = {level, at >> level, nullptr};
    const u64 width = u64{1} << level;
    at = blocks - at < width ? blocks : at + width;
  }
  return found;
}

u64 canonical_pending_max(u64 begin, u64 end, u64 blocks) {
  // Before block b is pushed, the maximal nodes of [begin, b) are pending.
  u64 most = 0;
  for (u64 at = begin; at < end; ++at) {
    const u64 pending = canonical_nodes(begin, at, blocks, nullptr) + 1;
    if (pending > most) most = pending;
  }
  return most;
}

u64 CanonicalMerge::push(CanonicalNode node, void** freed) {
  const u64 top = canonical_top(blocks_);
  u64 freed_count = 0;
  while (node.level < top) {
    const bool is_left = node.index % 2 == 0;
    if (is_left && (node.index + 1) << node.level < blocks_) break;  // waits for its sibling
    if (!is_left) {
      if (size_ == 0) break;  // the sibling lies below another edge
      CanonicalNode& left = nodes_[size_ - 1];
      if (left.level != node.level) break;
      combine_add(element_, left.value, node.value, count_);
      if (freed != nullptr) freed[freed_count] = node.value;
      ++freed_count;
      node.value = left.value;
      --size_;
    }
    ++node.level;
    node.index /= 2;
  }
  nodes_[size_++] = node;
  return freed_count;
}

void* combine_canonical(Element element, void* const* values, u64 blocks, u64 count,
                        CanonicalNode* nodes) {
  if (blocks == 0) return nullptr;
  CanonicalMerge merge(element, blocks, count, nodes);
  for (u64 block = 0; block < blocks; ++block) merge.push({0, block, values[block]}, nullptr);
  return merge[0].value;
}

#endif  // __CUDACC_RTC__

// ---- device ----

#ifdef __CUDACC__
namespace {

template <class T>
__global__ void add_kernel(T* __restrict__ sum, const T* __restrict__ addend, u64 count) {
  const u64 stride = u64{gridDim.x} * blockDim.x;
  for (u64 i = u64{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    sum[i] = add(sum[i], addend[i]);
  }
}

template <class T>
__global__ void divide_kernel(T* sum, u64 count, T denominator) {
  const u64 stride = u64{gridDim.x} * blockDim.x;
  for (u64 i = u64{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    sum[i] = canonical(sum[i] / denominator);
  }
}

template <class Narrow>
__global__ void widen_kernel(f32* __restrict__ out, const Narrow* __restrict__ in, u64 count) {
  const u64 stride = u64{gridDim.x} * blockDim.x;
  for (u64 i = u64{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    out[i] = widened(in[i]);
  }
}

}  // namespace

#ifndef __CUDACC_RTC__

namespace {

constexpr u64 kThreads = 256;
constexpr u64 kGridMax = 4096;  // enough to fill any device; the rest is strided over

unsigned grid(u64 count) {
  const u64 blocks = (count + kThreads - 1) / kThreads;
  return static_cast<unsigned>(blocks < kGridMax ? (blocks == 0 ? 1 : blocks) : kGridMax);
}

template <class T>
void add_on(void* sum, const void* addend, u64 count, cudaStream_t stream) {
  add_kernel<T><<<grid(count), kThreads, 0, stream>>>(static_cast<T*>(sum),
                                                      static_cast<const T*>(addend), count);
}

}  // namespace

void combine_add_device(Element element, void* sum, const void* addend, u64 count,
                        cudaStream_t stream) {
  switch (element) {
    case Element::f32:
      return add_on<f32>(sum, addend, count, stream);
    case Element::f64:
      return add_on<f64>(sum, addend, count, stream);
    case Element::i32:
      return add_on<i32>(sum, addend, count, stream);
    case Element::i64:
      return add_on<i64>(sum, addend, count, stream);
    default:
      __builtin_trap();
  }
}

void combine_divide_device(Element element, void* sum, u64 count, f64 denominator,
                           cudaStream_t stream) {
  if (element == Element::f32) {
    divide_kernel<<<grid(count), kThreads, 0, stream>>>(static_cast<f32*>(sum), count,
                                                        static_cast<f32>(denominator));
  } else {
    divide_kernel<<<grid(count), kThreads, 0, stream>>>(static_cast<f64*>(sum), count, denominator);
  }
}

#endif  // __CUDACC_RTC__
#endif  // __CUDACC__

}  // namespace alpha
