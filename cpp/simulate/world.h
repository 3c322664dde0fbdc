// What is simulated: a tree of roles that run one protocol by the code of the executables, and what
// must hold of every schedule of it.
#pragma once

#include <string>
#include <vector>

#include "role/participant.h"
#include "role/stamp.h"
#include "simulate/machine.h"
#include "simulate/tables.h"

namespace alpha::simulate {

struct Plan {
  std::vector<u32> parents;  // of roles 1, 2, ...: each below its child's number
  u64 rounds;
  u64 elements;  // of the combined region, i32
  u64 frame_bytes;
  Budgets budgets;
  bool announced;  // ports are picked by the kernel and announced, else fixed
  bool exchange;   // two roles that combine by exchange
  bool canonical;  // order canonical, of blocks that roles hold in the order of their numbers
  // 0: nothing is kept.  Otherwise roles publish a state, and are started so often, each time on
  // what the disks hold by then; the last time all is calm.
  u64 lives;
};

// How one process ended.
struct End {
  Process::State state;
  int code;
  std::string text;  // the last line, after "alpha-build: role R: "
  u64 ns;            // from the start of the schedule
  u64 calls;
};

struct Result {
  std::vector<End> ends;  // role by role; one life after another
  std::string violation;  // empty: everything held
  u64 harms;
  u64 ns;
};

class World {
 public:
  explicit World(const Plan&);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  Choices& choices() { return machine_.choices; }
  Machine& machine() { return machine_; }
  // One schedule, by the choices that were set before.
  Result run();

  // The protocol's local operations, by the participant's role.
  static bool decide(Participant&);
  static bool fill(Participant&);
  static bool check(Participant&);
  static bool settle(Participant&);
  static bool push_blocks(Participant&);

 private:
  void lay_out(u32 role);
  void lay_out_learner(Tables& own);
  void stamp(u32 role);
  void stamp_learner(Tables& own);
  void stamp_blocks(Tables& own);
  u64 block_begin(u64 role) const;
  u64 block_end_below(u64 role) const;
  Result live();
  void lose_power();
  std::string judge(const Result&) const;
  std::string judge_end(u32 role, const End&) const;
  std::string judge_wire(u32 role) const;
  std::string judge_combine(u32 role) const;
  std::string judge_disks(const std::vector<End>& ends);
  std::string judge_whole(u32 role, u64 generation, u64 life, const std::string& named) const;
  std::string wrong(u32 role, const char* text) const;
  const std::vector<u8>* file_of(u32 role, const std::string& path) const;
  bool published_of(u32 role, u64* generation, std::string* manifest) const;
  u64 life_of(u32 role, u64 generation) const;
  u32 state_value(u64 role, u64 life, u64 index) const;
  std::vector<u8> shard_of(u32 role, u64 life) const;
  bool expect(Participant&, u16 buffer, u64 round, i32 (World::*value)(u64, u64) const);
  i32 contribution(u64 role, u64 round, u64 element) const;
  u32 subtotal(u32 role, u64 round, u64 element) const;
  i32 total(u64 round, u64 element) const;
  i32 transferred(u64 round, u64 element) const;
  std::vector<u32> children_of(u32 role) const;

  const Plan plan_;
  u32 leaf_;  // sends the transfer to its parent
  std::vector<Tables> tables_;
  Machine machine_;
  // What each role's own operations saw, and the region that a combine is at work on.
  struct Seen {
    std::string wrong;
    const i32* region = nullptr;
    u64 round = 0;
    u64 rounds_checked = 0;
  };
  std::vector<Seen> seen_;
  u64 life_ = 0;
  u64 completed_ = 0;  // the generation with which roles completed
};

}  // namespace alpha::simulate
