// Steps that move a region as it is: send, receive, deliver, choose, close.
#include "base/memory.h"
#include "frame/header.h"
#include "role/participant.h"
#include "role/relay.h"
#include "role/steps.h"

namespace alpha {
namespace {

bool relay_arrived(void* context) {
  relay_down(*static_cast<Delivery*>(context));
  return true;
}

}  // namespace

void pass_down(const Delivery& delivery, u64 ready) {
  for (Outbound& out : delivery.to) out.ready = ready;
}

void relay_down(const Delivery& delivery) {
  if (delivery.from != nullptr) pass_down(delivery, delivery.from->arrived);
}

bool relay(Participant& participant, const Region& region, Slot from, Slots to) {
  Transfer transfer;
  if (!participant.arm(region, region.bytes, &transfer)) return false;
  u8* const base = participant.base(region);
  Inbound* const in = participant.inbound;
  const u64 in_count = from == kNoSlot ? 0 : 1;
  if (in_count != 0) *in = {.slot = from, .what = transfer, .base = base, .staging = nullptr};
  for (u64 i = 0; i < to.size(); ++i) {
    participant.outbound[i] = {
        .slot = to[i], .what = transfer, .base = base, .ready = in_count == 0 ? region.bytes : 0};
  }
  Delivery context = {in_count == 0 ? nullptr : in, {participant.outbound, to.size()}};
  return exchange(participant.session, {in, in_count}, context.to, {relay_arrived, &context});
}

bool run_send(Participant& participant) {
  return relay(participant, *participant.step().region, kNoSlot, participant.step().to);
}

bool run_receive(Participant& participant) {
  return relay(participant, *participant.step().region, participant.step().from, {});
}

bool run_deliver(Participant& participant) {
  const Step& step = participant.step();
  return relay(participant, *step.region, step.from, step.to);
}

// The engine refuses a word that is not canonical before it is relayed; what is left is the
// authority's own.
bool run_choose(Participant& participant) {
  const Step& step = participant.step();
  const u64& word = participant.word(step.region->buffer);
  if (step.from == kNoSlot && word > 1) {
    Text<128> text;
    text.add("selector \"", participant.role.buffers[step.region->buffer].name, "\" is ", word,
             ", neither 0 nor 1");
    return participant.fail_local(text.c_str());
  }
  if (!relay(participant, *step.region, step.from, step.to)) return false;
  return participant.walk(word == 1 ? step.body : step.otherwise);
}

bool run_close(Participant& participant) {
  return close_edge(participant.session, participant.step().from);
}

}  // namespace alpha
