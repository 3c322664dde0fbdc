// The two passes of the arena: adding up, then handing out.
#include "role/arena.h"

#include "base/assert.h"
#include "socket/kernel.h"

namespace alpha {

bool Arena::map() {
  ALPHA_ASSERT(first_ == nullptr);
  if (used_ == 0) used_ = 64;
  const i64 mapped = kernel::map_memory(used_);
  if (mapped < 0 && mapped > -4096) return false;
  first_ = reinterpret_cast<u8*>(mapped);
  mapped_bytes_ = used_;
  used_ = 0;
  return true;
}

void* Arena::take_bytes(u64 bytes) {
  const u64 at = used_;
  used_ += (bytes + 63) / 64 * 64;
  if (first_ == nullptr) return nullptr;
  ALPHA_ASSERT(used_ <= mapped_bytes_);
  return first_ + at;
}

}  // namespace alpha
