// The simulated kernel's calls: to whom each goes, and those on files, memory and the process.
#include <algorithm>
#include <cstring>

#include "base/byte_order.h"
#include "base/limits.h"
#include "simulate/caller.h"

namespace alpha {

namespace kernel {

i64 call(Call number, i64 a, i64 b, i64 c, i64 d, i64 e, i64) {
  return simulate::current()->call(number, a, b, c, d, e);
}

}  // namespace kernel

namespace simulate {

namespace {

using kernel::Call;

template <class T>
T* at(i64 address) {
  return reinterpret_cast<T*>(address);
}

u16 port_at(i64 address) { return load_big16(at<const kernel::SocketAddress>(address)->port); }

}  // namespace

// At any call another process may run first; or this one is killed, or stopped, or its machine
// loses power.
void Caller::anywhere() {
  constexpr u32 kScarcity = 8;  // there are many calls
  switch (choices.pick(1, machine.loses_power ? 3 : 2, kScarcity)) {
    case 1:
      rough("another runs first");
      machine.make_ready(self);
      machine.leave(self, Process::State::ready);
      break;
    case 2:
      machine.die(self, Process::State::killed, "killed");
      break;
    case 3:
      machine.die(self, Process::State::stopped, "stopped");
      break;
    case 4:
      lose_power();
      break;
    default:
      break;
  }
}

void Caller::lose_power() {
  disk.lose_power(choices);
  machine.die(self, Process::State::killed, "loses power");
}

i64 Caller::read(i64 fd, u8* to, u64 bytes) {
  if (descriptor(fd, Descriptor::Kind::ports_in) == nullptr) return -kBadDescriptor;
  u64 count = std::min(bytes, self.ports_in_arrived - self.ports_in_read);
  const u32 picked = choices.pick(3, 2);
  if (picked == 1) return rough("read: interrupted"), -kernel::kInterrupted;
  if (picked == 2) return rough("read: would block"), -kernel::kAgain;
  if (picked == 3) rough("read: one byte"), count = std::min<u64>(count, 1);
  if (picked == 4) return harm("read: end of stream"), 0;
  if (picked == 5) return harm("read: input or output error"), -kernel::kIo;
  if (count == 0) return self.ports_in_ended ? 0 : -kernel::kAgain;
  std::memcpy(to, self.ports_in.data() + self.ports_in_read, count);
  self.ports_in_read += count;
  return static_cast<i64>(count);
}

i64 Caller::write(i64 fd, const u8* from, u64 bytes) {
  constexpr char kAssertion[] = "alpha-build: assertion failed";
  Descriptor* const to = descriptor(fd);
  if (to == nullptr) return -kBadDescriptor;
  if (to->kind == Descriptor::Kind::null) return static_cast<i64>(bytes);
  if (to->kind == Descriptor::Kind::file) return write_file(*to, from, bytes);
  const u32 picked = choices.pick(2, to->kind == Descriptor::Kind::ports_out ? 1 : 0);
  if (picked == 1) return rough("write: interrupted"), -kernel::kInterrupted;
  if (picked == 2 && bytes > 1) rough("write: one byte"), bytes = 1;
  if (picked == 3) return harm("write: broken pipe"), -kBrokenPipe;
  if (to->kind == Descriptor::Kind::ports_out) {
    self.ports_out.insert(self.ports_out.end(), from, from + bytes);
    machine.announce(self);
  } else {
    self.messages.append(reinterpret_cast<const char*>(from), bytes);
    if (self.messages.find(kAssertion) != std::string::npos && self.messages.back() == '\n') {
      machine.die(self, Process::State::asserted, self.messages.c_str());
    }
  }
  return static_cast<i64>(bytes);
}

i64 Caller::open(i64 folder, const char* path, i64 flags) {
  if (choices.pick(0, 1) == 1) return harm("open: too many files"), -kernel::kFilesInProcess;
  if (std::strcmp(path, "/dev/null") != 0) return open_file(folder, path, flags);
  return new_descriptor({.kind = Descriptor::Kind::null});
}

i64 Caller::close(i64 fd) {
  Descriptor* const found = descriptor(fd);
  if (found == nullptr) return -kBadDescriptor;
  if (found->kind == Descriptor::Kind::socket) network.close(found->socket);
  *found = {};
  if (choices.pick(1, 0) == 1) return rough("close: interrupted"), -kernel::kInterrupted;
  return 0;
}

i64 Caller::duplicate(i64 fd, i64 onto) {
  if (descriptor(fd) == nullptr || onto < 0 || onto >= kDescriptorsMax) return -kBadDescriptor;
  if (choices.pick(0, 1) == 1) return harm("duplicate: busy"), -kBusy;
  self.descriptors[onto] = self.descriptors[fd];
  return onto;
}

i64 Caller::close_range(i64 first) {
  if (choices.pick(1, 0) == 1) return rough("close_range: no such call"), -kernel::kNoCall;
  for (i64 fd = first; fd < kDescriptorsMax; ++fd) self.descriptors[fd] = {};
  return 0;
}

i64 Caller::map(u64 bytes) {
  if (choices.pick(0, 1) == 1) return harm("map: out of memory"), -kNoMemory;
  const u64 begin = (self.memory_used + 63) / 64 * 64;
  if (begin + bytes + 64 > self.memory.size()) {
    if (self.memory_used != 0) return -kNoMemory;  // what was given may not move
    self.memory.resize(begin + bytes + 64);
  }
  u8* const first = self.memory.data() + begin;
  u8* const aligned = first + (64 - reinterpret_cast<u64>(first) % 64) % 64;
  std::memset(aligned, 0, bytes);
  self.memory_used = begin + bytes + 64;
  return reinterpret_cast<i64>(aligned);
}

i64 Caller::limit(const kernel::Limit* to, kernel::Limit* from) {
  if (to != nullptr) return 0;
  if (self.descriptor_count_max == kDescriptorsMax && choices.pick(0, 1) == 1) {
    harm("few descriptors are all");
    self.descriptor_count_max = kDescriptorsSpare + 1;
  }
  if (from != nullptr) *from = {self.descriptor_count_max, self.descriptor_count_max};
  return 0;
}

i64 Machine::call(Call number, i64 a, i64 b, i64 c, i64 d, i64 e) {
  Process& self = *running_;
  Caller caller = {*this, self, disks[self.number], network, choices};
  network.now_ns += kCallNs;
  if (number == Call::clock_gettime) {
    *at<kernel::Time>(b) = {static_cast<i64>(network.now_ns / 1'000'000'000),
                            static_cast<i64>(network.now_ns % 1'000'000'000)};
    return 0;
  }
  if (++self.calls > kCallsMax) die(self, Process::State::spinning, "spins");
  while (network.next_ns() <= network.now_ns) happen(network.take());
  caller.anywhere();
  const u32 socket = caller.socket_of(a);
  switch (number) {
    case Call::read:
      return caller.read(a, at<u8>(b), static_cast<u64>(c));
    case Call::write:
      return caller.write(a, at<const u8>(b), static_cast<u64>(c));
    case Call::close:
      return caller.close(a);
    case Call::openat:
      return caller.open(a, at<const char>(b), c);
    case Call::fsync:
      return caller.flush(a);
    case Call::renameat:
      return caller.rename(a, at<const char>(b), at<const char>(d));
    case Call::mkdirat:
      return caller.make_folder(a, at<const char>(b));
    case Call::unlinkat:
      return caller.remove(a, at<const char>(b));
    case Call::getdents64:
      return caller.list(a, at<u8>(b), static_cast<u64>(c));
    case Call::lseek:
      return caller.file_bytes(a);
    case Call::dup3:
      return caller.duplicate(a, b);
    case Call::fcntl:
      return caller.descriptor(a) == nullptr ? -kBadDescriptor : 0;
    case Call::close_range:
      return caller.close_range(a);
    case Call::mmap:
      return e < 0 ? caller.map(static_cast<u64>(b)) : caller.map_file(e);
    case Call::munmap:
    case Call::rt_sigaction:
      return 0;
    case Call::sched_getaffinity:
      *at<u8>(c) = 1;  // one core for all, so nobody spins
      return 8;
    case Call::sched_yield:
      return 0;
    case Call::prlimit64:
      return caller.limit(at<const kernel::Limit>(c), at<kernel::Limit>(d));
    case Call::socket:
      return caller.socket();
    case Call::ppoll:
      return caller.poll(at<kernel::Poll>(a), static_cast<u64>(b), *at<const kernel::Time>(c));
    default:
      break;
  }
  if (socket == kNobody) return caller.descriptor(a) == nullptr ? -kBadDescriptor : -kNotASocket;
  switch (number) {
    case Call::bind:
      return caller.bind(socket, port_at(b));
    case Call::listen:
      return caller.listen(socket);
    case Call::accept4:
      return caller.accept(socket, b);
    case Call::connect:
      return caller.connect(socket, port_at(b));
    case Call::getsockname:
    case Call::getpeername:
      return caller.name(socket, b, number == Call::getpeername);
    case Call::setsockopt:
      if (choices.pick(1, 0, 8) == 0) return 0;
      return caller.rough("setsockopt: no such option"), -kNoOption;
    case Call::getsockopt:
      return caller.pending(socket, at<i32>(d));
    case Call::sendto: {
      const kernel::Piece whole = {at<u8>(b), static_cast<u64>(c)};
      return caller.send(socket, {&whole, 1});
    }
    case Call::sendmsg: {
      const auto* const message = at<const kernel::Message>(b);
      return caller.send(socket, {message->pieces, message->piece_count});
    }
    case Call::recvfrom:
      return caller.receive(socket, at<u8>(b), static_cast<u64>(c));
    case Call::shutdown:
      return caller.shut_down(socket);
    default:
      return -kernel::kNoCall;
  }
}

}  // namespace simulate

}  // namespace alpha
