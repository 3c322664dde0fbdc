// Changing stacks on x86-64: what a called function must keep is pushed, the rest is the
// compiler's.
#pragma once

#include "base/types.h"

// alpha_switch(&left, entered): saves the stack in hand in `left`, goes on on `entered`.
asm(R"(
.text
.globl alpha_switch
.hidden alpha_switch
.type alpha_switch, @function
alpha_switch:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
.size alpha_switch, .-alpha_switch
)");

namespace alpha::simulate {

// A stack that alpha_switch enters by calling `entry`, as if from nowhere.
inline void* first_frame(u8* top, void (*entry)()) {
  u64* frame = reinterpret_cast<u64*>(top) - 8;
  for (int i = 0; i < 8; ++i) frame[i] = 0;
  frame[6] = reinterpret_cast<u64>(entry);
  return frame;
}

}  // namespace alpha::simulate
