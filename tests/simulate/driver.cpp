// The simulator without Python, for sanitizers: `driver FIRST COUNT` runs that many seeds of a few
// systems and prints what was found.
#include <cstdio>
#include <cstdlib>

#include "base/processor.h"
#include "simulate/search.h"

namespace {

using namespace alpha;
using namespace alpha::simulate;

constexpr u64 kSecond = 1'000'000'000;

Plan plan(std::vector<u32> parents, u64 elements, u64 frame_bytes, bool announced, bool exchange) {
  return {std::move(parents),
          3,
          elements,
          frame_bytes,
          {5 * kSecond, 5 * kSecond, 5 * kSecond, 3 * kSecond, 0},
          announced,
          exchange};
}

bool try_one(const char* name, const Plan& what, u64 first, u64 count) {
  World world(what);
  const Tally tally = run_many(world, first, count, {16, 250}, 2);
  std::printf("%s: %llu schedules, %llu complete\n", name,
              static_cast<unsigned long long>(tally.runs),
              static_cast<unsigned long long>(tally.complete));
  for (const Finding& each : tally.findings) {
    std::printf("%s: seed %llu: %s\n", name, static_cast<unsigned long long>(each.run),
                each.violation.c_str());
  }
  return tally.findings.empty();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 64;
  const u64 first = std::strtoull(argv[1], nullptr, 10);
  const u64 count = std::strtoull(argv[2], nullptr, 10);
  detect_processor(0);
  bool held = try_one("tree", plan({0, 1, 0}, 40, 64, false, false), first, count);
  held = try_one("announced", plan({0, 0, 0}, 40, 64, true, false), first, count) && held;
  held = try_one("exchange", plan({0}, 40, 64, false, true), first, count) && held;
  held = try_one("long", plan({0, 0}, 1300, 2048, false, false), first, count) && held;
  return held ? 0 : 1;
}
