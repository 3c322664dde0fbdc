// Every decision of a schedule, in order: from a seeded generator, or from a list.  0 is always the
// calm one, so that a list that ends goes on calmly.
#pragma once

#include <vector>

#include "base/types.h"

namespace alpha::simulate {

// How often the generator departs from calm: once in so many decisions; 0: never.
struct Rarity {
  u32 rough;  // what a network and a kernel may do to anybody
  u32 harm;   // what a run need not survive
};

class Choices {
 public:
  // What was decided, and among how many.
  struct Made {
    u16 value;
    u16 count;
  };

  void seed(u64 seed, Rarity rarity, u32 harm_count_max);
  void follow(const u16* first, u64 count);
  // While they rest nothing departs from calm, and nothing is noted.
  void rest(bool resting) { resting_ = resting; }

  // Below 1 + rough + harm: 0, then the rough ones, then the harmful ones.  The generator takes
  // them `scarcity` times more rarely than its rarity says, and `frequency` times more often.
  u32 pick(u32 rough, u32 harm, u32 scarcity = 1, u32 frequency = 1);
  // Below `count`, all alike to the generator: for what makes no difference to who is to blame.
  u32 below(u32 count);

  const std::vector<Made>& made() const { return made_; }

 private:
  u64 draw();
  u32 listed(u32 count);

  std::vector<Made> made_;
  std::vector<u16> list_;
  bool seeded_ = true;
  bool resting_ = false;
  u64 state_ = 0;
  Rarity rarity_ = {};
  u32 harm_left_ = 0;
};

}  // namespace alpha::simulate
