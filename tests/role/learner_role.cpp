// A learner's role by hand: three parameters and a counter, a squared error, plain gradient
// descent.
//
// The including test gives the shape of the system: PARENT (kNoSlot at the root), CHILDREN, EDGES,
// PAIR, ORDER, ROUNDS, EVERY, and tables.h with the shard's header and the state hash's CBOR.
#include "role/main.h"
#include "role/participant.h"
#include "role/steps.h"
#include "tables.h"

namespace {

using namespace alpha;
using namespace alpha::steps;

constexpr u64 kWidth = 3;

f32 error_of(const f32* w, const f32* x, f32 y) {
  f32 sum = 0;
  for (u64 j = 0; j < kWidth; ++j) sum += w[j] * x[j];
  return sum - y;
}

// parameters w; samples x, y; constant scale -> loss, gradient of w
void block(u64 rows, const void* const* in, void* const* out, void* scratch) {
  const f32* const w = static_cast<const f32*>(in[0]);
  const f32* const x = static_cast<const f32*>(in[1]);
  const f32* const y = static_cast<const f32*>(in[2]);
  const f32 scale = *static_cast<const f32*>(in[3]);
  f32* const sums = static_cast<f32*>(scratch);
  for (u64 j = 0; j <= kWidth; ++j) sums[j] = 0;
  for (u64 r = 0; r < rows; ++r) {
    const f32 error = error_of(w, x + r * kWidth, y[r]);
    sums[0] += error * error;
    for (u64 j = 0; j < kWidth; ++j) sums[1 + j] += scale * error * x[r * kWidth + j];
  }
  *static_cast<f32*>(out[0]) = sums[0];
  for (u64 j = 0; j < kWidth; ++j) static_cast<f32*>(out[1])[j] = sums[1 + j];
}

// parameters w; optimizer count; gradient; loss; constant rate -> w, count
void update(u64, const void* const* in, void* const* out, void*) {
  const f32* const w = static_cast<const f32*>(in[0]);
  const f32* const gradient = static_cast<const f32*>(in[2]);
  const f32 rate = *static_cast<const f32*>(in[4]);
  for (u64 j = 0; j < kWidth; ++j) static_cast<f32*>(out[0])[j] = w[j] - rate * gradient[j];
  *static_cast<i32*>(out[1]) = *static_cast<const i32*>(in[1]) + 1;
}

// parameters w; x, y; constant scale -> scaled sum of squared errors, count of rows
void metric(u64 rows, const void* const* in, void* const* out, void*) {
  f32 sum = 0;
  for (u64 r = 0; r < rows; ++r) {
    const f32 error =
        error_of(static_cast<const f32*>(in[0]), static_cast<const f32*>(in[1]) + r * kWidth,
                 static_cast<const f32*>(in[2])[r]);
    sum += *static_cast<const f32*>(in[3]) * error * error;
  }
  *static_cast<f32*>(out[0]) = sum;
  *static_cast<f32*>(out[1]) = static_cast<f32>(rows);
}

constexpr u64 kWShape[] = {kWidth};
constexpr Tensor kState[] = {
    {.name = "params/w", .dtype = "F32", .shape = kWShape, .bytes = f32_bytes(kWidth)},
    {.name = "optimizer/\"count\"", .dtype = "I32", .shape = {}, .bytes = i32_bytes(1)},
};
constexpr u64 kGradientOffsets[] = {1};
constexpr Metric kMetrics[] = {{.name = "error"}, {.name = "say \"rows\""}};
constexpr u64 kSampleRowBytes[] = {f32_bytes(kWidth), f32_bytes(1)};
constexpr u64 kConstantBytes[] = {f32_bytes(1)};
constexpr u16 kShardOrder[] = {1, 0};

enum : u16 { kContribution, kMetricValues, kStartWord, kManifest, kCommitWord };
constexpr Buffer kBuffers[] = {
    {.name = "gradient", .element = Element::f32, .bytes = f32_bytes(1 + kWidth), .initial = 0},
    {.name = "metrics", .element = Element::f32, .bytes = f32_bytes(2), .initial = 0},
    {.name = "start", .element = Element::bytes, .bytes = bytes(40), .initial = 0},
    {.name = "manifest", .element = Element::bytes, .bytes = bytes(32), .initial = 0},
    {.name = "commit", .element = Element::bytes, .bytes = bytes(40), .initial = 0},
};
constexpr Region kRegions[] = {
    {.number = 0, .element = Element::bytes, .bytes = 40, .buffer = kStartWord, .uses = 1},
    {.number = 1,
     .element = Element::f32,
     .bytes = f32_bytes(1 + kWidth),
     .buffer = kContribution,
     .uses = ROUNDS},
    {.number = 2,
     .element = Element::f32,
     .bytes = f32_bytes(1 + kWidth),
     .buffer = kContribution,
     .uses = ROUNDS},
    {.number = 3,
     .element = Element::f32,
     .bytes = f32_bytes(2),
     .buffer = kMetricValues,
     .uses = ROUNDS},
    {.number = 4, .element = Element::bytes, .bytes = 32, .buffer = kManifest, .uses = 1},
    {.number = 5, .element = Element::bytes, .bytes = 40, .buffer = kCommitWord, .uses = 1},
};

constexpr Slot kSlots[] = {0, 1, 2, 3, 4};
constexpr Slots kChildren = {kSlots + (EDGES - CHILDREN), CHILDREN};

constexpr Step kEvaluate[] = {
    local(learner_evaluate, "toy.py:9 everyone"),
#if PAIR
    exchange(kRegions[3], kSlots[0], "toy.py:9 combine"),
#else
    combine_up(kRegions[3], PARENT, kChildren, "toy.py:9 combine"),
#endif
};
constexpr Step kRound[] = {
    local(learner_gradient, "toy.py:5 everyone"),
#if PAIR
    exchange(kRegions[1], kSlots[0], "toy.py:6 combine"),
#else
    combine_up(kRegions[1], PARENT, kChildren, "toy.py:6 combine"),
    deliver(kRegions[2], PARENT, kChildren, "toy.py:7 deliver"),
#endif
    local(learner_update, "toy.py:8 everyone"),
    every(EVERY, kEvaluate, "toy.py:9 every"),
};
constexpr Step kSchedule[] = {
    start(kRegions[0], PARENT, kChildren, "toy.py:4 start"),
    repeat(ROUNDS, kRound, "toy.py:5 repeat"),
    publish(kRegions[4], kRegions[5], PARENT, kChildren, "toy.py:10 publish"),
#if EDGES > 0
    close(0, "toy.py:10 publish"),
#endif
#if EDGES > 1
    close(1, "toy.py:10 publish"),
#endif
#if EDGES > 2
    close(2, "toy.py:10 publish"),
#endif
#if EDGES > 3
    close(3, "toy.py:10 publish"),
#endif
};
static_assert(count(kSchedule, Op::combine) + count(kSchedule, Op::exchange) == 2);

constexpr Learner kLearner = {
    .block = {.call = block, .rows_max = 64, .scratch_bytes = f32_bytes(1 + kWidth)},
    .update = {.call = update, .rows_max = 0, .scratch_bytes = 0},
    .metric = {.call = metric, .rows_max = 64, .scratch_bytes = 0},
    .state = kState,
    .parameters = 1,
    .gradient_offsets = kGradientOffsets,
    .contribution = kContribution,
    .metrics = kMetricValues,
    .metric_names = kMetrics,
    .sample_row_bytes = kSampleRowBytes,
    .evaluation_row_bytes = kSampleRowBytes,
    .block_constants = kConstantBytes,
    .update_constants = kConstantBytes,
    .metric_constants = kConstantBytes,
    .rounds = ROUNDS,
    .safetensors_header = kShardHeader,
    .shard_order = kShardOrder,
    .state_hash_pieces = kStateHashPieces,
};

constexpr Role kRole = {
    .system = "toy",
    .kind = "toy, by hand",
    .edges = EDGES,
    .frame_bytes = 8,
    .buffers = kBuffers,
    .regions = kRegions,
    .schedule = kSchedule,
    .contract = {.order = Order::ORDER,
                 .normalization = Normalization::mean,
                 .refuse_nonfinite = true},
    .learner = &kLearner,
    .version = "0.0",
    .needs_v3 = false,
};

}  // namespace

extern "C" int alpha_main(int argc, char** argv, char** envp) {
  return alpha::run_participant(kRole, argc, argv, envp);
}
