// All memory of a participant: measured, mapped once at start, carved; never freed, never grown.
#pragma once

#include "base/types.h"

namespace alpha {

// The layout function runs twice over one arena: first with nothing mapped, to add up the bytes
// (take() gives null), then to hand out the parts.  Parts are zero and 64-byte aligned.
class Arena {
 public:
  template <class T>
  T* take(u64 count) {
    return static_cast<T*>(take_bytes(count * sizeof(T)));
  }

  // Maps what was measured; false when the machine has not that much (the caller says how much).
  [[nodiscard]] bool map();
  u64 bytes() const { return used_; }
  bool mapped() const { return first_ != nullptr; }

 private:
  void* take_bytes(u64 bytes);

  u8* first_ = nullptr;
  u64 used_ = 0;
  u64 mapped_bytes_ = 0;
};

}  // namespace alpha
