// The flight record: the last transfers that a participant completed, in a fixed ring, kept always
// and printed only when somebody asked and the run failed.
#pragma once

#include "base/limits.h"
#include "base/types.h"

namespace alpha {

struct FlightStep {
  const char* place;  // of the step in the user's file
  u64 time_ns;        // monotonic
  u64 sender, receiver;
  u64 region, version;
  u64 bytes;  // moved and verified; of a completed transfer all of them
};

struct Flight {
  const char* place = "opening";  // of the step in hand
  u64 count = 0;                  // steps recorded, the ring holds the last of them
  FlightStep steps[kFlightSteps] = {};

  void record(const char* of, u64 time_ns, u64 sender, u64 receiver, u64 region, u64 version,
              u64 bytes) {
    steps[count++ % kFlightSteps] = {of, time_ns, sender, receiver, region, version, bytes};
  }
};

}  // namespace alpha
