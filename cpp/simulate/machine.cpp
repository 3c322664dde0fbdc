// Who runs when: ready processes first, then what happens next; a machine with nothing left to
// happen is at rest.
#include "simulate/machine.h"

#include <cstring>

#include "base/byte_order.h"
#include "frame/header.h"

namespace alpha::simulate {

Machine*& current() {
  thread_local Machine* machine = nullptr;
  return machine;
}

void Process::clear() {
  state = State::unborn;
  exit_code = -1;
  ended_ns = calls = 0;
  for (Descriptor& descriptor : descriptors) descriptor = {};
  descriptors[0].kind = Descriptor::Kind::ports_in;
  descriptors[1].kind = Descriptor::Kind::ports_out;
  descriptors[2].kind = Descriptor::Kind::messages;
  descriptor_count_max = kDescriptorsMax;
  exhausted = false;
  polled = nullptr;
  polled_count = wait_number = 0;
  held.clear();
  messages.clear();
  ports_out.clear();
  ports_in.clear();
  ports_in_arrived = ports_in_read = 0;
  ports_in_ended = false;
  memory_used = 0;
  mapped.clear();
}

Machine::Machine(u32 count) : processes(count), disks(count) {
  for (u32 i = 0; i < count; ++i) processes[i].number = i;
}

void Machine::begin(int (*main)(void*, u32), void* given) {
  main_ = main;
  context = given;
  network.clear();
  ready_.clear();
  harms = last_harm_ns = 0;
  for (Process& process : processes) process.clear();
  for (Disk& disk : disks) disk.start();
  for (Process& process : processes) {
    // Started at once, late, or never.
    constexpr u64 kLateNs[] = {0, 1'000'000, 100'000'000};
    const u32 picked = choices.pick(2, 1);
    if (picked == 3) {
      process.state = Process::State::killed;
      process.ports_in_ended = true;
      harm(process.number, "never appears");
      announce(process);
      continue;
    }
    if (picked != 0) say(process.number, "starts late");
    network.post(network.now_ns + kLateNs[picked], Event::Kind::start, process.number);
  }
}

void Machine::run() {
  Machine* const before = current();
  current() = this;
  for (;;) {
    if (!ready_.empty()) {
      Process& process = processes[ready_.front()];
      ready_.erase(ready_.begin());
      resume(process);
    } else if (network.next_ns() != kNever) {
      const Event event = network.take();
      if (event.at_ns > network.now_ns) network.now_ns = event.at_ns;
      happen(event);
    } else {
      break;
    }
  }
  current() = before;
}

void Machine::resume(Process& process) {
  if (process.state == Process::State::unborn) {
    process.fiber.start(
        [](void* given) {
          Machine& machine = *static_cast<Machine*>(given);
          Process& self = *machine.running_;
          self.exit_code = machine.main_(machine.context, self.number);
          self.ended_ns = machine.network.now_ns;
          machine.announce(self);
          machine.leave(self, Process::State::ended);
        },
        this);
  }
  process.state = Process::State::ready;
  running_ = &process;
  process.fiber.enter();
  running_ = nullptr;
}

void Machine::leave(Process& process, Process::State state) {
  process.state = state;
  process.fiber.leave();
}

void Machine::make_ready(Process& process) {
  if (process.state == Process::State::waiting) process.state = Process::State::ready;
  ready_.push_back(process.number);
}

void Machine::wait(Process& process) { leave(process, Process::State::waiting); }

void Machine::close_all(Process& process) {
  for (Descriptor& descriptor : process.descriptors) {
    if (descriptor.kind == Descriptor::Kind::socket) network.close(descriptor.socket);
    descriptor = {};
  }
}

// A process that never comes back: its kernel goes on for one that is only stopped.
void Machine::die(Process& process, Process::State state, const char* how) {
  harm(process.number, how);
  process.ended_ns = network.now_ns;
  if (state != Process::State::stopped) close_all(process);
  process.state = state;
  announce(process);
  process.fiber.leave();
}

void Machine::happen(const Event& event) {
  switch (event.kind) {
    case Event::Kind::wake:
      if (processes[event.whom].state == Process::State::waiting &&
          processes[event.whom].wait_number == event.what) {
        make_ready(processes[event.whom]);
      }
      break;
    case Event::Kind::start:
      ready_.push_back(event.whom);
      break;
    case Event::Kind::stranger:
      knock(event.whom, event.what);
      break;
    default:
      look(network.happen(event));
  }
}

// Something happened to a socket: its process may be waiting for just that.
void Machine::look(u32 socket) {
  if (socket == kNobody || network[socket].owner == kNobody) return;
  Process& process = processes[network[socket].owner];
  if (process.state == Process::State::waiting) make_ready(process);
}

// What a launcher does: tells each process the ports of its lower peers, as they become known.
void Machine::announce(Process& process) {
  const std::vector<u32>& readers = ports_to[process.number];
  for (const u32 number : readers) {
    Process& reader = processes[number];
    reader.ports_in.clear();
    for (const u32 lower : ports_of[number]) {
      const Process& source = processes[lower];
      u64 at = 0;
      while (ports_to[lower][at] != number) ++at;
      if (source.ports_out.size() < 2 * at + 2) {
        const bool over =
            source.state != Process::State::unborn && source.state != Process::State::ready &&
            source.state != Process::State::waiting && source.state != Process::State::stopped;
        reader.ports_in_ended = reader.ports_in_ended || over || source.exit_code >= 0;
        break;
      }
      reader.ports_in.push_back(source.ports_out[2 * at]);
      reader.ports_in.push_back(source.ports_out[2 * at + 1]);
    }
    reader.ports_in_arrived = reader.ports_in.size();
    if (reader.state == Process::State::waiting) make_ready(reader);
  }
}

void Machine::knock(u32 listener, u64 kind) {
  std::string words;
  bool ends = false;
  switch (kind) {
    case 0:
      ends = true;
      break;
    case 1:
      words = "seven b";
      ends = true;
      break;
    case 2:
      break;
    case 3:
      words = "GET / HTTP/1.1\r\nHost: here\r\n\r\n";
      break;
    case 4:
      break;
    case 5:
      words = "ALP";
      break;
    case 6:
      words = "ALPHAFR1";
      break;
    default: {  // the peer, but of another run
      u8 run[32] = {0xff};
      const Header header = opening_header(run, 1, 0);
      words.assign(reinterpret_cast<const char*>(&header), sizeof header);
      words.append(32, 'x');
    }
  }
  look(network.knock(listener, reinterpret_cast<const u8*>(words.data()), words.size(), ends));
}

void Machine::say(u32 process, const std::string& text) {
  if (!tell) return;
  story.push_back(std::to_string((network.now_ns - 1'000'000'000) / 1000) + " us: role " +
                  std::to_string(process) + ", call " + std::to_string(processes[process].calls) +
                  ": " + text);
}

void Machine::harm(u32 process, const std::string& text) {
  ++harms;
  last_harm_ns = network.now_ns;
  say(process, text);
}

}  // namespace alpha::simulate
