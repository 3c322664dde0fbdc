// Products of matrices by each instruction set that this processor has, against a plain loop in the
// declared order.
#include "learner/matrix.h"

#include <sys/mman.h>

#include <cstring>

#include "base/processor.h"
#include "learner/pair.h"

namespace alpha {

static Processor chosen;
const Processor& processor() { return chosen; }

// A copy that ends where memory ends, so that reading past it is a fault.
class Walled {
 public:
  Walled(const f32* from, u64 count) : bytes_((count * sizeof(f32) / kPage + 2) * kPage) {
    start_ = static_cast<char*>(
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    char* const wall = start_ + bytes_ - kPage;
    mprotect(wall, kPage, PROT_NONE);
    values_ = reinterpret_cast<f32*>(wall) - count;
    std::memcpy(values_, from, count * sizeof(f32));
  }
  ~Walled() { munmap(start_, bytes_); }
  Walled(const Walled&) = delete;
  Walled& operator=(const Walled&) = delete;
  const f32* values() const { return values_; }

 private:
  static constexpr u64 kPage = 65536;  // the largest of any target
  u64 bytes_;
  char* start_;
  f32* values_;
};

template <bool kFused>
static u64 differing(u64 m, u64 n, u64 k, const f32* left, const f32* right, f32* result,
                     f32* workspace, u64 turned) {
  // Bits of `turned` say which of the three matrices lie column by column.
  const Matrix<const f32> a{left, turned & 1 ? 1 : k, turned & 1 ? m : 1};
  const Matrix<const f32> b{right, turned & 2 ? 1 : n, turned & 2 ? k : 1};
  const Matrix<f32> c{result, turned & 4 ? 1 : n, turned & 4 ? m : 1};
  multiply<kFused>(m, n, k, a, b, c, workspace);
  u64 count = 0;
  for (u64 i = 0; i < m; ++i) {
    for (u64 j = 0; j < n; ++j) {
      f32 whole = 0;
      for (u64 start = 0; start < k; start += kPart) {
        f32 part = 0;
        for (u64 x = start; x < k && x < start + kPart; ++x) {
          part = kFused ? fused_multiply_add(a(i, x), b(x, j), part) : part + a(i, x) * b(x, j);
        }
        whole += part;
      }
      count += bit_cast<u32>(whole) != bit_cast<u32>(c(i, j)) ? 1 : 0;
    }
  }
  return count;
}

// Which of the forms 0 (every processor), 1 (AVX2) and 2 (AVX-512) run here.
extern "C" u64 forms() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) return 3;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 2;
#endif
  return 1;
}

// How many results of a product differ from the plain loop's.
extern "C" u64 product(u64 form, bool fused, u64 m, u64 n, u64 k, const f32* left, const f32* right,
                       f32* result, f32* workspace, u64 turned) {
  chosen.v3 = form >= 1;
  chosen.avx512 = form >= 2;
  const auto call = fused ? differing<true> : differing<false>;
  const Walled a(left, m * k), b(right, k * n);
  return call(m, n, k, a.values(), b.values(), result, workspace, turned);
}

}  // namespace alpha
