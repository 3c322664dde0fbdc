// One simulated role's tables, which a generated file would hold as constants, and its stamp.
#pragma once

#include <vector>

#include "role/tables.h"

namespace alpha::simulate {

enum : u16 { kWord, kX, kG };  // buffers

struct Tables {
  std::vector<Slot> children;
  Slot up = 0;
  std::vector<Buffer> buffers;
  std::vector<Region> regions;
  std::vector<Step> then, round, schedule;
  std::vector<u64> stamp;
  Role role = {};
};

}  // namespace alpha::simulate
