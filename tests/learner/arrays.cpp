// Elementary functions over arrays against the same of one number: prints how many results differ.
#include "learner/elementary_arrays.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "learner/elementary.h"

namespace alpha {
namespace {

std::vector<f32> inputs(u64 step) {
  // Each in a block of its own: one that is left to the exact way takes its neighbours with it.
  std::vector<f32> values;
  for (const f32 special : {0.0f, -0.0f, kNan<f32>, kInfinity<f32>, -kInfinity<f32>, 1e-45f,
                            -1e-45f, 1.0f, -1.0f, 89.0f, -105.0f, 88.8f, -103.9f}) {
    values.push_back(special);
    values.insert(values.end(), 7, 0.5f);
  }
  for (u64 bits = 0; bits < (u64{1} << 32); bits += step) {
    values.push_back(bit_cast<f32>(static_cast<u32>(bits)));
  }
  // Between -16 and 16, where results are neither 0 nor infinite.
  for (u64 i = 0; i < 100'000; ++i) values.push_back(static_cast<f32>(i) * 0x1.4p-12f - 15.6f);
  return values;
}

u64 differing(const std::vector<f32>& in, void (*array)(const f32*, f32*, u64), f32 (*one)(f32)) {
  std::vector<f32> out(in.size()), same = in;
  array(in.data(), out.data(), in.size());
  array(same.data(), same.data(), same.size());
  // Every remainder of a block, and nothing written past it.
  for (u64 count = 0; count < 20; ++count) {
    f32 few[20];
    for (f32& each : few) each = 7;
    array(in.data() + in.size() - 40'000, few, count);
    for (u64 i = 0; i < 20; ++i) {
      if (few[i] != (i < count ? out[in.size() - 40'000 + i] : 7.0f)) return in.size();
    }
  }
  u64 count = 0;
  for (u64 i = 0; i < in.size(); ++i) {
    const u32 wanted = bit_cast<u32>(one(in[i]));
    count += bit_cast<u32>(out[i]) != wanted || bit_cast<u32>(same[i]) != wanted ? 1 : 0;
  }
  return count;
}

}  // namespace
}  // namespace alpha

int main(int, char** words) {
  using namespace alpha;
  const std::vector<f32> in = inputs(std::strtoull(words[1], nullptr, 10));
  std::printf("exponential %lu\n", differing(in, exponential_of, exponential));
  std::printf("exponential_minus_one %lu\n",
              differing(in, exponential_minus_one_of, exponential_minus_one));
  std::printf("logarithm %lu\n", differing(in, logarithm_of, logarithm));
  std::printf("hyperbolic_tangent %lu\n", differing(in, hyperbolic_tangent_of, hyperbolic_tangent));
  std::printf("logistic %lu\n", differing(in, logistic_of, logistic));
}
