// How a participant ends when it does not complete: one list of kinds, read by the exit code, the
// printed line and the Python exceptions.
#pragma once

#include "base/limits.h"
#include "base/text.h"
#include "base/types.h"

namespace alpha {

// kind, exit code, the words before the colon of the printed line
#define ALPHA_FAILURES(X)                           \
  X(usage, 64, "usage")                             \
  X(frame, 70, "refused (frame)")                   \
  X(edge, 71, "refused (edge)")                     \
  X(version, 72, "refused (version)")               \
  X(bytes, 73, "refused (bytes)")                   \
  X(truncated, 74, "refused (truncated)")           \
  X(connect, 75, "budget exhausted (connect)")      \
  X(accept, 76, "budget exhausted (accept)")        \
  X(wait, 77, "budget exhausted (wait)")            \
  X(frame_time, 77, "budget exhausted (frame)")     \
  X(session_time, 77, "budget exhausted (session)") \
  X(admission, 78, "admission refused")             \
  X(local, 79, "local operation failed")            \
  X(checkpoint, 80, "checkpoint failed")

enum class FailureKind : u8 {
  none,
#define ALPHA_FAILURE_ENUM(name, code, words) name,
  ALPHA_FAILURES(ALPHA_FAILURE_ENUM)
#undef ALPHA_FAILURE_ENUM
};

int exit_code(FailureKind kind);
const char* failure_words(FailureKind kind);
const char* failure_name(FailureKind kind);

// The first failure of a participant; later ones are consequences and do not replace it.
struct Failure {
  FailureKind kind = FailureKind::none;
  Text<kFailureTextBytes>
      text;  // after the words and a colon: "edge 0->2 region 5: expected ..., got ..."
};

}  // namespace alpha
