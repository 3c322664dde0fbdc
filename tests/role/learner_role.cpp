// A learner's role by hand: three parameters and a counter, a squared error, plain gradient
// descent.
//
// One executable for every place in every system: the schedule is made at start from the stamp's
// rows and the first two bytes of the run identity, a Kind and an Order.  The including test gives
// ROUNDS, EVERY, and tables.h with the shard's header and the state hash's CBOR.
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

// parameters w; x, y; constant scale -> scaled sum of squared errors, count of rows in units of a
// subnormal number
void metric(u64 rows, const void* const* in, void* const* out, void*) {
  f32 sum = 0;
  for (u64 r = 0; r < rows; ++r) {
    const f32 error =
        error_of(static_cast<const f32*>(in[0]), static_cast<const f32*>(in[1]) + r * kWidth,
                 static_cast<const f32*>(in[2])[r]);
    sum += *static_cast<const f32*>(in[3]) * error * error;
  }
  *static_cast<f32*>(out[0]) = sum;
  *static_cast<f32*>(out[1]) = static_cast<f32>(rows) * 0x1p-140f;
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

enum class Kind : u8 { tree, pair, prefix, mesh };

enum : u16 { kContribution, kMetricValues, kStartWord, kManifest, kCommitWord };
constexpr Buffer kBuffers[] = {
    {.name = "gradient", .element = Element::f32, .bytes = f32_bytes(1 + kWidth), .initial = 0},
    {.name = "metrics", .element = Element::f32, .bytes = f32_bytes(2), .initial = 0},
    {.name = "start", .element = Element::bytes, .bytes = bytes(40), .initial = 0},
    {.name = "manifest", .element = Element::bytes, .bytes = bytes(32), .initial = 0},
    {.name = "commit", .element = Element::bytes, .bytes = bytes(40), .initial = 0},
};

constexpr Region gradient_region(u64 number) {
  return {.number = number,
          .element = Element::f32,
          .bytes = f32_bytes(1 + kWidth),
          .buffer = kContribution,
          .uses = ROUNDS};
}
constexpr Region metric_region(u64 number) {
  return {.number = number,
          .element = Element::f32,
          .bytes = f32_bytes(2),
          .buffer = kMetricValues,
          .uses = ROUNDS};
}
constexpr Region kRegions[] = {
    {.number = 0, .element = Element::bytes, .bytes = 40, .buffer = kStartWord, .uses = 1},
    gradient_region(1),
    gradient_region(2),
    metric_region(3),
    metric_region(4),
    {.number = 5, .element = Element::bytes, .bytes = 32, .buffer = kManifest, .uses = 1},
    {.number = 6, .element = Element::bytes, .bytes = 40, .buffer = kCommitWord, .uses = 1},
};
const Region &kStart = kRegions[0], &kGradient = kRegions[1], &kTotal = kRegions[2],
             &kMetricSums = kRegions[3], &kMetricMeans = kRegions[4], &kUp = kRegions[5],
             &kDown = kRegions[6];

constexpr u64 kEdgesHere = 16;
constexpr Slot kSlots[kEdgesHere] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

Step evaluate_steps[3] = {};
Step round_steps[6] = {};
Step schedule[3 + kEdgesHere] = {};

// This role's place: on a mesh what the root says comes from it at once.
struct Place {
  Kind kind;
  Slot parent;
  Slots children;
  Slots everyone;

  Step combine(const Region& region, const char* place) const {
    if (kind == Kind::pair) return exchange(region, kSlots[0], place);
    if (kind == Kind::mesh) return combine_parts(region, everyone, place);
    if (kind == Kind::prefix) return combine_prefix(region, parent, children, place);
    return combine_up(region, parent, children, place);
  }
};

u64 fill_evaluation(const Place& at) {
  u64 count = 0;
  evaluate_steps[count++] = local(learner_evaluate, "toy.py:9 everyone");
  evaluate_steps[count++] = at.combine(kMetricSums, "toy.py:9 combine");
  if (at.kind == Kind::mesh) {
    const bool root = at.parent == kNoSlot;
    evaluate_steps[count++] = root
                                  ? gather(kMetricMeans, at.everyone, kNoSlots, "toy.py:9 deliver")
                                  : gather(kMetricMeans, kNoSlots, {kSlots, 1}, "toy.py:9 deliver");
  }
  return count;
}

u64 fill_round(const Place& at) {
  u64 count = 0;
  round_steps[count++] = local(learner_gradient, "toy.py:5 everyone");
  round_steps[count++] = at.combine(kGradient, "toy.py:6 combine");
  if (at.kind == Kind::mesh) {
    round_steps[count++] = gather(kTotal, at.everyone, at.everyone, "toy.py:7 deliver");
  } else if (at.kind != Kind::pair) {
    round_steps[count++] = deliver(kTotal, at.parent, at.children, "toy.py:7 deliver");
  }
  round_steps[count++] = local(learner_update, "toy.py:8 everyone");
  round_steps[count++] = every(EVERY, {evaluate_steps, fill_evaluation(at)}, "toy.py:9 every");
  return count;
}

Span<const Step> fill_schedule(const Place& at) {
  u64 count = 0;
  schedule[count++] = start(kStart, at.parent, at.children, "toy.py:4 start");
  schedule[count++] = repeat(ROUNDS, {round_steps, fill_round(at)}, "toy.py:5 repeat");
  schedule[count++] = publish(kUp, kDown, at.parent, at.children, "toy.py:10 publish");
  for (const Slot slot : at.everyone) schedule[count++] = close(slot, "toy.py:10 publish");
  return {schedule, count};
}

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

}  // namespace

extern "C" int alpha_main(int argc, char** argv, char** envp) {
  u64 address = kStampAddress;
  asm("" : "+r"(address));
  const Stamp& stamp = *reinterpret_cast<const Stamp*>(address);
  const EdgeRow* const rows =
      reinterpret_cast<const EdgeRow*>(reinterpret_cast<const u8*>(&stamp) + stamp.edge_rows);
  // Whoever is not the root has a lower peer: its parent, or on a mesh the root.
  const bool root = stamp.edges == 0 || stamp.role < rows[0].peer;
  const Kind kind = static_cast<Kind>(stamp.run[0]);
  const u64 above = root ? 0 : 1;
  const Slots everyone = {kSlots, stamp.edges};
  const Slots children = {kSlots + above, stamp.edges - above};
  const bool passes_on = root || kind != Kind::mesh;
  const Place at = {kind, root ? kNoSlot : Slot{0}, passes_on ? children : kNoSlots, everyone};
  const Role role = {
      .system = "toy",
      .kind = "toy, by hand",
      .edges = static_cast<Slot>(stamp.edges),
      .frame_bytes = 8,
      .buffers = kBuffers,
      .regions = kRegions,
      .schedule = fill_schedule(at),
      .contract = {.order = static_cast<Order>(stamp.run[1]),
                   .normalization = Normalization::mean,
                   .refuse_nonfinite = true,
                   .mesh_fanout = 8},
      .learner = &kLearner,
      .version = "0.0",
      .needs_v3 = false,
  };
  return alpha::run_participant(role, argc, argv, envp);
}
