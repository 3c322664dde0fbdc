// A learner's local work on one participant: gradients of its samples, updates of its state,
// evaluation.
#pragma once

#include "frame/sha256.h"
#include "role/participant.h"
#include "state/generation.h"

namespace alpha {

// State is held twice: a program reads one copy and writes the other, then they change places.
struct LearnerMemory {
  u8** state;  // one a Learner::state
  u8** next;
  const void** in;  // what a program is called with
  void** out;
  u8* scratch;
  const u8* samples;     // what the stamp's offsets of rows count from
  const u8* evaluation;  // the same, of the evaluation's
  u64 rounds;            // updates that were made
  f64 best;              // what the root stops by, and for how many looks
  u64 since_best;        // it was not better
  bool has_best;
  u32 round;                // what a block with random keys
  u32 first_row;            // is told
  u8* child_manifests;      // 32 bytes an edge, as they arrive
  ChildManifest* children;  // one an edge
  TensorRecord* tensors;    // the same, as the manifest names it
  StateFolder folder;
};

}  // namespace alpha
