// The end of a run before its last round: the root looks at the loss or a metric, its word tells
// all.
#include "role/learner.h"
#include "role/print.h"
#include "role/relay.h"
#include "role/steps.h"

namespace alpha {
namespace {

f64 looked_at(const Participant& participant, const StopRule& rule) {
  const u8* const values = participant.buffers[rule.buffer];
  if (participant.role.buffers[rule.buffer].element == Element::f32) {
    return static_cast<f64>(reinterpret_cast<const f32*>(values)[rule.element]);
  }
  return reinterpret_cast<const f64*>(values)[rule.element];
}

// A NaN compares with nothing, so it is never better.
bool is_better(const LearnerMemory& memory, const StopRule& rule, f64 value) {
  if (!memory.has_best) return value == value;
  return rule.more ? value > memory.best : value < memory.best;
}

// Whether the root ends the run, of which it tells in a line.
bool had_enough(Participant& participant) {
  const StopRule& rule = *participant.role.learner->stop;
  LearnerMemory& memory = *participant.learner;
  const f64 value = looked_at(participant, rule);
  if (is_better(memory, rule, value)) {
    memory.best = value;
    memory.has_best = true;
    memory.since_best = 0;
  } else {
    ++memory.since_best;
  }
  if (memory.since_best < rule.patience) return false;
  Text<256> text;
  text.add("round ", participant.round() + 1, ": stops, ", Quoted{rule.what, length(rule.what)},
           " was not better ", rule.patience, rule.patience == 1 ? " time" : " times in a row");
  print_message(participant.stamp.role, text.c_str());
  return true;
}

}  // namespace

bool run_until(Participant& participant) {
  const Step& step = participant.step();
  u64& word = participant.word(step.region->buffer);
  if (step.from == kNoSlot) word = had_enough(participant) ? 1 : 0;
  if (!relay(participant, *step.region, step.from, step.to)) return false;
  if (word == 1) participant.end_repeat();
  return true;
}

}  // namespace alpha
