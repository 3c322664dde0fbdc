// The simulator without Python, for sanitizers and mutants: `driver FIRST COUNT [NAME ...]` runs
// that many seeds of a few systems and prints what was found; the first with findings ends it.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/processor.h"
#include "simulate/search.h"

namespace {

using namespace alpha;
using namespace alpha::simulate;

constexpr u64 kSecond = 1'000'000'000;

struct System {
  const char* name;
  std::vector<u32> parents;
  u64 rounds, elements, frame_bytes;
  bool announced, exchange, canonical;
  u64 lives;
  Rarity rarity;
  u32 harm_count_max;
};

const System kSystems[] = {
    {"tree", {0, 1, 0}, 3, 40, 64, false, false, false, 0, {16, 250}, 2},
    {"announced", {0, 0, 0}, 3, 40, 64, true, false, false, 0, {16, 250}, 2},
    {"exchange", {0}, 3, 40, 64, false, true, false, 0, {16, 250}, 2},
    {"long", {0, 0}, 3, 1300, 2048, false, false, false, 0, {16, 250}, 2},
    {"crowd", {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 2, 40, 64, false, false, false, 0, {16, 250}, 2},
    {"state", {0, 1, 0}, 1, 6, 64, false, false, false, 3, {16, 400}, 4},
    {"canonical", {0, 1, 0}, 2, 40, 64, false, false, true, 1, {16, 250}, 2},
    {"canonical-pair", {0}, 2, 40, 64, false, true, true, 1, {16, 250}, 2},
    {"lives", {0}, 1, 6, 64, false, false, false, 4, {16, 400}, 4},
};

bool chosen(const char* name, char** first, char** last) {
  for (char** at = first; at != last; ++at) {
    if (std::strcmp(*at, name) == 0) return true;
  }
  return first == last;
}

bool try_one(const System& of, u64 first, u64 count) {
  const Budgets budgets = {5 * kSecond, 5 * kSecond, 5 * kSecond, 3 * kSecond, 0};
  World world({of.parents, of.rounds, of.elements, of.frame_bytes, budgets, of.announced,
               of.exchange, of.canonical, of.lives});
  const Tally tally = run_many(world, first, count, of.rarity, of.harm_count_max);
  std::printf("%s: %llu schedules, %llu complete\n", of.name,
              static_cast<unsigned long long>(tally.runs),
              static_cast<unsigned long long>(tally.complete));
  for (const Finding& each : tally.findings) {
    std::printf("%s: seed %llu: %s\n", of.name, static_cast<unsigned long long>(each.run),
                each.violation.c_str());
  }
  return tally.findings.empty();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 64;
  const u64 first = std::strtoull(argv[1], nullptr, 10);
  const u64 count = std::strtoull(argv[2], nullptr, 10);
  detect_processor(0);
  bool held = true;
  for (const System& each : kSystems) {
    if (chosen(each.name, argv + 3, argv + argc)) held = held && try_one(each, first, count);
  }
  return held ? 0 : 1;
}
