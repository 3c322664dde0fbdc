// Looking at a generation that lies on disk: is it whole, and is it this learner's.
#include "base/memory.h"
#include "state/file.h"
#include "state/manifest.h"
#include "state/read.h"

namespace alpha {
namespace {

bool fail_place(Failure* failure, FailureKind kind, const Place& place, const char* what) {
  Text<500> text;
  text.add(place, ": ", what);
  return fail_state(failure, kind, text.c_str());
}

bool check_shard(const StateFolder& folder, u64 generation, u64 bytes, const Digest& sha256_,
                 Failure* failure) {
  const Place place = {folder, generation, kShardName};
  Text<64> path;
  path.add(generation_name(generation).c_str(), "/", kShardName);
  InputFile shard;
  const i64 opened = shard.open(folder.fd, path.c_str());
  if (opened < 0) return fail_call(failure, FailureKind::checkpoint, "read", place, opened);
  if (shard.bytes() != bytes || !(sha256(shard.first(), bytes) == sha256_)) {
    return fail_place(failure, FailureKind::checkpoint, place,
                      "not the file that the manifest names (altered or cut short)");
  }
  return true;
}

}  // namespace

bool check_generation(const StateFolder& folder, u64 generation, const Digest* expected,
                      Digest* found, Failure* failure) {
  const Place place = {folder, generation, kManifestName};
  Text<64> path;
  path.add(generation_name(generation).c_str(), "/", kManifestName);
  InputFile manifest;
  const i64 opened = manifest.open(folder.fd, path.c_str());
  if (opened < 0) return fail_call(failure, FailureKind::checkpoint, "read", place, opened);
  *found = sha256(manifest.first(), manifest.bytes());
  if (expected != nullptr && !(*found == *expected)) {
    return fail_place(failure, FailureKind::checkpoint, place,
                      "not the manifest that was published (altered or cut short)");
  }
  // Written by write_manifest, so every key has one form; a line break never stands inside a name.
  Scanner scan = {manifest.first(), manifest.bytes()};
  u64 role = 0;
  u64 number = 0;
  u64 bytes = 0;
  Digest identity;
  Digest shard;
  const bool read = scan.skip_past("{\n  \"format\": 1,\n  \"role\": ") && scan.number(&role) &&
                    scan.skip_past("\n  \"generation\": ") && scan.number(&number) &&
                    scan.skip_past("\n  \"state_identity\": \"") && scan.digest(&identity) &&
                    scan.skip_past("\n  \"shard\": ") && scan.skip_past("\"bytes\": ") &&
                    scan.number(&bytes) && scan.skip_past("\"sha256\": \"") &&
                    scan.digest(&shard) && scan.ends_with("\n}\n");
  if (!read || role != folder.role || number != generation) {
    return fail_place(failure, FailureKind::checkpoint, place,
                      "not a whole manifest of this role and generation");
  }
  if (!(identity == folder.state_identity)) {
    return fail_place(failure, FailureKind::admission, place,
                      "the state of another learner or contract; give --state another folder, or "
                      "move this one away");
  }
  return check_shard(folder, generation, bytes, shard, failure);
}

}  // namespace alpha
