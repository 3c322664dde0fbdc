// What a generated role is made of: constants that the projector counted, and the participant
// walks.
//
// A generated file fills these tables and makes one call, run_participant(kRole, ...).  Nothing
// here is formed at run time from what a peer says; everything that differs between two roles of
// one class (role number, peers, addresses, ranges, data) is a stamped row, see stamp.h.
#pragma once

#include "base/element.h"
#include "base/span.h"
#include "base/types.h"

namespace alpha {

class Participant;

// An edge is named by its slot: the position of its peer among this role's peers, ascending.
using Slot = u16;
inline constexpr Slot kNoSlot = 0xffff;

// One communicating form of the protocol as this role sees it.  `number` is the form's number on
// the wire; `buffer` says which local buffer holds the bytes; `uses` bounds the version (product of
// the repeats).
struct Region {
  u64 number;
  Element element;
  u64 bytes;   // of the whole region; under order canonical, of one node of the list
  u16 buffer;  // index into Role::buffers
  u64 uses;
};

// Local memory of one region of the system, carved from the arena at start.
struct Buffer {
  const char* name;
  Element element;
  u64 bytes;
  u64 initial;  // bit pattern of one element, repeated over the buffer at start
};

// `exchange` is Combine on a pair that delivers to every owner: both contributions cross, both ends
// combine.  `combine_prefix` is Combine in order sequence on a tree of several levels.  On a mesh
// each member holds a part of a region: `combine_parts` adds everybody's contribution to it,
// `gather` sends it on, `scatter` gives each member its own.
enum class Op : u8 {
  local,
  send,
  receive,
  combine,
  combine_prefix,
  exchange,
  combine_parts,
  gather,
  scatter,
  deliver,
  choose,
  repeat,
  every,
  start,
  until,
  publish,
  close
};

// Whether a step adds what the members contribute.
constexpr bool combines(Op op) {
  return op == Op::combine || op == Op::combine_prefix || op == Op::exchange ||
         op == Op::combine_parts;
}

// Declared slots of one step, in the order in which they are served.
using Slots = Span<const Slot>;

// What a step does: a local operation, or one of the handlers that role/steps.h puts into every
// communicating step, so that an executable links the ones its schedule names and no others.
// Participant::step() is the step in hand.  Returns false after Participant::fail(...).
using Work = bool (*)(Participant&);

// The learner's part of the start, and what follows a combine at the root; see role/learner.cpp.
bool prepare_learner(Participant&);
void report_combined(Participant&, u16 buffer);

struct Step {
  Op op;
  const char* place;               // "star.py:22 combine": where the user wrote it
  Work work = nullptr;             // null in repeat, every, choose: the walker's own
  const Region* region = nullptr;  // every communicating step
  Slot from = kNoSlot;  // receive, deliver, start, choose, scatter: whence (kNoSlot at the origin);
                        // combine, combine_prefix, publish: the parent (kNoSlot at the root);
                        // exchange, close: the one edge
  Slots to = {};        // send, deliver, start, choose, gather, scatter: whither; combine,
                        // combine_prefix, publish: the children in combining order; combine_parts:
                        // every slot
  const Region* region_down = nullptr;  // publish: the commit word's region
  u64 count = 0;  // repeat: times; every: period (the body runs after each period-th pass and after
                  // the last)
  Span<const Step> body = {};       // repeat, every; choose: the arm for 1
  Span<const Step> otherwise = {};  // choose: the arm for 0
  Slots sources = {};               // gather: whose parts come
};

enum class Order : u8 { tree, canonical };
enum class Normalization : u8 { sum, mean };

struct Contract {
  Order order;
  Normalization normalization;
  bool refuse_nonfinite;
  u64 mesh_fanout = 0;  // of the tree in whose order a mesh combines
};

// ---- a learner's part; null in a protocol of one's own
// -------------------------------------------

// A lowered program.  `in` and `out` are arrays of pointers in the order of the program's inputs
// and outputs; `rows` is the run-time row count, not above rows_max; scratch is 64-byte aligned.
struct Program {
  void (*call)(u64 rows, const void* const* in, void* const* out, void* scratch);
  u64 rows_max;
  u64 scratch_bytes;
};

// One leaf of the state, parameters first, then the optimiser's, each in pytree order.
struct Tensor {
  const char* name;   // "params/w1"
  const char* dtype;  // safetensors spelling: F32
  Span<const u64> shape;
  u64 bytes;
};

struct Metric {
  const char* name;
};

// When a run ends before its last round: `what` was not better than its best `patience` times in a
// row.
struct StopRule {
  const char* what;
  u16 buffer;   // the contribution or the metrics
  u64 element;  // of it
  u64 patience;
  bool more;  // whether more is better
};

struct Learner {
  // in: parameters, sample arrays [, weights] [, the round and the first row's index in the round's
  // batch, a u32 each], constants; out: loss, gradient leaves
  Program block;
  Program update;  // in: parameters, optimiser leaves, gradient leaves, loss, constants; out:
                   // parameters, optimiser leaves
  Program metric;  // in: parameters, evaluation arrays, constants; out: one scalar a metric.  call
                   // == nullptr: none
  Span<const Tensor> state;
  u64 parameters;                    // how many of `state` are parameters
  Span<const u64> gradient_offsets;  // element offset of each gradient leaf in the contribution;
                                     // the loss is at 0
  u16 contribution;                  // buffer: loss, then gradient leaves
  u16 metrics;                       // buffer: one element a metric
  Span<const Metric> metric_names;
  Span<const u64> sample_row_bytes;  // bytes of one row of each sample array, the weights last
                                     // where there are any
  Span<const u64> evaluation_row_bytes;
  Span<const u64> block_constants;  // bytes of each closed-over constant array, data in the stamp
  Span<const u64> update_constants;
  Span<const u64> metric_constants;
  u64 rounds;
  const StopRule* stop = nullptr;  // null: after `rounds`
  bool keyed = false;              // whether the block takes the round and the first row's index
  Span<const u8>
      safetensors_header;  // the shard's first bytes, length field included; tensors in name order
  Span<const u16> shard_order;                   // indices into `state`, in name order
  Span<const Span<const u8>> state_hash_pieces;  // canonical CBOR around the payload digests, in
                                                 // name order; one more piece than tensors
  // Hooks, not for generated code to set: naming them here links the learner's code into learner
  // roles only.
  bool (*prepare)(Participant&) = prepare_learner;
  void (*combined)(Participant&, u16 buffer) = report_combined;
};

struct Role {
  const char* system;  // the user's name for it
  const char* kind;    // "leaf, x86_64, 2 of 4 roles"
  Slot edges;          // how many
  u64 frame_bytes;
  Span<const Buffer> buffers;
  Span<const Region>
      regions;  // every region that a step names, so that versions can be kept beside them
  Span<const Step> schedule;
  Contract contract;
  const Learner* learner;
  const char* version;  // of alpha-build, for --version
  bool needs_v3;        // x86-64: compiled for AVX2 and FMA, checked at start
};

}  // namespace alpha
