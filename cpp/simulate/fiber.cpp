// Bodies of the stack switch, and what AddressSanitizer is told about it.
#include "simulate/fiber.h"

#include <sys/mman.h>

#include <new>

#if defined(__x86_64__)
#include "simulate/fiber_x86_64.h"
#else
#include "simulate/fiber_aarch64.h"
#endif

extern "C" void alpha_switch(void** left, void* entered);

#if defined(__SANITIZE_ADDRESS__)
extern "C" {
void __sanitizer_start_switch_fiber(void** fake, const void* bottom, size_t bytes);
void __sanitizer_finish_switch_fiber(void* fake, const void** bottom, size_t* bytes);
void __asan_unpoison_memory_region(const volatile void* first, size_t bytes);
}
#else
namespace {
void __sanitizer_start_switch_fiber(void**, const void*, size_t) {}
void __sanitizer_finish_switch_fiber(void*, const void**, size_t*) {}
void __asan_unpoison_memory_region(const volatile void*, size_t) {}
}  // namespace
#endif

namespace alpha::simulate {

namespace {

constexpr u64 kStackBytes = 256 * 1024;  // the engine's poll list is 16 KiB of it

// What the next first entry is of, and the scheduler's stack as the sanitizer knows it.
thread_local void (*entry_body)(void*);
thread_local void* entry_context;
thread_local const void* scheduler_bottom;
thread_local size_t scheduler_bytes;

void enter_first() {
  __sanitizer_finish_switch_fiber(nullptr, &scheduler_bottom, &scheduler_bytes);
  entry_body(entry_context);
  __builtin_trap();
}

}  // namespace

Fiber::Fiber()
    : stack_(
          mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
  if (stack_ == MAP_FAILED) throw std::bad_alloc();
}

Fiber::~Fiber() { munmap(stack_, kStackBytes); }

void Fiber::start(void (*body)(void*), void* context) {
  __asan_unpoison_memory_region(stack_, kStackBytes);  // what was left there is no more
  body_ = body;
  context_ = context;
  own_ = first_frame(static_cast<u8*>(stack_) + kStackBytes, enter_first);
}

void Fiber::enter() {
  entry_body = body_;
  entry_context = context_;
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, stack_, kStackBytes);
  alpha_switch(&scheduler_, own_);
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
}

void Fiber::leave() {
  __sanitizer_start_switch_fiber(&sanitizer_, scheduler_bottom, scheduler_bytes);
  alpha_switch(&own_, scheduler_);
  __sanitizer_finish_switch_fiber(sanitizer_, &scheduler_bottom, &scheduler_bytes);
}

}  // namespace alpha::simulate
