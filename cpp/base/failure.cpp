// The one list of failures, read as exit codes, words and names.
#include "base/failure.h"

namespace alpha {

int exit_code(FailureKind kind) {
  switch (kind) {
#define ALPHA_FAILURE_CODE(name, code, words) \
  case FailureKind::name:                     \
    return code;
    ALPHA_FAILURES(ALPHA_FAILURE_CODE)
#undef ALPHA_FAILURE_CODE
    case FailureKind::none:
      break;
  }
  return 0;
}

const char* failure_words(FailureKind kind) {
  switch (kind) {
#define ALPHA_FAILURE_WORDS(name, code, words) \
  case FailureKind::name:                      \
    return words;
    ALPHA_FAILURES(ALPHA_FAILURE_WORDS)
#undef ALPHA_FAILURE_WORDS
    case FailureKind::none:
      break;
  }
  return "complete";
}

const char* failure_name(FailureKind kind) {
  switch (kind) {
#define ALPHA_FAILURE_NAME(name, code, words) \
  case FailureKind::name:                     \
    return #name;
    ALPHA_FAILURES(ALPHA_FAILURE_NAME)
#undef ALPHA_FAILURE_NAME
    case FailureKind::none:
      break;
  }
  return "none";
}

}  // namespace alpha
