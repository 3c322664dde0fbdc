// A role's stack of its own, so that a simulated system call can wait for the network while others
// run: entered by the scheduler, left at any depth, entered again where it was left.
#pragma once

#include "base/types.h"

namespace alpha::simulate {

class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // The next enter() calls body(context) on a stack of its own.  What was left on it before is
  // forgotten: no destructor runs there.  `body` ends by leave(), never by returning.
  void start(void (*body)(void*), void* context);
  void enter();  // from the scheduler's stack; returns when the fiber leaves
  void leave();  // from the fiber's stack; returns when it is entered again

 private:
  void* stack_;
  void (*body_)(void*) = nullptr;
  void* context_ = nullptr;
  void* own_ = nullptr;        // where it was left
  void* scheduler_ = nullptr;  // where it was entered
  void* sanitizer_ = nullptr;  // what AddressSanitizer keeps of the stack that is left
};

}  // namespace alpha::simulate
