// The first instructions of an AArch64 executable: an aligned stack, alpha_start, exit_group with
// its result.
#pragma once

constexpr char kClockName[] = "__kernel_clock_gettime";  // in the kernel's image

asm(".globl _start\n"
    ".type _start, %function\n"
    "_start:\n"
    "  mov x29, #0\n"
    "  mov x30, #0\n"
    "  mov x0, sp\n"
    "  and sp, x0, #-16\n"
    "  bl alpha_start\n"
    "  mov x8, #94\n"
    "  svc #0\n"
    "  brk #1\n"
    ".size _start, . - _start\n");
