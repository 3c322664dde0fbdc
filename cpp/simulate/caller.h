// One call of one process on the simulated kernel: what Linux answers, and what it may answer
// instead.
#pragma once

#include <string>
#include <vector>

#include "base/span.h"
#include "simulate/machine.h"

namespace alpha::simulate {

// Error numbers that only the simulated kernel gives.
enum : i64 {
  kBadDescriptor = 9,
  kNoMemory = 12,
  kBusy = 16,
  kNotAFolder = 20,
  kFull = 28,
  kReadOnly = 30,
  kBrokenPipe = 32,
  kNotEmpty = 39,
  kNotASocket = 88,
  kNoOption = 92,
  kAddressNotHere = 99,
  kNoBuffers = 105,
  kNotConnected = 107,
  kTimedOut = 110,
  kRefused = 111,
  kUnreachable = 113,
};

inline constexpr u64 kSlowNs[] = {1'000'000, 50'000'000};

// What a call needs of a disk: that it can be altered, or that it has room as well.
enum class Needs : u8 { nothing, change, room };

struct Caller {
  Machine& machine;
  Process& self;
  Disk& disk;
  Network& network;
  Choices& choices;

  void rough(const std::string& text) { machine.say(self.number, text); }
  void harm(const std::string& text) { machine.harm(self.number, text); }

  Descriptor* descriptor(i64 fd, Descriptor::Kind kind = Descriptor::Kind::closed) {
    if (fd < 0 || fd >= kDescriptorsMax) return nullptr;
    Descriptor& found = self.descriptors[fd];
    if (found.kind == Descriptor::Kind::closed) return nullptr;
    return kind == Descriptor::Kind::closed || found.kind == kind ? &found : nullptr;
  }
  u32 socket_of(i64 fd) {
    const Descriptor* const found = descriptor(fd, Descriptor::Kind::socket);
    return found == nullptr ? kNobody : found->socket;
  }
  i64 new_descriptor(const Descriptor& made) {
    if (self.exhausted) return -kernel::kFilesInProcess;
    for (u64 fd = 0; fd < self.descriptor_count_max; ++fd) {
      if (self.descriptors[fd].kind != Descriptor::Kind::closed) continue;
      self.descriptors[fd] = made;
      return static_cast<i64>(fd);
    }
    return -kernel::kFilesInProcess;
  }

  void anywhere();
  void lose_power();
  i64 read(i64 fd, u8* to, u64 bytes);
  i64 write(i64 fd, const u8* from, u64 bytes);
  i64 open(i64 folder, const char* path, i64 flags);
  i64 disk_trouble(const char* call, Needs needs);
  u32 folder_of(i64 fd);
  i64 open_file(i64 folder, const char* path, i64 flags);
  i64 write_file(Descriptor& to, const u8* from, u64 bytes);
  i64 flush(i64 fd);
  i64 rename(i64 folder, const char* from, const char* to);
  i64 make_folder(i64 folder, const char* path);
  i64 remove(i64 folder, const char* path);
  i64 list(i64 fd, u8* to, u64 bytes);
  i64 file_bytes(i64 fd);
  i64 map_file(i64 fd);
  i64 close(i64 fd);
  i64 duplicate(i64 fd, i64 onto);
  i64 close_range(i64 first);
  i64 map(u64 bytes);
  i64 limit(const kernel::Limit* to, kernel::Limit* from);
  i64 socket();
  i64 bind(u32 socket, u16 port);
  i64 listen(u32 socket);
  i64 accept(u32 socket, i64 address);
  i64 connect(u32 socket, u16 port);
  i64 name(u32 socket, i64 address, bool peer);
  i64 pending(u32 socket, i32* value);
  i64 send(u32 socket, Span<const kernel::Piece> pieces);
  i64 damage(u32 socket, u32 kind, std::vector<u8>& bytes);
  i64 receive(u32 socket, u8* to, u64 bytes);
  i64 shut_down(u32 socket);
  i64 poll(kernel::Poll* entries, u64 count, const kernel::Time& timeout);
  u64 ready(kernel::Poll* entries, u64 count);
  u16 happened(const kernel::Poll& entry);
};

}  // namespace alpha::simulate
