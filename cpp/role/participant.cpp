// Memory and the walk: what every role does, whatever its schedule.
#include "role/participant.h"

#include "base/assert.h"
#include "base/memory.h"
#include "role/canonical.h"
#include "role/print.h"
#include "socket/kernel.h"

namespace alpha {
namespace {

bool uses_staging(const Role& role) {
  bool found = false;
  for_each_step(role.schedule, [&](const Step& step) {
    found = found || (step.op == Op::combine && !step.to.empty()) || step.op == Op::combine_prefix;
  });
  return found && role.contract.order == Order::tree;
}

u64 combined_part_bytes_max(const Participant& participant) {
  u64 most = 0;
  for_each_step(participant.role.schedule, [&](const Step& step) {
    if (step.op != Op::combine_parts || participant.role.contract.order != Order::tree) return;
    const Range own = participant.part_in_bytes(*step.region, participant.position());
    const u64 bytes = own.end - own.begin;
    most = bytes > most ? bytes : most;
  });
  return most;
}

}  // namespace

Participant::Participant(const Role& role_, const Stamp& stamp_, const char* state_folder_)
    : role(role_), stamp(stamp_), state_folder(state_folder_) {
  session.role = stamp.role;
  session.log = print_line;
}

bool Participant::fail_local(const char* text) {
  Text<400> whole;
  whole.add(step_ != nullptr ? step_->place : role.system, ": ", text);
  return fail(FailureKind::local, whole.c_str());
}

bool Participant::prepare() {
  ALPHA_ASSERT(stamp.edges == role.edges);
  if (!layout()) return false;
  const u64 bytes = arena.bytes();
  if (!arena.map()) {
    session.links = {};  // measured only: there is none to abandon
    Text<128> text;
    text.add("memory: this role needs ", bytes, " bytes, which the system does not give");
    return fail(FailureKind::admission, text.c_str());
  }
  return layout();
}

// Runs twice, see arena.h: the same takes in the same order; what depends on memory is filled the
// second time.
bool Participant::layout() {
  session.links = {arena.take<Link>(role.edges), role.edges};
  inbound = arena.take<Inbound>(role.edges);
  outbound = arena.take<Outbound>(role.edges);
  versions = arena.take<u64>(role.regions.size());
  buffers = arena.take<u8*>(role.buffers.size());
  twins = arena.take<u8*>(role.buffers.size());
  for (u64 i = 0; i < role.buffers.size(); ++i) {
    u8* const memory = arena.take<u8>(role.buffers[i].bytes);
    if (arena.mapped()) buffers[i] = memory;
  }
  for_each_step(role.schedule, [&](const Step& step) {
    if (step.op != Op::exchange || role.contract.order != Order::tree) return;
    u8* const memory = arena.take<u8>(step.region->bytes);
    if (arena.mapped()) twins[step.region->buffer] = memory;
  });
  const u64 edges = role.edges;
  const u64 part_bytes = combined_part_bytes_max(*this);
  parts = arena.take<u8>(edges * part_bytes);
  contributions = arena.take<void*>(part_bytes == 0 ? 0 : edges + 1);
  u64 frames = 1;
  for (const Region& region : role.regions) {
    const u64 count = frame_count(region.bytes, role.frame_bytes);
    frames = count > frames ? count : frames;
  }
  session.digests = {arena.take<Digest>(frames), frames};
  if (uses_staging(role)) {
    const u64 staged = role.edges < kStagedFramesMax ? role.edges : kStagedFramesMax;
    staging = arena.take<u8>(staged * role.frame_bytes);
  }
  if (role.contract.order == Order::canonical) layout_canonical(*this);
  if (arena.mapped()) {
    fill_session();
    fill_buffers();
  }
  return role.learner == nullptr || role.learner->prepare(*this);
}

u64 Participant::position() const {
  const EdgeRow* const rows = stamped<EdgeRow>(stamp.edge_rows);
  u64 lower = 0;
  while (lower < role.edges && rows[lower].peer < stamp.role) ++lower;
  return lower;
}

// Slots are the other members in order.
u64 Participant::peer_position(Slot slot) const {
  return slot < position() ? u64{slot} : u64{slot} + 1;
}

Range Participant::part_of(u64 count, u64 position) const {
  const u64 members = u64{role.edges} + 1;
  const u64 size = count / members;
  const u64 larger = count % members;
  const u64 begin = position * size + (position < larger ? position : larger);
  return {begin, begin + size + (position < larger ? 1 : 0)};
}

Range Participant::part_in_bytes(const Region& region, u64 position) const {
  const u64 width = element_bytes(region.element);
  const Range part = part_of(region.bytes / width, position);
  return {part.begin * width, part.end * width};
}

void Participant::fill_session() {
  copy_bytes(session.run, stamp.run, sizeof session.run);
  session.frame_bytes = role.frame_bytes;
  session.budgets = {stamp.connect_ns, stamp.accept_ns, stamp.wait_ns, stamp.frame_ns,
                     stamp.session_ns};
  if (stamp.session_ns != 0) session.session_deadline_ns = monotonic_ns() + stamp.session_ns;
  const EdgeRow* rows = stamped<EdgeRow>(stamp.edge_rows);
  for (u64 slot = 0; slot < role.edges; ++slot) {
    Link& link = session.links[slot];
    link = Link();
    link.peer = rows[slot].peer;
    link.lower = stamp.role < rows[slot].peer;
    link.listen_address = rows[slot].listen_address;
    link.dial_address = rows[slot].dial_address;
    link.listen_port = rows[slot].listen_port;
    link.dial_port = rows[slot].dial_port;
    link.shared = rows[slot].shared != 0;
  }
}

void Participant::fill_buffers() {
  for (u64 i = 0; i < role.buffers.size(); ++i) {
    const Buffer& buffer = role.buffers[i];
    const u64 width = element_bytes(buffer.element);
    for (u64 at = 0; buffer.initial != 0 && at < buffer.bytes; at += width) {
      copy_bytes(buffers[i] + at, &buffer.initial, width);
    }
  }
}

bool Participant::walk(Span<const Step> steps) {
  for (u64 i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    step_ = &step;
    following_ = i + 1 < steps.size() ? &step + 1 : nullptr;
    session.flight.place = step.place;
    switch (step.op) {
      case Op::repeat:
        if (!repeat(step)) return false;
        break;
      case Op::every:
        if ((round_ + 1) % step.count != 0 && round_ + 1 != rounds_ && !ending_) break;
        if (!walk(step.body)) return false;
        break;
      default:
        if (!step.work(*this)) {
          // A user's operation may say no without a word.
          if (session.failure.kind == FailureKind::none) fail_local("the operation failed");
          return false;
        }
    }
    if (session.failure.kind != FailureKind::none) return false;
    if (taken_) ++i;
    taken_ = false;
  }
  return true;
}

bool Participant::repeat(const Step& step) {
  const u64 outer_round = round_;
  const u64 outer_rounds = rounds_;
  rounds_ = step.count;
  for (round_ = 0; round_ < step.count && !ending_; ++round_) {
    if (!walk(step.body)) return false;
  }
  ending_ = false;
  round_ = outer_round;
  rounds_ = outer_rounds;
  return true;
}

bool Participant::arm(const Region& region, u64 total, Transfer* transfer) {
  const u64 index = static_cast<u64>(&region - role.regions.data());
  ALPHA_ASSERT(index < role.regions.size());
  const u64 version = versions[index] + 1;
  if (version > region.uses) {
    Text<128> text;
    text.add("region ", region.number, ": version ", version, " is past the compiled bound ",
             region.uses);
    return fail(FailureKind::version, text.c_str());
  }
  versions[index] = version;
  *transfer = {region.number, version, total, region.element, step_->place};
  return true;
}

}  // namespace alpha
