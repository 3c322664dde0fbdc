// Gradient, update and evaluation: what a learner's lowered programs are called with, round after
// round.
#include "role/learner.h"

#include "base/assert.h"
#include "base/memory.h"
#include "role/canonical.h"
#include "role/combine_step.h"
#include "role/sample_file.h"
#include "role/steps.h"

namespace alpha {
namespace {

u64 most(u64 left, u64 right) { return left > right ? left : right; }

// Programs at once hold at most state, gradients, loss, samples and constants.
u64 pointers_max(const Learner& learner) {
  const u64 samples = most(learner.sample_row_bytes.size(), learner.evaluation_row_bytes.size());
  const u64 constants = learner.block_constants.size() + learner.update_constants.size() +
                        learner.metric_constants.size();
  constexpr u64 kLossRoundAndRow = 3;
  return learner.state.size() + learner.gradient_offsets.size() + kLossRoundAndRow + samples +
         constants + learner.metric_names.size();
}

// Appends pointers to a program's inputs or outputs.
class Arguments {
 public:
  explicit Arguments(LearnerMemory& memory) : memory_(memory) {}
  void in(const void* pointer) { memory_.in[in_count_++] = pointer; }
  void out(void* pointer) { memory_.out[out_count_++] = pointer; }
  void call(const Program& program, u64 rows) {
    ALPHA_ASSERT(rows <= program.rows_max);
    program.call(rows, memory_.in, memory_.out, memory_.scratch);
  }

