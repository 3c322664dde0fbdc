// What must hold of every schedule: completion with the right bytes, or a named end; in time;
// nothing left open; nothing altered that is taken for whole.
#include "base/failure.h"
#include "simulate/world.h"

namespace alpha::simulate {

namespace {

constexpr u64 kSlackNs = 2'000'000'000;  // late starts and slow segments
constexpr u64 kOpeningBytes = kHeaderBytes + kTrailerBytes;

// The words of an exit code stand at the front of its line.
bool named(int code, const std::string& text) {
#define ALPHA_NAMED(kind, number, words) \
  if (code == (number) && text.rfind(words ": ", 0) == 0) return true;
  ALPHA_FAILURES(ALPHA_NAMED)
#undef ALPHA_NAMED
  return false;
}

}  // namespace

std::string World::wrong(u32 role, const char* text) const {
  return "role " + std::to_string(role) + " " + text;
}

std::string World::judge(const Result& result) const {
  for (u32 role = 0; role < result.ends.size(); ++role) {
    const End& end = result.ends[role];
    std::string found = judge_end(role, end);
    if (found.empty() && end.state == Process::State::ended) found = judge_wire(role);
    if (found.empty()) found = judge_combine(role);
    if (!found.empty()) return found;
  }
  return {};
}

std::string World::judge_end(u32 role, const End& end) const {
  const Process& process = machine_.processes[role];
  const Seen& seen = seen_[role];
  if (!seen.wrong.empty()) return wrong(role, seen.wrong.c_str());
  switch (end.state) {
    case Process::State::killed:
    case Process::State::stopped:
      return {};
    case Process::State::spinning:
      return wrong(role, "spins");
    case Process::State::asserted:
      return wrong(role, end.text.c_str());
    case Process::State::ended:
      break;
    default:
      return wrong(role, "hangs");
  }
  // The state's folder is held to the end.
  u64 folders = tables_[role].role.learner == nullptr ? 0 : 1;
  for (u64 fd = 3; fd < kDescriptorsMax; ++fd) {
    if (process.descriptors[fd].kind == Descriptor::Kind::closed) continue;
    if (process.descriptors[fd].kind == Descriptor::Kind::file && folders-- != 0) continue;
    return wrong(role, "leaves a descriptor open");
  }
  const std::string front = "alpha-build: role " + std::to_string(role) + ": ";
  if (end.text.rfind(front, 0) != 0 || process.messages.back() != '\n') {
    return wrong(role, "does not say how it ended");
  }
  const std::string said = end.text.substr(front.size());
  if (end.code == 0) {
    if (said.rfind("complete", 0) != 0) return wrong(role, "ends well without saying so");
    if (seen.rounds_checked != plan_.rounds) return wrong(role, "ends well before the last round");
  } else if (!named(end.code, said)) {
    return wrong(role, ("has no name for its end: " + said).c_str());
  }
  const u64 descriptors = 2 * u64{tables_[role].role.edges} + kDescriptorsSpare;
  if (process.descriptor_count_max < descriptors && exit_code(FailureKind::admission) != end.code) {
    return wrong(role, "goes on with fewer descriptors than its edges need");
  }
  if (machine_.harms == 0) {
    return end.code == 0 ? std::string() : wrong(role, ("fails unharmed: " + said).c_str());
  }
  const Budgets& budgets = plan_.budgets;
  const u64 limit_ns = machine_.last_harm_ns + budgets.connect_ns + budgets.accept_ns +
                       budgets.wait_ns + budgets.frame_ns + kSlackNs;
  if (process.ended_ns > limit_ns) return wrong(role, "ends after its budgets");
  return {};
}

// A role that completed has read every edge to its end, so nothing on an open one was altered.
std::string World::judge_wire(u32 role) const {
  if (machine_.processes[role].exit_code != 0) return {};
  for (const u32 socket : machine_.processes[role].held) {
    const Pipe& in = machine_.network[socket].in;
    if (in.altered_at != kNever && in.read > kOpeningBytes) {
      return wrong(role, "completes on altered bytes");
    }
  }
  return {};
}

// While a region is combined it holds partial sums in the declared order, and nothing unverified.
std::string World::judge_combine(u32 role) const {
  const Seen& seen = seen_[role];
  const Process::State state = machine_.processes[role].state;
  if (seen.region == nullptr || state == Process::State::killed) return {};
  // A long payload may land in its final place before its trailer is checked; nobody reads it
  // there.
  if (plan_.exchange || plan_.canonical || plan_.frame_bytes > kShortBodyBytes) return {};
  for (u64 i = 0; i < plan_.elements; ++i) {
    u32 sum = static_cast<u32>(contribution(role, seen.round, i));
    bool found = static_cast<u32>(seen.region[i]) == sum;
    for (const u32 child : children_of(role)) {
      sum += subtotal(child, seen.round, i);
      found = found || static_cast<u32>(seen.region[i]) == sum;
    }
    if (!found && seen.region[i] != total(seen.round, i)) {
      return wrong(role, "has unverified bytes in its sum");
    }
  }
  return {};
}

u32 World::subtotal(u32 role, u64 round, u64 element) const {
  u32 sum = static_cast<u32>(contribution(role, round, element));
  for (const u32 child : children_of(role)) sum += subtotal(child, round, element);
  return sum;
}

}  // namespace alpha::simulate
