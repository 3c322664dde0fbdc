// The generations of one role, see generation.h.
#include "state/generation.h"

#include "base/memory.h"
#include "socket/kernel.h"
#include "state/file.h"
#include "state/read.h"

namespace alpha {
namespace {

// The published pointer, when there is one: "G HEX\n" and nothing else.
bool read_pointer(StateFolder* folder, Failure* failure) {
  InputFile pointer;
  const i64 opened = pointer.open(folder->fd, kPointerName);
  if (opened == -kernel::kNoEntry) return true;
  const Place place = {*folder, 0, kPointerName};
  if (opened < 0) return fail_call(failure, FailureKind::checkpoint, "read", place, opened);
  Scanner scan = {pointer.first(), pointer.bytes()};
  const bool read = scan.number(&folder->published) && folder->published != 0 && scan.skip(" ") &&
                    scan.digest(&folder->published_digest) && scan.skip("\n") && scan.bytes == 0;
  if (!read) {
    Text<500> text;
    text.add(place, ": malformed; it should be one line, a generation and a digest");
    return fail_state(failure, FailureKind::checkpoint, text.c_str());
  }
  Digest found;
  return check_generation(*folder, folder->published, &folder->published_digest, &found, failure);
}

// A generation number from "generation-N"; 0 for any other name.
u64 generation_of(const char* name) {
  Scanner scan = {name, length(name)};
  u64 number = 0;
  const bool read = scan.skip("generation-") && scan.number(&number) && scan.bytes == 0;
  return read ? number : 0;
}

constexpr const char* kFiles[] = {kShardName, kManifestName};

void remove_generation(const StateFolder& folder, u64 generation) {
  const Text<32> name = generation_name(generation);
  for (const char* const file : kFiles) {
    Text<64> path;
    path.add(name.c_str(), "/", file);
    kernel::unlink_at(folder.fd, path.c_str());
  }
  kernel::remove_folder_at(folder.fd, name.c_str());
}

}  // namespace

bool agree_generation(StateFolder* folder, u64 generation, Failure* failure) {
  if (generation == folder->published) return true;
  const Place here = {*folder, 0, ""};
  if (generation < folder->published) {
    Text<500> text;
    text.add(
        "the root has published generation ", generation, ", but ", here, " holds generation ",
        folder->published,
        ": a state folder of another run; give every role its own again, or --state an empty one");
    return fail_state(failure, FailureKind::checkpoint, text.c_str());
  }
  Failure why;
  Digest manifest;
  if (!check_generation(*folder, generation, nullptr, &manifest, &why)) {
    Text<500> text;
    text.add("the root has published generation ", generation,
             ", which is not here: ", why.text.c_str());
    return fail_state(failure, why.kind, text.c_str());
  }
  return publish_generation(folder, generation, manifest, failure);
}

bool publish_generation(StateFolder* folder, u64 generation, const Digest& manifest,
                        Failure* failure) {
  OutputFile pointer(folder->fd, {*folder, 0, kPointerNextName});
  pointer.number(generation);
  pointer.text(" ");
  pointer.hex(manifest);
  pointer.text("\n");
  Digest ignored;
  if (!pointer.finish(&ignored, failure)) return false;
  const Place place = {*folder, 0, kPointerName};
  const i64 renamed = kernel::rename_at(folder->fd, kPointerNextName, folder->fd, kPointerName);
  if (renamed < 0) return fail_call(failure, FailureKind::checkpoint, "rename", place, renamed);
  const i64 synced = sync_folder(folder->fd, ".");
  if (synced < 0) return fail_call(failure, FailureKind::checkpoint, "flush", place, synced);
  folder->published = generation;
  folder->published_digest = manifest;
  return true;
}

void remove_older(const StateFolder& folder) {
  const i64 fd = kernel::open_at(folder.fd, ".", kernel::kOpenRead | kernel::kOpenDirectory);
  if (fd < 0) return;
  // struct linux_dirent64: 8 bytes inode, 8 offset, 2 length of the record, 1 type, then the name.
  constexpr u64 kLengthAt = 16;
  constexpr u64 kNameAt = 19;
  alignas(8) u8 records[2048] = {};
  for (;;) {
    const i64 filled = kernel::list_folder(static_cast<int>(fd), records, sizeof records);
    if (filled <= 0) break;
    for (u64 at = 0; at < static_cast<u64>(filled);) {
      u16 record_bytes;
      copy_bytes(&record_bytes, records + at + kLengthAt, sizeof record_bytes);
      const u64 generation = generation_of(reinterpret_cast<const char*>(records + at + kNameAt));
      if (generation != 0 && generation < folder.published) remove_generation(folder, generation);
      at += record_bytes;
    }
  }
  kernel::close(static_cast<int>(fd));
}

bool open_state_folder(const char* path, u64 role, const u8* state_identity, StateFolder* folder,
                       Failure* failure) {
  folder->path = path;
  folder->role = role;
  folder->published = 0;
  copy_bytes(folder->state_identity.byte, state_identity, sizeof(Digest));
  return open_role_folder(folder, failure) && read_pointer(folder, failure);
}

}  // namespace alpha
