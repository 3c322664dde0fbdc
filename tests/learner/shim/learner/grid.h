// The threads of a grid as threads of this machine, so that CUDA source runs as C++.
#pragma once

#include <barrier>
#include <thread>

#include "learner/convert.h"
#include "learner/matrix.h"

#define ALPHA_DEVICE

#define ALPHA_KERNEL(name)                                                               \
  void name##_kernel(u64 rows, const void* const* in, void* const* out, void* scratch) { \
    run_threads([=](const Grid& grid) { name(grid, rows, in, out, scratch); });          \
  }

namespace alpha {

inline constexpr u64 kThreads = 3;

struct Grid {
  Grid alone() const { return {0, 1, nullptr}; }
  void meet() const {
    if (barrier != nullptr) barrier->arrive_and_wait();
  }

  u64 first;
  u64 step;
  std::barrier<>* barrier;
};

template <class Program>
void run_threads(const Program& program) {
  std::barrier<> barrier(kThreads);
  std::thread threads[kThreads];
  for (u64 i = 0; i < kThreads; ++i) {
    threads[i] = std::thread([&, i] { program(Grid{i, kThreads, &barrier}); });
  }
  for (std::thread& each : threads) each.join();
}

}  // namespace alpha

#include "learner/share.h"
