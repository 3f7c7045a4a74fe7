// A kernel that ends the process: what ran is written down before it goes.
#pragma once

#include <csignal>
#include <cstdio>
#include <ucontext.h>
#include <unistd.h>

#include "block.h"
#include "job.h"

namespace crash {

inline int result = -1; // the descriptor of the result file
inline const Memory *memory;

// called is the address in the kernels that a call from there returns to, where the
// runner looks at an access for them; see path in block.cpp for frames.
inline const void *called(const char *pc, [[maybe_unused]] const void *frame) {
#ifdef GPUCI_CHECK
  if (!gpuci_self || !Block::current) return pc;
  const Shared &s = Block::now().shared;
  for (auto *f = static_cast<const char *const *>(frame); pc < s.base || pc >= s.end; f = reinterpret_cast<const char *const *>(f[0])) {
    if (!Block::self().stack.holds(f)) break;
    pc = f[1];
  }
#endif
  return pc;
}

// counter is the address behind the instruction that was running.
inline const void *counter(void *context) {
  auto *u = static_cast<ucontext_t *>(context);
#if defined(__x86_64__)
  auto *pc = reinterpret_cast<const char *>(u->uc_mcontext.gregs[REG_RIP]);
  return called(pc + 1, reinterpret_cast<const void *>(u->uc_mcontext.gregs[REG_RBP]));
#elif defined(__aarch64__)
  return called(reinterpret_cast<const char *>(u->uc_mcontext.pc) + 1, reinterpret_cast<const void *>(u->uc_mcontext.regs[29]));
#else
  return nullptr;
#endif
}

// say writes a line of where the running thread is; pc is an address after a call.
inline void say(const char *word, const char *detail, const void *pc) {
  if (!gpuci_self || !Block::current) return;
  const Block &b = Block::now();
  const gpuci_here &t = *gpuci_self;
  char line[512];
  int n = std::snprintf(line, sizeof line, "%s %s 1 %s %u,%u,%u:%u,%u,%u:%llx:%s:1\n", word, b.launch->kernel.c_str(),
                        detail, b.where.block.x, b.where.block.y, b.where.block.z, t.thread.x, t.thread.y, t.thread.z,
                        static_cast<unsigned long long>(static_cast<const char *>(pc) - b.shared.base), "access");
  if (write(result, line, std::size_t(n)) != n) _exit(3);
}

// end ends the process as by the signal.
inline void end(int signal, const void *pc) {
  char number[16];
  std::snprintf(number, sizeof number, "%d", signal);
  say("crash", number, pc);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

// handle is of signals. Far beyond a buffer nothing can be touched, and an input not be
// written: to do so is a finding, and not a crash.
inline void handle(int signal, siginfo_t *info, void *context) {
  auto *pc = static_cast<const char *>(counter(context));
  if (signal == SIGALRM && !(Block::current && Block::now().running())) return; // another worker's launch
  const Buffer *b = signal == SIGSEGV && memory ? memory->of(info->si_addr) : nullptr;
  if (b) {
    say(Memory::within(*b, info->si_addr) ? "finding rewritten" : "finding out-of-bounds", memory->describe(info->si_addr).c_str(), pc);
    _exit(4);
  }
  end(signal, pc);
}

// watch is called on every worker: the handler runs on a stack of its own, since
// that of a fiber may be what is spent.
inline void watch() {
  static constexpr std::size_t room = 64 << 10;
  stack_t s{};
  s.ss_sp = std::malloc(room), s.ss_size = room;
  sigaltstack(&s, nullptr);
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int signal : {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
}

} // namespace crash

#ifdef GPUCI_ADDRESS
// AddressSanitizer calls this before it prints and ends the process.
extern "C" void __asan_on_error() {
  const void *at = __asan_get_report_address();
  bool shared = Block::current && Block::now().shared.holds(at);
  std::string text = shared ? Block::now().shared.describe(at) : crash::memory->describe(at);
  crash::say("finding out-of-bounds", text.empty() ? "-" : text.c_str(), __asan_get_report_pc());
}

extern "C" const char *__asan_default_options() {
  return "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_abort=0:handle_sigill=0:detect_leaks=0:"
         "detect_stack_use_after_return=0:symbolize=0:exitcode=4:print_legend=0";
}
#endif
