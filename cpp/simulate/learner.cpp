// A learner's part of the simulated roles: no programs, but a state whose bytes tell whose it is
// and in which life it was made.
#include <cstring>

#include "base/byte_order.h"
#include "role/canonical.h"
#include "role/learner.h"
#include "role/steps.h"
#include "simulate/world.h"

namespace alpha::simulate {

namespace {

// Names in order of names, which is not that of the state: parameters first there.
constexpr char kHeaderFront[] = "{\"optimizer/m\":{\"dtype\":\"F32\",\"shape\":[";
constexpr u16 kShardOrder[] = {1, 0};
constexpr u8 kPiece[] = {0x82};
constexpr Span<const u8> kPieces[] = {{kPiece, 1}, {kPiece, 1}, {kPiece, 1}};

std::vector<u8> safetensors_header(u64 elements) {
  const std::string shape = std::to_string(elements);
  const std::string bytes = std::to_string(4 * elements);
  std::string text = kHeaderFront + shape + "],\"data_offsets\":[0," + bytes + "]},";
  text += "\"params/w\":{\"dtype\":\"F32\",\"shape\":[" + shape + "],\"data_offsets\":[" + bytes +
          "," + std::to_string(8 * elements) + "]}}";
  std::vector<u8> header(8);
  for (u64 i = 0; i < 8; ++i) header[i] = static_cast<u8>(text.size() >> 8 * i);
  header.insert(header.end(), text.begin(), text.end());
  return header;
}

}  // namespace

void World::lay_out_learner(Tables& own) {
  own.header = safetensors_header(plan_.elements);
  own.shape = {plan_.elements};
  const Span<const u64> shape = {own.shape.data(), 1};
  own.tensors = {{"params/w", "F32", shape, 4 * plan_.elements},
                 {"optimizer/m", "F32", shape, 4 * plan_.elements}};
  own.learner = {};
  own.learner.state = {own.tensors.data(), own.tensors.size()};
  own.learner.parameters = 1;
  own.learner.contribution = kG;
  own.learner.metrics = kNoBuffer;
  own.learner.rounds = plan_.rounds;
  own.learner.safetensors_header = {own.header.data(), own.header.size()};
  own.learner.shard_order = {kShardOrder, 2};
  own.learner.state_hash_pieces = {kPieces, 3};
  own.learner.combined = [](Participant&, u16) {};
  own.role.learner = &own.learner;
}

// Behind the stamp's rows: the ranges across its edges, none empty; where the initial state lies.
void World::stamp_learner(Tables& own) {
  const u64 edges = own.role.edges;
  const u64 ranges = own.stamp.size() * 8;
  const u64 leaves = ranges + edges * sizeof(Range);
  const u64 zeros = leaves + 2 * sizeof(u64);
  own.stamp.resize((zeros + 4 * plan_.elements) / 8 + 1);
  Stamp& stamp = *reinterpret_cast<Stamp*>(own.stamp.data());
  u8* const first = reinterpret_cast<u8*>(own.stamp.data());
  for (u8 i = 0; i < 32; ++i) stamp.state_identity[i] = static_cast<u8>(0x80 + i);
  stamp.share[0].own = {stamp.role, stamp.role + 1};
  stamp.share[0].edge_ranges = ranges;
  for (u64 i = 0; i < edges; ++i) reinterpret_cast<Range*>(first + ranges)[i] = {0, 1};
  stamp.initial_state = leaves;
  for (u64 i = 0; i < 2; ++i) reinterpret_cast<u64*>(first + leaves)[i] = zeros;
  if (plan_.canonical) stamp_blocks(own);
}

// Three blocks to two roles, so that some hold one and some two; a pair's have one each, which
// leaves from where it is added to.
u64 World::block_begin(u64 role) const { return plan_.exchange ? role : role * 3 / 2; }

// Behind the last block of a role and of all below it.
u64 World::block_end_below(u64 role) const {
  u64 last = role;
  for (u64 child = role + 1; child < tables_.size(); ++child) {
    const u64 parent = plan_.parents[child - 1];
    if (parent >= role && parent <= last) last = child;
  }
  return block_begin(last + 1);
}

// An edge's range is that of the subtree below it.
void World::stamp_blocks(Tables& own) {
  u8* const first = reinterpret_cast<u8*>(own.stamp.data());
  Stamp& stamp = *reinterpret_cast<Stamp*>(first);
  const EdgeRow* const edges = reinterpret_cast<const EdgeRow*>(first + stamp.edge_rows);
  Range* const ranges = reinterpret_cast<Range*>(first + stamp.share[0].edge_ranges);
  stamp.share[0].blocks = block_begin(tables_.size());
  stamp.share[0].own_blocks = {block_begin(stamp.role), block_begin(stamp.role + 1)};
  for (u64 i = 0; i < stamp.edges; ++i) {
    const u64 below = edges[i].peer > stamp.role ? edges[i].peer : stamp.role;
    ranges[i] = {block_begin(below), block_end_below(below)};
  }
}

// Blocks that come to this role's contribution; what is in the region itself is of no account.
bool World::push_blocks(Participant& participant) {
  const World& here = *static_cast<World*>(current()->context);
  const u64 role = participant.stamp.role;
  const u64 round = participant.round();
  const u64 end = here.block_begin(role + 1);
  const Region& region = participant.role.regions[2];
  begin_blocks(participant, region, participant.stamp.share[0].blocks);
  for (u64 block = here.block_begin(role); block < end; ++block) {
    u8* const value = block_value(participant);
    u32* const values = reinterpret_cast<u32*>(value);
    const u32 left = static_cast<u32>(end - 1 - block);  // each further one adds 1, 2, ...
    for (u64 i = 0; i < here.plan_.elements; ++i) {
      const u32 whole = static_cast<u32>(here.contribution(role, round, i));
      values[i] = block == here.block_begin(role)
                      ? whole - left * (left + 1) / 2
                      : static_cast<u32>(block - here.block_begin(role));
    }
    push_block(participant, block, value);
  }
  return true;
}

u32 World::state_value(u64 role, u64 life, u64 index) const {
  return static_cast<u32>(contribution(100 + role, life, index));
}

// What training would have come to.
bool World::settle(Participant& participant) {
  const World& here = *static_cast<World*>(current()->context);
  const u64 elements = here.plan_.elements;
  for (u64 leaf = 0; leaf < 2; ++leaf) {
    u32* const values = reinterpret_cast<u32*>(participant.learner->state[leaf]);
    for (u64 i = 0; i < elements; ++i) {
      values[i] = here.state_value(participant.stamp.role, here.life_, leaf * elements + i);
    }
  }
  return true;
}

std::vector<u8> World::shard_of(u32 role, u64 life) const {
  std::vector<u8> bytes = tables_[role].header;
  for (const u16 leaf : kShardOrder) {
    for (u64 i = 0; i < plan_.elements; ++i) {
      const u32 value = state_value(role, life, leaf * plan_.elements + i);
      const u8* const first = reinterpret_cast<const u8*>(&value);
      bytes.insert(bytes.end(), first, first + sizeof value);
    }
  }
  return bytes;
}

}  // namespace alpha::simulate
