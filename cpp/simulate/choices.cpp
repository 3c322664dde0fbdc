// The generator (SplitMix64) and the list.
#include "simulate/choices.h"

#include "base/assert.h"

namespace alpha::simulate {

void Choices::seed(u64 seed, Rarity rarity, u32 harm_count_max) {
  seeded_ = true;
  resting_ = false;
  state_ = seed;
  rarity_ = rarity;
  harm_left_ = harm_count_max;
  made_.clear();
}

void Choices::follow(const u16* first, u64 count) {
  seeded_ = false;
  resting_ = false;
  list_.assign(first, first + count);
  made_.clear();
}

u64 Choices::draw() {
  state_ += 0x9e3779b97f4a7c15u;
  u64 mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  return mixed ^ (mixed >> 31);
}

u32 Choices::listed(u32 count) {
  const u64 at = made_.size();
  return at < list_.size() ? list_[at] % count : 0;
}

u32 Choices::pick(u32 rough, u32 harm, u32 scarcity, u32 frequency) {
  if (resting_) return 0;
  const u32 count = 1 + rough + harm;
  u32 value = 0;
  if (!seeded_) {
    value = listed(count);
  } else {
    const u64 drawn = draw();
    const u32 which = static_cast<u32>(drawn >> 40);
    const u64 harm_rarity = (u64{rarity_.harm} * scarcity + frequency - 1) / frequency;
    const u64 rough_rarity = (u64{rarity_.rough} * scarcity + frequency - 1) / frequency;
    if (harm != 0 && harm_left_ != 0 && harm_rarity != 0 && drawn % harm_rarity == 0) {
      value = 1 + rough + which % harm;
      --harm_left_;
    } else if (rough != 0 && rough_rarity != 0 && (drawn >> 20) % rough_rarity == 0) {
      value = 1 + which % rough;
    }
  }
  made_.push_back({static_cast<u16>(value), static_cast<u16>(count)});
  return value;
}

u32 Choices::below(u32 count) {
  ALPHA_ASSERT(count != 0 && count <= 65536);
  if (resting_) return 0;
  const u32 value = seeded_ ? static_cast<u32>(draw() >> 33) % count : listed(count);
  made_.push_back({static_cast<u16>(value), static_cast<u16>(count)});
  return value;
}

}  // namespace alpha::simulate
