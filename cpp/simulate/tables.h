// One simulated role's tables, which a generated file would hold as constants, and its stamp.
#pragma once

#include <vector>

#include "role/tables.h"

namespace alpha::simulate {

enum : u16 { kWord, kX, kG, kStart, kManifest, kCommit, kNoBuffer = 0xffff };  // buffers

struct Tables {
  std::vector<Slot> children;
  Slot up = 0;
  std::vector<Buffer> buffers;
  std::vector<Region> regions;
  std::vector<Step> then, round, schedule;
  std::vector<u64> stamp;
  // A learner's.
  std::vector<u8> header;
  std::vector<u64> shape;
  std::vector<Tensor> tensors;
  Learner learner = {};
  Role role = {};
};

}  // namespace alpha::simulate
