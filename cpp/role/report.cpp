// What the root says of a learner's rounds: one line for the loss of each, one for each metric of
// an evaluation.
#include "role/participant.h"
#include "role/print.h"

namespace alpha {
namespace {

void add_value(Text<512>* text, Element element, const u8* from) {
  if (element == Element::f32) {
    text->add(*reinterpret_cast<const f32*>(from));
  } else {
    text->add(*reinterpret_cast<const f64*>(from));
  }
}

}  // namespace

// Rounds are counted from 1, so that the last line's number is how many there were.
void report_combined(Participant& participant, u16 buffer) {
  const Learner& learner = *participant.role.learner;
  const Element element = participant.role.buffers[buffer].element;
  const u8* const values = participant.buffers[buffer];
  const u64 round = participant.round() + 1;
  if (buffer == learner.contribution) {
    Text<512> text;
    text.add("round ", round, ": loss ");
    add_value(&text, element, values);
    print_message(participant.stamp.role, text.c_str());
    return;
  }
  for (u64 i = 0; i < learner.metric_names.size(); ++i) {
    const char* const name = learner.metric_names[i].name;
    Text<512> text;
    text.add("round ", round, ": metric ", Quoted{name, length(name)}, " ");
    add_value(&text, element, values + i * element_bytes(element));
    print_message(participant.stamp.role, text.c_str());
  }
}

}  // namespace alpha