 private:
  LearnerMemory& memory_;
  u64 in_count_ = 0;
  u64 out_count_ = 0;
};

void add_parameters(Participant& participant, Arguments* arguments) {
  for (u64 i = 0; i < participant.role.learner->parameters; ++i) {
    arguments->in(participant.learner->state[i]);
  }
}

// Rows from `row` on of each sample array; `offsets` is the stamp's table of them, from `first`.
void add_samples(Participant& participant, u64 offsets, const u8* first, Span<const u64> row_bytes,
                 u64 row, Arguments* arguments) {
  const u64* const arrays = participant.stamped<u64>(offsets);
  for (u64 i = 0; i < row_bytes.size(); ++i) {
    arguments->in(first + arrays[i] + row * row_bytes[i]);
  }
}

// The stamp holds the constants of the block, update and metric programs one after another.
void add_constants(Participant& participant, u64 first, u64 count, Arguments* arguments) {
  const u64* const arrays = participant.stamped<u64>(participant.stamp.constants);
  for (u64 i = 0; i < count; ++i) arguments->in(participant.stamped<u8>(arrays[first + i]));
}

// Rows of this role's arrays that one call takes: `first` of them is row `index` of the whole
// batch.
struct Rows {
  u64 first;
  u64 count;
  u64 index;
};

// Loss and gradient of some rows, into `contribution`.
void call_block(Participant& participant, const Rows& rows, u8* contribution) {
  const Learner& learner = *participant.role.learner;
  const u64 width = element_bytes(participant.role.buffers[learner.contribution].element);
  LearnerMemory& memory = *participant.learner;
  Arguments arguments(memory);
  add_parameters(participant, &arguments);
  add_samples(participant, participant.stamp.samples, memory.samples, learner.sample_row_bytes,
              rows.first, &arguments);
  if (learner.keyed) {
    memory.round = static_cast<u32>(participant.round());
    memory.first_row = static_cast<u32>(rows.index);
    arguments.in(&memory.round);
    arguments.in(&memory.first_row);
  }
  add_constants(participant, 0, learner.block_constants.size(), &arguments);
  arguments.out(contribution);
  for (const u64 offset : learner.gradient_offsets) arguments.out(contribution + offset * width);
  arguments.call(learner.block, rows.count);
}

void call_metric(Participant& participant, const Rows& rows, u8* metrics) {
  const Learner& learner = *participant.role.learner;
  const u64 width = element_bytes(participant.role.buffers[learner.metrics].element);
  LearnerMemory& memory = *participant.learner;
  Arguments arguments(memory);
  add_parameters(participant, &arguments);
  add_samples(participant, participant.stamp.evaluation, memory.evaluation,
              learner.evaluation_row_bytes, rows.first, &arguments);
  add_constants(participant, learner.block_constants.size() + learner.update_constants.size(),
                learner.metric_constants.size(), &arguments);
  for (u64 i = 0; i < learner.metric_names.size(); ++i) arguments.out(metrics + i * width);
  arguments.call(learner.metric, rows.count);
}

// The learner's regions are its own buffers, so the combine that follows is found by its buffer.
const Region& region_of(const Participant& participant, u16 buffer) {
  const Region* found = nullptr;
  for_each_step(participant.role.schedule, [&](const Step& step) {
    if (combines(step.op) && step.region->buffer == buffer) found = step.region;
  });
  ALPHA_ASSERT(found != nullptr);
  return *found;
}

using Call = void (*)(Participant& participant, const Rows& rows, u8* to);

// Runs a program over this role's share of one batch: as one slice, or block by block and merged.
// `first_row` is where the batch's rows start in this role's arrays.
void run_share(Participant& participant, const Share& share, u64 first_row, u64 block, u16 buffer,
               Call call) {
  if (participant.role.contract.order == Order::tree) {
    const u64 rows = share.own.end - share.own.begin;
    if (rows != 0) {
      call(participant, {first_row, rows, share.own.begin}, participant.buffers[buffer]);
    }
    return;
  }
  begin_blocks(participant, region_of(participant, buffer), share.blocks);
  for (u64 i = share.own_blocks.begin; i < share.own_blocks.end; ++i) {
    const u64 begin = i * block;
    const u64 rows = share.own.end - begin < block ? share.own.end - begin : block;
    u8* const value = block_value(participant);
    call(participant, {first_row + (begin - share.own.begin), rows, begin}, value);
    push_block(participant, i, value);
  }
}

void take_state(Participant& participant, LearnerMemory* memory) {
  const Learner& learner = *participant.role.learner;
  const u64 leaves = learner.state.size();
  u8** const state = participant.arena.take<u8*>(leaves);
  u8** const next = participant.arena.take<u8*>(leaves);
  for (u64 i = 0; i < leaves; ++i) {
    u8* const now = participant.arena.take<u8>(learner.state[i].bytes);
    u8* const then = participant.arena.take<u8>(learner.state[i].bytes);
    if (!participant.arena.mapped()) continue;
    const u64 offset = participant.stamped<u64>(participant.stamp.initial_state)[i];
    copy_bytes(now, participant.stamped<u8>(offset), learner.state[i].bytes);
    state[i] = now;
    next[i] = then;
  }
  if (!participant.arena.mapped()) return;
  memory->state = state;
  memory->next = next;
}

// Where rows are read: in the stamp, or in a copy of the file beside the executable.
[[nodiscard]] bool take_samples(Participant& participant, LearnerMemory* memory) {
  const Stamp& stamp = participant.stamp;
  u8* const copy = participant.arena.take<u8>(stamp.sample_file_bytes);
  if (!participant.arena.mapped()) return true;
  memory->samples = memory->evaluation = participant.stamped<u8>(0);
  if (stamp.sample_file == 0) return true;
  if ((stamp.sample_file_holds & kHoldsSamples) != 0) memory->samples = copy;
  if ((stamp.sample_file_holds & kHoldsEvaluation) != 0) memory->evaluation = copy;
  return read_sample_file(participant, copy);
}

}  // namespace

bool prepare_learner(Participant& participant) {
  const Learner& learner = *participant.role.learner;
  Arena& arena = participant.arena;
  LearnerMemory* const memory = arena.take<LearnerMemory>(1);
  take_state(participant, memory);
  const u64 leaves = learner.state.size();
  const void** const in = arena.take<const void*>(pointers_max(learner));
  void** const out = arena.take<void*>(pointers_max(learner));
  const u64 scratch_bytes = most(learner.block.scratch_bytes,
                                 most(learner.update.scratch_bytes, learner.metric.scratch_bytes));
  u8* const scratch = arena.take<u8>(scratch_bytes);
  u8* const child_manifests = arena.take<u8>(32 * u64{participant.role.edges});
  ChildManifest* const children = arena.take<ChildManifest>(participant.role.edges);
  TensorRecord* const tensors = arena.take<TensorRecord>(leaves);
  if (!take_samples(participant, memory)) return false;
  if (!arena.mapped()) return true;
  memory->in = in;
  memory->out = out;
  memory->scratch = scratch;
  memory->child_manifests = child_manifests;
  memory->children = children;
  memory->tensors = tensors;
  participant.learner = memory;
  return open_state_folder(participant.state_folder, participant.stamp.role,
                           participant.stamp.state_identity, &memory->folder,
                           &participant.session.failure);
}

bool learner_gradient(Participant& participant) {
  const Range full = participant.stamp.share[0].own;
  const u64 batch = this_batch(participant);
  run_share(participant, batch_share(participant, batch), batch * (full.end - full.begin),
            participant.stamp.block, participant.role.learner->contribution, call_block);
  return true;
}

bool learner_update(Participant& participant) {
  const Learner& learner = *participant.role.learner;
  LearnerMemory& memory = *participant.learner;
  u8* const result = participant.buffers[learner.contribution];
  const u64 width = element_bytes(participant.role.buffers[learner.contribution].element);
  Arguments arguments(memory);
  for (u64 i = 0; i < learner.state.size(); ++i) {
    arguments.in(memory.state[i]);
    arguments.out(memory.next[i]);
  }
  for (const u64 offset : learner.gradient_offsets) arguments.in(result + offset * width);
  arguments.in(result);
  add_constants(participant, learner.block_constants.size(), learner.update_constants.size(),
                &arguments);
  arguments.call(learner.update, 0);
  ++memory.rounds;
  u8** const written = memory.next;
  memory.next = memory.state;
  memory.state = written;
  return true;
}

bool learner_evaluate(Participant& participant) {
  run_share(participant, participant.stamp.share[2], 0, participant.stamp.evaluation_block,
            participant.role.learner->metrics, call_metric);
  return true;
}

}  // namespace alpha
