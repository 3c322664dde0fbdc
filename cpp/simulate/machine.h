// A machine whose processes are roles: descriptors, waiting, time and faults.  One schedule is one
// run of it; nothing in it depends on anything but its choices.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "simulate/choices.h"
#include "simulate/disk.h"
#include "simulate/fiber.h"
#include "simulate/network.h"
#include "socket/kernel.h"

namespace alpha::simulate {

inline constexpr u32 kDescriptorsMax = 64;  // of one process
inline constexpr u64 kCallNs = 1'000;       // what a call costs
inline constexpr u64 kCallsMax = 200'000;   // of one process: beyond, it spins

struct Descriptor {
  enum class Kind : u8 { closed, null, ports_out, ports_in, messages, socket, file };
  Kind kind = Kind::closed;
  u32 socket = kNobody;
  u32 file = kNoFile;  // or folder
  u64 offset = 0;      // in it
};

struct Process {
  enum class State : u8 { unborn, ready, waiting, ended, killed, stopped, asserted, spinning };

  void clear();

  State state = State::unborn;
  Fiber fiber;
  u32 number = 0;
  int exit_code = -1;
  u64 ended_ns = 0;
  u64 calls = 0;
  Descriptor descriptors[kDescriptorsMax];
  u64 descriptor_count_max = kDescriptorsMax;
  bool exhausted = false;  // no further descriptor, ever
  // A wait: what it is for, and its number, so that a late timer wakes nobody.
  const kernel::Poll* polled = nullptr;
  u64 polled_count = 0;
  u64 wait_number = 0;
  std::vector<u32> held;  // sockets of connections that it ever had
  std::string messages;   // descriptor 2
  std::vector<u8> ports_out, ports_in;
  u64 ports_in_arrived = 0, ports_in_read = 0;
  bool ports_in_ended = false;
  // Memory that the process has mapped: zero when it is given.
  std::vector<u8> memory;
  u64 memory_used = 0;
  std::deque<std::vector<u8>> mapped;  // files, as they were then
};

class Machine {
 public:
  explicit Machine(u32 processes);

  // Starts all processes afresh, on the disks as they are; `main` runs on each process's stack and
  // gives its exit code.
  void begin(int (*main)(void* given, u32 process), void* given);
  void run();  // until nobody has anything left to do

  // The system call of the process that runs now.
  i64 call(kernel::Call, i64 a, i64 b, i64 c, i64 d, i64 e);

  void* context = nullptr;
  Choices choices;
  Network network;
  std::vector<Process> processes;
  std::vector<Disk> disks;   // one a process
  bool loses_power = false;  // whether processes may end so
  std::vector<std::vector<u32>>
      ports_to;  // for each process: who reads each port that it announces
  std::vector<std::vector<u32>> ports_of;  // for each process: whose ports it reads, in order
  bool tell = false;
  std::vector<std::string> story;  // what departed from calm, when `tell`; of all lives
  u64 harms = 0;                   // how many departures a run need not survive
  u64 last_harm_ns = 0;

  void say(u32 process, const std::string& text);
  void harm(u32 process, const std::string& text);

 private:
  friend struct Caller;

  void resume(Process&);
  void happen(const Event&);
  void look(u32 socket);
  void make_ready(Process&);
  void wait(Process&);
  void leave(Process&, Process::State);
  void die(Process&, Process::State, const char* how);
  void close_all(Process&);
  void announce(Process&);
  void knock(u32 listener, u64 kind);
  u64 poll_once(Process&, kernel::Poll* entries, u64 count);

  int (*main_)(void*, u32) = nullptr;
  Process* running_ = nullptr;
  std::vector<u32> ready_;
};

// The machine whose process runs on this thread.
Machine*& current();

}  // namespace alpha::simulate
