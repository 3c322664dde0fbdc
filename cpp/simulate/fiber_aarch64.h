// Changing stacks on AArch64: what a called function must keep is stored, the rest is the
// compiler's.
#pragma once

#include "base/types.h"

// alpha_switch(&left, entered): saves the stack in hand in `left`, goes on on `entered`.
asm(R"(
.text
.globl alpha_switch
.hidden alpha_switch
.type alpha_switch, %function
alpha_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size alpha_switch, .-alpha_switch
)");

namespace alpha::simulate {

// A stack that alpha_switch enters by calling `entry`, as if from nowhere.
inline void* first_frame(u8* top, void (*entry)()) {
  u64* frame = reinterpret_cast<u64*>(top) - 20;
  for (int i = 0; i < 20; ++i) frame[i] = 0;
  frame[11] = reinterpret_cast<u64>(entry);
  return frame;
}

}  // namespace alpha::simulate
