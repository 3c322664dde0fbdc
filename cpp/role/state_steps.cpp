// A learner's first and last steps: what everybody starts from, and publication with the root's
// rename as the only commit.
#include "base/assert.h"
#include "base/byte_order.h"
#include "base/memory.h"
#include "frame/seal.h"
#include "role/learner.h"
#include "role/relay.h"
#include "role/steps.h"

namespace alpha {
namespace {

constexpr u64 kWordBytes = 40;  // generation, big-endian, then the root manifest's digest

// The word's place in a region's buffer.
u8* word_of(Participant& participant, const Region& region) {
  ALPHA_ASSERT(region.bytes == kWordBytes);
  return participant.base(region);
}

void store_word(u8* word, u64 generation, const Digest& digest) {
  store_big64(word, generation);
  copy_bytes(word + 8, digest.byte, sizeof digest.byte);
}

bool write_own_shard(Participant& participant, u64 generation, ShardRecord* shard) {
  const Learner& learner = *participant.role.learner;
  LearnerMemory& memory = *participant.learner;
  for (u64 i = 0; i < learner.shard_order.size(); ++i) {
    const u64 leaf = learner.shard_order[i];
    const Tensor& tensor = learner.state[leaf];
    memory.tensors[i] = {tensor.name,        tensor.dtype, tensor.shape,
                         memory.state[leaf], tensor.bytes, Digest()};
  }
  return write_shard(memory.folder, generation, learner.safetensors_header,
                     {memory.tensors, learner.shard_order.size()}, learner.state_hash_pieces, shard,
                     &participant.session.failure);
}

// The digests of the children's manifests, whole before this role's manifest is written.
bool receive_children(Participant& participant, const Transfer& transfer) {
  const Step& step = participant.step();
  LearnerMemory& memory = *participant.learner;
  for (u64 i = 0; i < step.to.size(); ++i) {
    participant.inbound[i] = {.slot = step.to[i],
                              .what = transfer,
                              .base = memory.child_manifests + i * sizeof(Digest),
                              .staging = nullptr};
  }
  if (!exchange(participant.session, {participant.inbound, step.to.size()}, {}, {})) return false;
  for (u64 i = 0; i < step.to.size(); ++i) {
    memory.children[i].role = participant.session.links[step.to[i]].peer;
    copy_bytes(memory.children[i].digest.byte, memory.child_manifests + i * sizeof(Digest),
               sizeof(Digest));
  }
  return true;
}

bool send_digest(Participant& participant, const Transfer& transfer, const Digest& digest) {
  *participant.outbound = {.slot = participant.step().from,
                           .what = transfer,
                           .base = digest.byte,
                           .ready = sizeof digest.byte};
  return exchange(participant.session, {}, {participant.outbound, 1}, {});
}

// Everything of a generation on disk, flushed; nothing published.
bool prepare_generation(Participant& participant, u64 generation, Digest* manifest, Digest* state) {
  const Step& step = participant.step();
  LearnerMemory& memory = *participant.learner;
  ShardRecord shard;
  Transfer transfer;
  if (!participant.arm(*step.region, step.region->bytes, &transfer)) return false;
  if (!write_own_shard(participant, generation, &shard)) return false;
  *state = shard.state;
  if (!step.to.empty() && !receive_children(participant, transfer)) return false;
  const ManifestRecord record = {generation,
                                 memory.rounds,
                                 participant.stamp.run,
                                 shard,
                                 {memory.tensors, participant.role.learner->shard_order.size()},
                                 {memory.children, step.to.size()}};
  if (!write_manifest(memory.folder, record, manifest, &participant.session.failure)) return false;
  return step.from == kNoSlot || send_digest(participant, transfer, *manifest);
}

// The root's word has come: it must be about the generation that is prepared here.
bool check_word(Participant& participant, const u8* word, u64 generation) {
  const u64 committed = load_big64(word);
  if (committed == generation) return true;
  Text<128> text;
  text.add("the root committed generation ", committed, ", prepared here is ", generation);
  return participant.fail(FailureKind::checkpoint, text.c_str());
}

}  // namespace

bool run_start(Participant& participant) {
  const Step& step = participant.step();
  StateFolder& folder = participant.learner->folder;
  u8* const word = word_of(participant, *step.region);
  if (step.from == kNoSlot) store_word(word, folder.published, folder.published_digest);
  if (!relay(participant, *step.region, step.from, step.to)) return false;
  return step.from == kNoSlot ||
         agree_generation(&folder, load_big64(word), &participant.session.failure);
}

bool run_publish(Participant& participant) {
  const Step step = participant.step();
  StateFolder& folder = participant.learner->folder;
  Failure* const failure = &participant.session.failure;
  const u64 generation = folder.published + 1;
  Digest manifest;
  Digest state;
  if (!prepare_generation(participant, generation, &manifest, &state)) return false;
  u8* const word = word_of(participant, *step.region_down);
  if (step.from == kNoSlot) {
    if (!publish_generation(&folder, generation, manifest, failure)) return false;
    store_word(word, generation, manifest);
  }
  if (!relay(participant, *step.region_down, step.from, step.to)) return false;
  if (step.from != kNoSlot) {
    if (!check_word(participant, word, generation)) return false;
    if (!publish_generation(&folder, generation, manifest, failure)) return false;
  }
  remove_older(folder);
  participant.result.add(": ", participant.learner->rounds, " rounds, state ",
                         Hex{state.byte, sizeof state.byte});
  return true;
}

}  // namespace alpha
