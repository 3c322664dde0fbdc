// The first instructions of an x86-64 executable: an aligned stack, alpha_start, exit_group with
// its result.
#pragma once

constexpr char kClockName[] = "__vdso_clock_gettime";  // in the kernel's image

asm(".globl _start\n"
    ".type _start, @function\n"
    "_start:\n"
    "  xorl %ebp, %ebp\n"
    "  movq %rsp, %rdi\n"
    "  andq $-64, %rsp\n"
    "  call alpha_start\n"
    "  movl %eax, %edi\n"
    "  movl $231, %eax\n"
    "  syscall\n"
    "  hlt\n"
    ".size _start, . - _start\n");
