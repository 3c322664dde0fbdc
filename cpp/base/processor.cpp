// The processor's features, kept where everybody reads them.
#include "base/processor.h"

#if defined(__x86_64__)
#include "base/processor_x86_64.h"
#else
#include "base/processor_aarch64.h"
#endif

namespace alpha {

namespace {

Processor found;

}  // namespace

void detect_processor(u64 hwcap) { found = features(hwcap); }

const Processor& processor() { return found; }

}  // namespace alpha
