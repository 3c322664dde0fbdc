// From the kernel's first instruction to alpha_main.  Freestanding executables only.
#include "base/clock.h"
#include "base/processor.h"
#include "base/types.h"

#if defined(__x86_64__)
#include "base/start_x86_64.h"
#else
#include "base/start_aarch64.h"
#endif

extern "C" int alpha_main(int argc, char** argv, char** envp);

// The kernel leaves on the stack: argc, argv, null, envp, null, pairs of the auxiliary vector.
extern "C" __attribute__((used)) int alpha_start(alpha::u64* stack) {
  constexpr alpha::u64 kHardwareCapabilities = 16, kKernelImage = 33;  // AT_HWCAP, AT_SYSINFO_EHDR
  const int argc = static_cast<int>(stack[0]);
  char** argv = reinterpret_cast<char**>(stack + 1);
  char** envp = argv + argc + 1;
  char** end = envp;
  while (*end != nullptr) ++end;
  const alpha::u64* pair = reinterpret_cast<alpha::u64*>(end + 1);
  alpha::u64 hwcap = 0;
  const alpha::u8* image = nullptr;
  for (; pair[0] != 0; pair += 2) {
    if (pair[0] == kHardwareCapabilities) hwcap = pair[1];
    if (pair[0] == kKernelImage) image = reinterpret_cast<const alpha::u8*>(pair[1]);
  }
  alpha::detect_processor(hwcap);
  alpha::find_clock(image, kClockName);
  return alpha_main(argc, argv, envp);
}
