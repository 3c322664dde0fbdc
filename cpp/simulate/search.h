// Many schedules: by seeds, or all that depart from calm in at most so many places.
#pragma once

#include "simulate/world.h"

namespace alpha::simulate {

struct Finding {
  u64 run;                   // which one: the seed, or the search's count
  std::vector<u16> choices;  // without the calm ones at the end
  std::string violation;
};

struct Tally {
  u64 runs = 0;
  u64 complete = 0;     // every role
  u64 harmed = 0;       // at least one departure that a run need not survive
  u64 codes[256] = {};  // how often roles ended with each exit code
  u64 lost = 0;         // roles killed or stopped
  u64 calls = 0;
  u64 choices_max = 0;  // decisions of the longest schedule
  bool whole = false;   // the search looked at everything
  std::vector<Finding> findings;

  void add(u64 run, const Result& result, const Choices& choices);
};

inline constexpr u64 kFindingsMax = 16;  // kept; a run of many ends with that many

std::vector<u16> trimmed(const Choices& choices);

Tally run_many(World&, u64 first_seed, u64 count, Rarity, u32 harm_count_max);
Tally search(World&, u32 departures_max, u64 runs_max);

}  // namespace alpha::simulate
