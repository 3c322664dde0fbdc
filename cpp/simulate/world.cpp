// The roles' tables and stamps, as the projector and the build would make them, and their
// operations.
#include "simulate/world.h"

#include <cstring>

#include "base/memory.h"
#include "role/main.h"
#include "role/steps.h"

namespace alpha::simulate {

namespace {

constexpr u16 kFixedPort = 20'000;

u32 mixed(u64 role, u64 round, u64 element) {
  u64 value =
      role * 0x9e3779b97f4a7c15u + round * 0xbf58476d1ce4e5b9u + element * 0x94d049bb133111ebu;
  value ^= value >> 31;
  value *= 0xd6e8feb86659fd93u;
  return static_cast<u32>(value >> 32);
}

World& world() { return *static_cast<World*>(current()->context); }

u16 port_of(u64 lower, u64 higher) { return static_cast<u16>(kFixedPort + 64 * lower + higher); }

}  // namespace

World::World(const Plan& plan)
    : plan_(plan),
      leaf_(static_cast<u32>(plan.parents.size())),
      tables_(plan.parents.size() + 1),
      machine_(static_cast<u32>(plan.parents.size() + 1)),
      seen_(plan.parents.size() + 1) {
  const u32 roles = static_cast<u32>(tables_.size());
  machine_.ports_to.resize(roles);
  machine_.ports_of.resize(roles);
  for (u32 role = 0; role < roles; ++role) {
    machine_.ports_to[role] = children_of(role);
    if (role != 0) machine_.ports_of[role] = {plan.parents[role - 1]};
    lay_out(role);
    stamp(role);
  }
}

std::vector<u32> World::children_of(u32 role) const {
  std::vector<u32> children;
  for (u32 child = 1; child <= plan_.parents.size(); ++child) {
    if (plan_.parents[child - 1] == role) children.push_back(child);
  }
  return children;
}

// Round: the root decides, a choice that carries a transfer every other round, a combine, its
// delivery, and a look at all of it.
void World::lay_out(u32 role) {
  Tables& own = tables_[role];
  const u64 bytes = 4 * plan_.elements;
  const Slot parent = role == 0 ? kNoSlot : Slot{0};
  const std::vector<u32> children = children_of(role);
  for (u64 i = 0; i < children.size(); ++i) {
    own.children.push_back(static_cast<Slot>(i + (role == 0 ? 0 : 1)));
  }
  const u64 edges = children.size() + (role == 0 ? 0 : 1);
  own.buffers = {{"word", Element::word, 8, 0},          {"x", Element::i32, bytes, 0},
                 {"g", Element::i32, bytes, 0x5a5a5a5a}, {"start", Element::bytes, 40, 0},
                 {"manifest", Element::bytes, 32, 0},    {"commit", Element::bytes, 40, 0}};
  own.regions = {
      {0, Element::word, 8, kWord, plan_.rounds}, {1, Element::i32, bytes, kX, plan_.rounds},
      {2, Element::i32, bytes, kG, plan_.rounds}, {3, Element::i32, bytes, kG, plan_.rounds},
      {4, Element::bytes, 40, kStart, 1},         {5, Element::bytes, 32, kManifest, 1},
      {6, Element::bytes, 40, kCommit, 1}};
  const Slots below = {own.children.data(), own.children.size()};
  if (role == leaf_) {
    own.up = 0;
    own.then.push_back(steps::send(own.regions[1], own.up, "transfer"));
  } else if (role == plan_.parents[leaf_ - 1]) {
    own.then.push_back(steps::receive(own.regions[1], own.children.back(), "transfer"));
  }
  if (role == 0) own.round.push_back(steps::local(decide, "decide"));
  own.round.push_back(steps::choose(own.regions[0], parent, below,
                                    {own.then.data(), own.then.size()}, {}, "choice"));
  own.round.push_back(steps::local(fill, "fill"));
  if (plan_.canonical) own.round.push_back(steps::local(push_blocks, "blocks"));
  if (plan_.exchange) {
    own.round.push_back(steps::exchange(own.regions[2], 0, "combine"));
  } else {
    own.round.push_back(steps::combine_up(own.regions[2], parent, below, "combine"));
    own.round.push_back(steps::deliver(own.regions[3], parent, below, "deliver"));
  }
  own.round.push_back(steps::local(check, "check"));
  if (plan_.lives != 0) {
    own.schedule.push_back(steps::start(own.regions[4], parent, below, "start"));
  }
  own.schedule.push_back(
      steps::repeat(plan_.rounds, {own.round.data(), own.round.size()}, "repeat"));
  if (plan_.lives != 0) {
    own.schedule.push_back(steps::local(settle, "settle"));
    own.schedule.push_back(
        steps::publish(own.regions[5], own.regions[6], parent, below, "publish"));
  }
  for (u64 slot = 0; slot < edges; ++slot) {
    own.schedule.push_back(steps::close(static_cast<Slot>(slot), "close"));
  }
  own.role = {.system = "simulated",
              .kind = "simulated",
              .edges = static_cast<Slot>(edges),
              .frame_bytes = plan_.frame_bytes,
              .buffers = {own.buffers.data(), own.buffers.size()},
              .regions = {own.regions.data(), own.regions.size()},
              .schedule = {own.schedule.data(), own.schedule.size()},
              .contract = {.order = plan_.canonical ? Order::canonical : Order::tree,
                           .normalization = Normalization::sum,
                           .refuse_nonfinite = false},
              .learner = nullptr,
              .version = "simulated",
              .needs_v3 = false};
  if (plan_.lives != 0) lay_out_learner(own);
}

void World::stamp(u32 role) {
  Tables& own = tables_[role];
  std::vector<u32> peers = children_of(role);
  if (role != 0) peers.insert(peers.begin(), plan_.parents[role - 1]);
  own.stamp.resize((sizeof(Stamp) + peers.size() * sizeof(EdgeRow)) / 8 + 1);
  Stamp& stamp = *reinterpret_cast<Stamp*>(own.stamp.data());
  stamp = {};
  std::memcpy(stamp.magic, "ALPHAST1", 8);
  for (u8 i = 0; i < 32; ++i) stamp.run[i] = i;
  stamp.role = role;
  stamp.edges = peers.size();
  stamp.edge_rows = sizeof(Stamp);
  stamp.connect_ns = plan_.budgets.connect_ns;
  stamp.accept_ns = plan_.budgets.accept_ns;
  stamp.wait_ns = plan_.budgets.wait_ns;
  stamp.frame_ns = plan_.budgets.frame_ns;
  stamp.session_ns = plan_.budgets.session_ns;
  stamp.rounds_cycle = 1;
  EdgeRow* const rows = reinterpret_cast<EdgeRow*>(&stamp + 1);
  for (u64 i = 0; i < peers.size(); ++i) {
    const u64 peer = peers[i];
    const u16 port =
        plan_.announced ? u16{0} : port_of(role < peer ? role : peer, role < peer ? peer : role);
    rows[i] = {peer, 0x7f000001, 0x7f000001, port, port, 0};
  }
  if (plan_.lives != 0) stamp_learner(own);
}

Result World::run() {
  machine_.story.clear();
  for (Disk& disk : machine_.disks) disk.clear();
  machine_.loses_power = plan_.lives != 0;
  completed_ = 0;
  life_ = 1;
  Result all = live();
  while (all.violation.empty() && life_ < plan_.lives) {
    ++life_;
    const Result next = live();
    all.ends.insert(all.ends.end(), next.ends.begin(), next.ends.end());
    all.violation = next.violation;
    all.harms += next.harms;
    all.ns += next.ns;
  }
  return all;
}

// Afterwards, which takes nothing from anybody that was flushed.
void World::lose_power() {
  constexpr u32 kFrequency = 4;
  for (u32 role = 0; role < machine_.disks.size(); ++role) {
    if (machine_.choices.pick(1, 0, 1, kFrequency) == 0) continue;
    machine_.say(role, "power is lost afterwards");
    machine_.disks[role].lose_power(machine_.choices);
  }
}

Result World::live() {
  for (Seen& seen : seen_) seen = {};
  machine_.choices.rest(plan_.lives > 1 && life_ == plan_.lives);
  machine_.begin(
      [](void* given, u32 process) {
        const Tables& own = static_cast<World*>(given)->tables_[process];
        char name[] = "role";
        char* arguments[] = {name, nullptr};
        return run_stamped(own.role, *reinterpret_cast<const Stamp*>(own.stamp.data()), 1,
                           arguments);
      },
      this);
  const u64 begin_ns = machine_.network.now_ns;
  machine_.run();
  machine_.choices.rest(false);
  Result result = {{}, {}, machine_.harms, machine_.network.now_ns - begin_ns};
  for (Process& process : machine_.processes) {
    std::string text = process.messages;
    if (!text.empty() && text.back() == '\n') text.pop_back();
    text.erase(0, text.rfind('\n') + 1);
    result.ends.push_back(
        {process.state, process.exit_code, text, process.ended_ns - begin_ns, process.calls});
  }
  result.violation = judge(result);
  if (plan_.lives != 0 && result.violation.empty()) {
    lose_power();
    result.violation = judge_disks(result.ends);
  }
  return result;
}

i32 World::contribution(u64 role, u64 round, u64 element) const {
  return static_cast<i32>(mixed(role + 1, round, element));
}

i32 World::total(u64 round, u64 element) const {
  u32 sum = 0;
  for (u64 role = 0; role < tables_.size(); ++role) {
    sum += static_cast<u32>(contribution(role, round, element));
  }
  return static_cast<i32>(sum);
}

i32 World::transferred(u64 round, u64 element) const {
  return static_cast<i32>(mixed(1000, round, element));
}

bool World::decide(Participant& participant) {
  participant.word(kWord) = (participant.round() + 1) % 2;
  return true;
}

// What the round starts from; by now every listener is closed.
bool World::fill(Participant& participant) {
  World& here = world();
  const u32 role = static_cast<u32>(participant.stamp.role);
  Seen& seen = here.seen_[role];
  for (const Descriptor& open : here.machine_.processes[role].descriptors) {
    if (open.kind == Descriptor::Kind::socket &&
        here.machine_.network[open.socket].state == Socket::State::listening) {
      seen.wrong = "a listener is open after establishment";
    }
  }
  const Span<i32> g = participant.buffer<i32>(kG);
  const u64 round = participant.round();
  for (u64 i = 0; i < g.size(); ++i) g[i] = here.contribution(role, round, i);
  if (role == here.leaf_ && participant.word(kWord) == 0) {
    // For the next round, whose word is 1.
    const Span<i32> x = participant.buffer<i32>(kX);
    for (u64 i = 0; i < x.size(); ++i) x[i] = here.transferred(round + 1, i);
  }
  seen.region = g.data();
  seen.round = round;
  return true;
}

bool World::expect(Participant& participant, u16 buffer, u64 round,
                   i32 (World::*value)(u64, u64) const) {
  const Span<i32> values = participant.buffer<i32>(buffer);
  for (u64 i = 0; i < values.size(); ++i) {
    if (values[i] == (this->*value)(round, i)) continue;
    Seen& seen = seen_[participant.stamp.role];
    seen.wrong = "sees a wrong value in " + std::string(participant.role.buffers[buffer].name) +
                 ", element " + std::to_string(i) + ", round " + std::to_string(round);
    return false;
  }
  return true;
}

bool World::check(Participant& participant) {
  World& here = world();
  Seen& seen = here.seen_[participant.stamp.role];
  const u64 round = participant.round();
  seen.region = nullptr;
  ++seen.rounds_checked;
  if (participant.word(kWord) != (round + 1) % 2) {
    seen.wrong = "sees another word";
    return false;
  }
  const bool receiver = participant.stamp.role == here.plan_.parents[here.leaf_ - 1];
  if (receiver && round != 0 && round % 2 == 0 &&
      !here.expect(participant, kX, round, &World::transferred)) {
    return false;
  }
  return here.expect(participant, kG, round, &World::total);
}

}  // namespace alpha::simulate
