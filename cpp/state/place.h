// Where a role's state lies, and how a failure there is said: the path and the system's own words.
//
//   DIR/role-R/generation-G/state.safetensors, manifest.json     one generation, written once
//   DIR/role-R/published                                          "G SHA-256-of-its-manifest\n"
#pragma once

#include "base/failure.h"
#include "base/types.h"
#include "frame/sha256.h"

namespace alpha {

inline constexpr char kShardName[] = "state.safetensors";
inline constexpr char kManifestName[] = "manifest.json";
inline constexpr char kPointerName[] = "published";
inline constexpr char kPointerNextName[] = "published.next";

// A role's folder, held open.  Generation 0: nothing is published.
struct StateFolder {
  const char* path;  // DIR, as it was given
  u64 role;
  int fd;
  u64 published;            // generation
  Digest published_digest;  // of its manifest.json
  Digest state_identity;
};

// What is named in a message: a file of a generation, or of the role's folder when generation is 0.
struct Place {
  const StateFolder& folder;
  u64 generation;
  const char* file;
};
void append(const TextSink&, const Place&);

Text<32> generation_name(u64 generation);  // "generation-3"

// Each sets the failure and returns false.
bool fail_state(Failure* failure, FailureKind kind, const char* text);
// "cannot write DIR/role-0/published: no space left on device"; `error` is minus the error number.
bool fail_call(Failure* failure, FailureKind kind, const char* doing, const Place& place,
               i64 error);

// Flushes a folder's entries.  `name` may be "." for the folder itself.
i64 sync_folder(int folder, const char* name);

}  // namespace alpha
