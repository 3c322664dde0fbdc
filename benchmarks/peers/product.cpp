// The executables' product of two square matrices, by the instruction set that is asked for.
#include "base/processor.h"
#include "learner/matrix.h"

namespace alpha {

static Processor chosen;
const Processor& processor() { return chosen; }

extern "C" void product(bool avx512, u64 size, const f32* left, const f32* right, f32* result,
                        f32* workspace) {
  chosen.v3 = true;
  chosen.avx512 = avx512;
  multiply<true>(size, size, size, Matrix<const f32>{left, size, 1},
                 Matrix<const f32>{right, size, 1}, Matrix<f32>{result, size, 1}, workspace);
}

}  // namespace alpha
