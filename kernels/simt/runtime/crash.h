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

inline const void *counter(void *context) {
  auto *u = static_cast<ucontext_t *>(context);
#if defined(__x86_64__)
  return reinterpret_cast<const void *>(u->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void *>(u->uc_mcontext.pc);
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

inline void handle(int signal, siginfo_t *, void *context) {
  char number[16];
  std::snprintf(number, sizeof number, "%d", signal);
  say("crash", number, static_cast<const char *>(counter(context)) + 1);
  std::signal(signal, SIG_DFL);
  raise(signal);
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
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
}

} // namespace crash

#ifdef GPUCI_ADDRESS
inline Memory *asanMemory;

// AddressSanitizer calls this before it prints and ends the process.
extern "C" void __asan_on_error() {
  const void *at = __asan_get_report_address();
  bool shared = Block::current && Block::now().shared.holds(at);
  std::string text = shared ? Block::now().shared.describe(at) : asanMemory->describe(at);
  crash::say("finding out-of-bounds", text.empty() ? "-" : text.c_str(), __asan_get_report_pc());
}

extern "C" const char *__asan_default_options() {
  return "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_abort=0:handle_sigill=0:detect_leaks=0:"
         "detect_stack_use_after_return=0:symbolize=0:exitcode=4:print_legend=0";
}
#endif
