// Fibers: the threads of a block, which give way to each other only where the kernel
// waits.
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>

#include "refuse.h"

#if defined(__SANITIZE_ADDRESS__)
#define GPUCI_ADDRESS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GPUCI_ADDRESS 1
#endif
#endif
#ifdef GPUCI_ADDRESS
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if defined(__x86_64__)
// The registers that a call keeps (System V ABI, 3.2.1); the control words of the
// floating point units are nobody's to change here.
asm(R"(
.text
.p2align 4
.type gpuci_switch,@function
gpuci_switch:
	pushq %rbp
	pushq %rbx
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	movq %rsp, (%rdi)
	movq %rsi, %rsp
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbx
	popq %rbp
	ret
.size gpuci_switch,.-gpuci_switch
)");
#elif defined(__aarch64__)
// x19 to x30 and the low halves of v8 to v15 (AAPCS64, 6.1).
asm(R"(
.text
.p2align 4
.type gpuci_switch,%function
gpuci_switch:
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
.size gpuci_switch,.-gpuci_switch
)");
#else
#include <ucontext.h>
#endif

// Stack is a fiber's stack and where in it the fiber stands.
struct Stack {
  // A page at the bottom is left out of reach: a kernel that needs more ends with a
  // signal instead of writing into its neighbour.
  static constexpr std::size_t page = 4096;
#ifdef GPUCI_ADDRESS
  static constexpr std::size_t size = 256 << 10; // red zones make frames several times larger
#else
  static constexpr std::size_t size = 128 << 10;
#endif
  char *base = nullptr;
  void *at = nullptr;
  void *fake = nullptr; // AddressSanitizer's
  const void *bottom = nullptr;
  std::size_t length = 0;

  void allocate() {
    void *p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED || mprotect(p, page, PROT_NONE) != 0) refuse("make the stack of a thread: no more memory");
    base = static_cast<char *>(p);
    bottom = base + page, length = size - page;
  }

  bool holds(const void *p) const { return std::size_t(static_cast<const char *>(p) - base) < size; }

  // prepare makes it begin in entry when it is next switched to. Tops are staggered:
  // at the same offset of every page they would share a few sets of the cache.
  void prepare(void (*entry)(), unsigned index) {
    char *top = base + size - 256 - (index * 192) % 3072;
    fake = nullptr;
#if defined(__x86_64__)
    auto **p = reinterpret_cast<void **>(top);
    *--p = nullptr; // where a walk over the frames ends
    *--p = reinterpret_cast<void *>(entry);
    at = p - 6;
    for (int i = 1; i <= 6; i++) p[-i] = nullptr;
#elif defined(__aarch64__)
    auto **p = reinterpret_cast<void **>(top - 160);
    for (int i = 0; i < 20; i++) p[i] = nullptr;
    p[11] = reinterpret_cast<void *>(entry);
    at = p;
#else
    (void)top;
    getcontext(&context);
    context.uc_stack.ss_sp = base + page;
    context.uc_stack.ss_size = size - page;
    context.uc_link = nullptr;
    makecontext(&context, entry, 0);
#endif
  }
#if !defined(__x86_64__) && !defined(__aarch64__)
  ucontext_t context;
#endif
};

extern "C" void gpuci_switch(void **save, void *load);

// arrive is the first thing to be done on a stack that was switched to; from is the
// one that gave way, where it is not known yet which memory it has.
inline void arrive([[maybe_unused]] Stack &on, [[maybe_unused]] Stack *from) {
#ifdef GPUCI_ADDRESS
  __sanitizer_finish_switch_fiber(on.fake, from ? &from->bottom : nullptr, from ? &from->length : nullptr);
#endif
}

// change goes from one stack to another and comes back when somebody changes to the
// first again. A stack that is left for good gives up what AddressSanitizer keeps.
inline void change(Stack &from, Stack &to, [[maybe_unused]] bool forgood = false) {
#ifdef GPUCI_ADDRESS
  __sanitizer_start_switch_fiber(forgood ? nullptr : &from.fake, to.bottom, to.length);
#endif
#if defined(__x86_64__) || defined(__aarch64__)
  gpuci_switch(&from.at, to.at);
#else
  swapcontext(&from.context, &to.context);
#endif
  arrive(from, nullptr);
}
