// A protocol of one's own by hand, three roles in a chain 0 - 1 - 2: a choice that role 1 relays,
// transfers in both arms, a combine and its delivery, and what each role checks of them.
//
// The including test gives ROLE and, to make faults, SELECTOR, CONTRIBUTION, REFUSE, USES and
// FAULT.
#include "base/memory.h"
#include "role/main.h"
#include "role/participant.h"
#include "role/steps.h"

namespace {

using namespace alpha;
using namespace alpha::steps;

enum : u16 { kX, kY, kGo, kTotal, kCount };
constexpr u64 kWidth = 5;
constexpr Buffer kBuffers[] = {
    {.name = "x", .element = Element::f32, .bytes = f32_bytes(kWidth), .initial = 0x3fc00000},
    {.name = "y", .element = Element::f32, .bytes = f32_bytes(kWidth), .initial = 0},
    {.name = "go", .element = Element::word, .bytes = word_bytes(1), .initial = 0},
    {.name = "total", .element = Element::f32, .bytes = f32_bytes(kWidth), .initial = 0},
    {.name = "count", .element = Element::i64, .bytes = i64_bytes(1), .initial = ~u64{6}},
};
constexpr Region kRegions[] = {
    {.number = 0, .element = Element::word, .bytes = word_bytes(1), .buffer = kGo, .uses = USES},
    {.number = 1, .element = Element::f32, .bytes = f32_bytes(kWidth), .buffer = kX, .uses = 5},
    {.number = 2, .element = Element::f32, .bytes = f32_bytes(kWidth), .buffer = kY, .uses = 5},
    {.number = 3, .element = Element::i64, .bytes = i64_bytes(1), .buffer = kCount, .uses = 5},
    {.number = 4, .element = Element::f32, .bytes = f32_bytes(kWidth), .buffer = kTotal, .uses = 5},
    {.number = 5, .element = Element::f32, .bytes = f32_bytes(kWidth), .buffer = kTotal, .uses = 5},
};

[[maybe_unused]] bool decide(Participant& participant) {
  u64& go = participant.word(kGo);
  const u64 round = participant.round();
  go = SELECTOR;
  return true;
}

[[maybe_unused]] bool scale(Participant& participant) {
  const Span<f32> x = participant.buffer<f32>(kX);
  const Span<f32> y = participant.buffer<f32>(kY);
  for (u64 i = 0; i < y.size(); ++i) y[i] = x[i] * 2.0f;
  return true;
}

bool give(Participant& participant) {
  const u64 role = participant.stamp.role;
  const Span<f32> total = participant.buffer<f32>(kTotal);
  for (f32& value : total) value = static_cast<f32>(role + 1);
  total[3] = CONTRIBUTION;
  return FAULT;
}

// Whatever a role can see of the round.
bool check(Participant& participant) {
  const u64 role = participant.stamp.role;
  const u64 round = participant.round();
  const Span<f32> total = participant.buffer<f32>(kTotal);
  if (total[0] != 2.0f || total[4] != 2.0f) return participant.fail_local("the mean is not 2");
  if (!REFUSE) {
    u32 bits;
    copy_bytes(&bits, &total[3], sizeof bits);
    if (bits != 0x7fc00000) return participant.fail_local("the NaN is not canonical");
  }
  if (participant.word(kGo) != (round < 3 ? 1 : 0)) return participant.fail_local("another word");
  const f32 y = participant.buffer<f32>(kY)[4];
  if (role < 2 && y != 3.0f) return participant.fail_local("y is not 2 x");
  // Role 2 has role 1's x from round 3 on only; its own initial value is the same.
  return participant.buffer<f32>(kX)[4] == 1.5f;
}

constexpr Slot kDown = ROLE == 0 ? 0 : 1;
constexpr Slot kUp = 0;
constexpr Slot kChild[] = {kDown};
constexpr Slot kParent = ROLE == 0 ? kNoSlot : kUp;
constexpr Slots kChildren = ROLE == 2 ? kNoSlots : Slots(kChild);

#if ROLE == 0
constexpr Step kThen[] = {
    send(kRegions[1], kDown, "own.py:6 transfer"),
    receive(kRegions[2], kDown, "own.py:7 transfer"),
};
constexpr Span<const Step> kOtherwise = {};
#elif ROLE == 1
constexpr Step kThen[] = {
    receive(kRegions[1], kUp, "own.py:6 transfer"),
    local(scale, "own.py:6 local"),
    send(kRegions[2], kUp, "own.py:7 transfer"),
};
constexpr Step kSecond[] = {send(kRegions[3], kDown, "own.py:8 transfer")};
constexpr Span<const Step> kOtherwise = kSecond;
#else
constexpr Span<const Step> kThen = {};
constexpr Step kSecond[] = {receive(kRegions[3], kUp, "own.py:8 transfer")};
constexpr Span<const Step> kOtherwise = kSecond;
#endif

constexpr Step kRound[] = {
#if ROLE == 0
    local(decide, "own.py:4 local"),
#endif
    choose(kRegions[0], kParent, kChildren, kThen, kOtherwise, "own.py:5 choice"),
    local(give, "own.py:9 everyone"),
    combine_up(kRegions[4], kParent, kChildren, "own.py:10 combine"),
    deliver(kRegions[5], kParent, kChildren, "own.py:11 deliver"),
    local(check, "own.py:12 everyone"),
};
constexpr Step kSchedule[] = {
    repeat(5, kRound, "own.py:3 repeat"),
    close(0, "own.py:3 repeat"),
#if ROLE == 1
    close(1, "own.py:3 repeat"),
#endif
};
static_assert(count(kSchedule, Op::choose) == 1 && count(kSchedule, Op::every) == 0);

constexpr Role kRole = {
    .system = "own",
    .kind = "own, by hand",
    .edges = ROLE == 1 ? 2 : 1,
    .frame_bytes = 8,
    .buffers = kBuffers,
    .regions = kRegions,
    .schedule = kSchedule,
    .contract = {.order = Order::tree,
                 .normalization = Normalization::mean,
                 .refuse_nonfinite = REFUSE},
    .learner = nullptr,
    .version = "1.2.3",
    .needs_v3 = false,
};

}  // namespace

extern "C" int alpha_main(int argc, char** argv, char** envp) {
  return alpha::run_participant(kRole, argc, argv, envp);
}
