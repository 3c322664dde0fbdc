// The threads of a cooperative launch, which share the statements of one program.
#pragma once

#include <cooperative_groups.h>

#include "learner/convert.h"
#include "learner/matrix.h"

#define ALPHA_DEVICE __device__

// A program's entry: pointers in `in` and `out`, and what they point at, are the device's.  The
// launch is cooperative and one-dimensional.
#define ALPHA_KERNEL(name)                                                                    \
  extern "C" __global__ void name##_kernel(u64 rows, const void* const* in, void* const* out, \
                                           void* scratch) {                                   \
    name(Grid::of_launch(), rows, in, out, scratch);                                          \
  }

namespace alpha {

class Grid {
 public:
  static __device__ Grid of_launch() {
    return {blockIdx.x * u64{blockDim.x} + threadIdx.x, gridDim.x * u64{blockDim.x}};
  }
  // Where one thread does a statement, it does what that calls.
  __device__ Grid alone() const { return {0, 1}; }
  // No thread goes on until all are here, and what each wrote is seen by all.
  [[gnu::noinline]] __device__ void meet() const {
    if (step != 1) cooperative_groups::this_grid().sync();
  }

  u64 first;  // this thread's turn
  u64 step;   // of so many
};

}  // namespace alpha

#include "learner/share.h"
