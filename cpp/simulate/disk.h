// One role's disk: folders and files as its processes see them, and what of them is left when the
// machine loses power.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulate/choices.h"

namespace alpha::simulate {

inline constexpr u32 kNoFile = ~u32{0};

// A file or a folder.  What is seen is in the machine's memory; what was flushed is on the medium.
struct Inode {
  bool folder = false;
  std::vector<u8> bytes, flushed_bytes;
  bool written = false;  // since it was flushed
  // A flush failed: Linux takes what it could not write for written, so no later one saves it.
  bool forsaken = false;
  struct Change {
    std::string name;
    u32 file;
  };
  std::map<std::string, u32> names, flushed_names;
  std::vector<Change> changes;  // of names since they were flushed, in order
};

class Disk {
 public:
  Disk() { clear(); }
  void clear();
  // What is left is what there is; what was full or had failed may be written again.
  void start();

  bool full = false, read_only = false;

  Inode& operator[](u32 file) { return inodes_[file]; }
  const Inode& operator[](u32 file) const { return inodes_[file]; }

  // The file that a path leads to from a folder, or kNoFile.
  u32 find(u32 folder, const std::string& path) const;
  // The folder that holds the path's last name, or kNoFile; `name` is that one.
  u32 above(u32 folder, const std::string& path, std::string* name) const;
  u32 make(u32 folder, const std::string& name, bool is_folder);
  void set(u32 folder, const std::string& name, u32 file);  // kNoFile: there is none
  void empty(u32 file);
  void write(u32 file, u64 at, const u8* first, u64 bytes);
  void flush(u32 file);
  void forsake(u32 file);  // a flush of it failed

  // Each file and each folder keeps what was flushed; of the rest some, in no order.
  void lose_power(Choices&);

 private:
  std::vector<Inode> inodes_;  // 0: where processes start
};

}  // namespace alpha::simulate
