// Bodies of the searches.
#include "simulate/search.h"

#include <algorithm>

namespace alpha::simulate {

std::vector<u16> trimmed(const Choices& choices) {
  std::vector<u16> values;
  for (const Choices::Made& made : choices.made()) values.push_back(made.value);
  while (!values.empty() && values.back() == 0) values.pop_back();
  return values;
}

void Tally::add(u64 run, const Result& result, const Choices& made) {
  ++runs;
  harmed += result.harms != 0;
  choices_max = std::max<u64>(choices_max, made.made().size());
  bool all = true;
  for (const End& end : result.ends) {
    calls += end.calls;
    all = all && end.state == Process::State::ended && end.code == 0;
    if (end.state == Process::State::ended) {
      ++codes[static_cast<u8>(end.code)];
    } else {
      ++lost;
    }
  }
  complete += all;
  if (!result.violation.empty()) findings.push_back({run, trimmed(made), result.violation});
}

Tally run_many(World& world, u64 first_seed, u64 count, Rarity rarity, u32 harm_count_max) {
  Tally tally;
  for (u64 i = 0; i < count && tally.findings.size() < kFindingsMax; ++i) {
    world.choices().seed(first_seed + i, rarity, harm_count_max);
    const Result result = world.run();
    tally.add(first_seed + i, result, world.choices());
  }
  return tally;
}

// An odometer over choice lists: each run shows how many ways its last decisions could have gone.
Tally search(World& world, u32 departures_max, u64 runs_max) {
  Tally tally;
  std::vector<u16> list;
  for (;;) {
    if (tally.runs == runs_max || tally.findings.size() == kFindingsMax) return tally;
    world.choices().follow(list.data(), list.size());
    const Result result = world.run();
    tally.add(tally.runs, result, world.choices());
    const std::vector<Choices::Made>& made = world.choices().made();
    u32 departures = 0;
    for (const Choices::Made& each : made) departures += each.value != 0;
    u64 place = made.size();
    while (place > 0) {
      const Choices::Made& last = made[place - 1];
      departures -= last.value != 0;
      if (last.value + 1 < last.count && departures < departures_max) break;
      --place;
    }
    if (place == 0) break;
    list.clear();
    for (u64 i = 0; i < place; ++i) list.push_back(made[i].value);
    ++list.back();
  }
  tally.whole = true;
  return tally;
}

}  // namespace alpha::simulate
