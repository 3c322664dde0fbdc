// Calls on a disk's files and folders, and what a disk may answer instead.
#include <algorithm>
#include <cstring>

#include "simulate/caller.h"

namespace alpha::simulate {

// What may happen at any call on a disk: an error number, or 0 to go on.
i64 Caller::disk_trouble(const char* call, Needs needs) {
  if (needs != Needs::nothing && disk.read_only) return kReadOnly;
  if (needs == Needs::room && disk.full) return kFull;
  constexpr u32 kFrequency = 8;  // such calls are few among all
  const u32 picked = choices.pick(0, 3 + static_cast<u32>(needs), 1, kFrequency);
  if (picked == 0) return 0;
  // Neither returns, so no string may be alive here.
  if (picked == 1) lose_power();
  if (picked == 2) machine.die(self, Process::State::killed, "killed");
  const std::string front = call;
  if (picked == 3) return harm(front + ": input or output error"), kernel::kIo;
  if (picked == 4) {
    disk.read_only = true;
    return harm(front + ": from now on the disk is read-only"), kReadOnly;
  }
  disk.full = true;
  return harm(front + ": from now on the disk is full"), kFull;
}

u32 Caller::folder_of(i64 fd) {
  if (fd == kernel::kCurrentFolder) return 0;
  const Descriptor* const found = descriptor(fd, Descriptor::Kind::file);
  return found != nullptr && disk[found->file].folder ? found->file : kNoFile;
}

i64 Caller::open_file(i64 folder, const char* path, i64 flags) {
  const u32 from = folder_of(folder);
  if (from == kNoFile) return -kBadDescriptor;
  const bool writes = (flags & (kernel::kOpenWrite | kernel::kOpenReadWrite)) != 0;
  if (const i64 error = disk_trouble("open", writes ? Needs::room : Needs::nothing)) return -error;
  u32 file = disk.find(from, path);
  if (file == kNoFile && (flags & kernel::kOpenCreate) != 0) {
    std::string name;
    const u32 in = disk.above(from, path, &name);
    if (in != kNoFile) file = disk.make(in, name, false);
  }
  if (file == kNoFile) return -kernel::kNoEntry;
  if ((flags & kernel::kOpenDirectory) != 0 && !disk[file].folder) return -kNotAFolder;
  if ((flags & kernel::kOpenTruncate) != 0) disk.empty(file);
  return new_descriptor({.kind = Descriptor::Kind::file, .file = file});
}

i64 Caller::write_file(Descriptor& to, const u8* from, u64 bytes) {
  const u32 picked = choices.pick(3, 0);
  if (picked == 1) return rough("write: interrupted"), -kernel::kInterrupted;
  if (picked == 2) rough("write: one byte"), bytes = std::min<u64>(bytes, 1);
  if (picked == 3) rough("write: half"), bytes = (bytes + 1) / 2;
  const i64 error = disk_trouble("write", Needs::room);
  // A disk that fills up, or fails, may have taken some.
  if (error != 0) bytes /= 2;
  disk.write(to.file, to.offset, from, bytes);
  to.offset += bytes;
  return error != 0 ? -error : static_cast<i64>(bytes);
}

i64 Caller::flush(i64 fd) {
  const Descriptor* const found = descriptor(fd, Descriptor::Kind::file);
  if (found == nullptr) return -kernel::kInvalid;
  const i64 error = disk_trouble("flush", Needs::change);
  if (error == 0) return disk.flush(found->file), 0;
  disk.forsake(found->file);
  return -error;
}

i64 Caller::rename(i64 folder, const char* from, const char* to) {
  const u32 in = folder_of(folder);
  if (in == kNoFile) return -kBadDescriptor;
  const u32 file = disk.find(in, from);
  if (file == kNoFile) return -kernel::kNoEntry;
  const i64 error = disk_trouble("rename", Needs::room);
  // What is said to have failed may have been done all the same.
  if (error != 0 && (error != kernel::kIo || choices.below(2) == 0)) return -error;
  disk.set(in, from, kNoFile);
  disk.set(in, to, file);
  return -error;
}

i64 Caller::make_folder(i64 folder, const char* path) {
  const u32 from = folder_of(folder);
  if (from == kNoFile) return -kBadDescriptor;
  if (disk.find(from, path) != kNoFile) return -kernel::kExists;
  if (const i64 error = disk_trouble("make", Needs::room)) return -error;
  std::string name;
  const u32 in = disk.above(from, path, &name);
  if (in == kNoFile) return -kernel::kNoEntry;
  disk.make(in, name, true);
  return 0;
}

i64 Caller::remove(i64 folder, const char* path) {
  const u32 from = folder_of(folder);
  if (from == kNoFile) return -kBadDescriptor;
  const u32 file = disk.find(from, path);
  if (file == kNoFile) return -kernel::kNoEntry;
  if (!disk[file].names.empty()) return -kNotEmpty;
  if (const i64 error = disk_trouble("remove", Needs::change)) return -error;
  std::string name;
  const u32 in = disk.above(from, path, &name);
  disk.set(in, name, kNoFile);
  return 0;
}

// All of it in one call: records of struct linux_dirent64.
i64 Caller::list(i64 fd, u8* to, u64 bytes) {
  constexpr u64 kBytesAt = 16;
  constexpr u64 kNameAt = 19;
  Descriptor* const found = descriptor(fd, Descriptor::Kind::file);
  if (found == nullptr) return -kBadDescriptor;
  if (const i64 error = disk_trouble("list", Needs::nothing)) return -error;
  if (found->offset != 0) return 0;
  found->offset = 1;
  u64 at = 0;
  for (const auto& [name, file] : disk[found->file].names) {
    const u16 record_bytes = static_cast<u16>((kNameAt + name.size() + 1 + 7) / 8 * 8);
    if (at + record_bytes > bytes) break;
    std::memset(to + at, 0, record_bytes);
    std::memcpy(to + at + kBytesAt, &record_bytes, sizeof record_bytes);
    std::memcpy(to + at + kNameAt, name.data(), name.size());
    at += record_bytes;
  }
  return static_cast<i64>(at);
}

i64 Caller::file_bytes(i64 fd) {
  const Descriptor* const found = descriptor(fd, Descriptor::Kind::file);
  if (found == nullptr) return -kBadDescriptor;
  return static_cast<i64>(disk[found->file].bytes.size());
}

i64 Caller::map_file(i64 fd) {
  const Descriptor* const found = descriptor(fd, Descriptor::Kind::file);
  if (found == nullptr) return -kBadDescriptor;
  if (choices.pick(0, 1) == 1) return harm("map: out of memory"), -kNoMemory;
  self.mapped.push_back(disk[found->file].bytes);
  return reinterpret_cast<i64>(self.mapped.back().data());
}

}  // namespace alpha::simulate
