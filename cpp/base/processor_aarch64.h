// What the auxiliary vector says of an AArch64 processor.
#pragma once

#include "base/processor.h"

namespace alpha {

namespace {

Processor features(u64 hwcap) {
  constexpr u64 kSha2 = u64{1} << 6;  // HWCAP_SHA2
  Processor found;
  found.sha = (hwcap & kSha2) != 0;
  return found;
}

}  // namespace

}  // namespace alpha
