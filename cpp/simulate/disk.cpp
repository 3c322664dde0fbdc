// Bodies of the disk; a medium knows no order but that of flushes.
#include "simulate/disk.h"

#include <algorithm>

namespace alpha::simulate {

namespace {

// What of a file that was written and not flushed the medium holds: the old bytes, all new ones,
// fewer, or as many with zeros where they had not arrived.
void tear(Inode& file, Choices& choices) {
  if (!file.written) return;
  const u64 bytes = file.bytes.size();
  const auto part = [&] { return bytes * choices.below(4) / 4; };
  switch (choices.below(4)) {
    case 0:
      file.bytes = file.flushed_bytes;
      break;
    case 1:
      break;
    case 2:
      file.bytes.resize(part());
      break;
    default:
      std::fill(file.bytes.begin() + static_cast<i64>(part()), file.bytes.end(), u8{0});
  }
}

void put_name(std::map<std::string, u32>& names, const Inode::Change& change) {
  if (change.file == kNoFile) {
    names.erase(change.name);
  } else {
    names[change.name] = change.file;
  }
}

// A name is the old or the new one, whatever came of those changed before it.
void forget_names(Inode& folder, Choices& choices) {
  if (folder.changes.empty()) return;
  const u32 picked = choices.below(3);
  if (picked == 1) return;
  folder.names = folder.flushed_names;
  if (picked == 0) return;
  for (const Inode::Change& change : folder.changes) {
    if (choices.below(2) == 1) put_name(folder.names, change);
  }
}

}  // namespace

void Disk::clear() {
  inodes_.assign(1, {});
  inodes_[0].folder = true;
  full = read_only = false;
}

void Disk::start() { full = read_only = false; }

u32 Disk::find(u32 folder, const std::string& path) const {
  for (u64 at = 0; at < path.size();) {
    const u64 end = std::min(path.find('/', at), path.size());
    const std::string name = path.substr(at, end - at);
    at = end + 1;
    if (name.empty() || name == ".") continue;
    if (!inodes_[folder].folder) return kNoFile;
    const auto found = inodes_[folder].names.find(name);
    if (found == inodes_[folder].names.end()) return kNoFile;
    folder = found->second;
  }
  return folder;
}

u32 Disk::above(u32 folder, const std::string& path, std::string* name) const {
  const u64 slash = path.rfind('/');
  *name = slash == std::string::npos ? path : path.substr(slash + 1);
  const u32 found = slash == std::string::npos ? folder : find(folder, path.substr(0, slash));
  return found != kNoFile && inodes_[found].folder ? found : kNoFile;
}

u32 Disk::make(u32 folder, const std::string& name, bool is_folder) {
  const u32 made = static_cast<u32>(inodes_.size());
  inodes_.emplace_back();
  inodes_[made].folder = is_folder;
  set(folder, name, made);
  return made;
}

void Disk::set(u32 folder, const std::string& name, u32 file) {
  Inode& in = inodes_[folder];
  in.changes.push_back({name, file});
  put_name(in.names, in.changes.back());
}

void Disk::empty(u32 file) {
  Inode& it = inodes_[file];
  if (it.bytes.empty()) return;
  it.bytes.clear();
  it.written = true;
  it.forsaken = false;
}

void Disk::write(u32 file, u64 at, const u8* first, u64 bytes) {
  Inode& it = inodes_[file];
  it.bytes.resize(std::max<u64>(it.bytes.size(), at + bytes));
  std::copy(first, first + bytes, it.bytes.begin() + static_cast<i64>(at));
  it.written = true;
}

void Disk::flush(u32 file) {
  Inode& it = inodes_[file];
  if (it.folder) {
    it.flushed_names = it.names;
    it.changes.clear();
  } else if (!it.forsaken) {
    it.flushed_bytes = it.bytes;
    it.written = false;
  }
}

// Most file systems let nothing be written once this has happened.
void Disk::forsake(u32 file) {
  inodes_[file].forsaken = !inodes_[file].folder;
  read_only = true;
}

void Disk::lose_power(Choices& choices) {
  for (Inode& inode : inodes_) {
    tear(inode, choices);
    forget_names(inode, choices);
    inode.flushed_bytes = inode.bytes;
    inode.flushed_names = inode.names;
    inode.changes.clear();
    inode.written = inode.forsaken = false;
  }
}

}  // namespace alpha::simulate
