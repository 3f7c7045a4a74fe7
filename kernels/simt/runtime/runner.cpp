// The runner: it reads a job, launches its kernels and writes what came of it.
//
//	runner JOB RESULT
//
// It ends with 0 when the result is complete, 3 for a job that cannot be run, 4 after
// AddressSanitizer has spoken, else by the signal that a kernel died of.
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include "block.cpp"
#include "crash.h"
#include "facts.h"
#include "owner.h"
#include "shadow.cpp"
#include "waits.cpp"
#include "workers.h"

namespace gpuci {
static Entry *entries; // set by the constructors of the kernels, before any of ours
Entry::Entry(const char *name, void (*call)(void **), const char *kinds, unsigned bound)
    : name(name), call(call), kinds(kinds), bound(bound), next(entries) {
  entries = this;
}
} // namespace gpuci

// fits refuses what no device launches: more threads than __launch_bounds__ names, more
// static shared memory than a kernel may have, more of both than a block has.
static void fits(const Launch &l, const gpuci::Entry &e) {
  constexpr std::size_t most = 48 << 10; // CUDA C++ Programming Guide, table of compute capabilities
  unsigned threads = l.threads.x * l.threads.y * l.threads.z;
  if (e.bound && threads > e.bound) {
    refuse("launch " + l.kernel + ": " + std::to_string(threads) + " threads, and its __launch_bounds__ are " + std::to_string(e.bound));
  }
  std::size_t own = staticShared(l.kernel);
  if (own > most) {
    refuse("launch " + l.kernel + ": " + std::to_string(own) + " bytes of static __shared__, and a kernel may have " +
           std::to_string(most) + "; take dynamic shared memory");
  }
  if (own + l.shared > dynamicSize) {
    refuse("launch " + l.kernel + ": " + std::to_string(own) + " bytes of static and " + std::to_string(l.shared) +
           " of dynamic shared memory, and a block has " + std::to_string(dynamicSize));
  }
}

static const gpuci::Entry *find(const Launch &l) {
  std::string known;
  for (const gpuci::Entry *e = gpuci::entries; e; e = e->next) {
    if (l.kernel == e->name) {
      if (l.kinds == e->kinds) {
        fits(l, *e);
        return e;
      }
      refuse("launch " + l.kernel + ": the arguments are '" + l.kinds + "' and its parameters '" + e->kinds +
             "' (p: pointer, i: int, f: float)");
    }
    known += std::string(" ") + e->name;
  }
  refuse("launch " + l.kernel + ": no such kernel; there are:" + known);
}

struct Count {
  std::string phase, kernel;
  unsigned times;
};

// launch is the one way by which kernels are run, and counts.
static bool launch(Workers &workers, const Launch &l, std::size_t number, std::vector<Count> &counts) {
  bool known = false;
  for (Count &c : counts) {
    if (c.phase == l.phase && c.kernel == l.kernel) c.times++, known = true;
  }
  if (!known) counts.push_back({l.phase, l.kernel, 1});
  shadow::launch(l);
  return workers.run(l, number);
}

static void unwritten(const Memory &memory, Findings &findings) {
  for (const Buffer &b : memory.buffers) {
    if (!b.output) continue;
    Finding *found = nullptr;
    for (std::size_t i = 0; i < b.count; i++) {
      if (shadow::written(b.at + i)) continue;
      if (!found) {
        found = findings.seen("unwritten", "", b.at, nullptr);
        found->memory = b.name + "[" + std::to_string(i) + "]", found->count = 0;
      }
      found->count++;
    }
  }
}

// trampled tells of a write beyond a buffer that no shadow has seen.
static void trampled([[maybe_unused]] const Memory &memory, [[maybe_unused]] Findings &findings) {
#ifndef GPUCI_CHECK
  if (const void *at = memory.trampled()) findings.seen("out-of-bounds", "", at, nullptr)->memory = memory.describe(at);
#endif
}

int main(int argc, char **argv) {
  if (argc != 3) refuse("usage: runner JOB RESULT");
  crash::result = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
  std::FILE *out = crash::result < 0 ? nullptr : fdopen(crash::result, "w");
  if (!out) refuse(std::string("open result ") + argv[2]);
  owner::watch();
  Job job;
  readJob(argv[1], job);
  for (Launch &l : job.launches) l.entry = find(l);
  crash::memory = &job.memory;
  Findings findings;
  shadow::begin(findings, job.memory);
  Workers workers(job.workers, job.order, job.limit, findings);
  std::vector<Count> counts;
  bool whole = true;
  for (std::size_t i = 0; whole && i < job.launches.size(); i++) whole = launch(workers, job.launches[i], i + 1, counts);
  if (whole) {
    unwritten(job.memory, findings);
    trampled(job.memory, findings);
    for (const Buffer &b : job.memory.buffers) save(b);
  }
  for (const Count &c : counts) std::fprintf(out, "count %s %s %u\n", c.phase.c_str(), c.kernel.c_str(), c.times);
  findings.write(out, workers.base());
  std::fprintf(out, "end\n");
  if (std::fflush(out) != 0) refuse("write result: is the disk full?");
  _exit(0); // the other workers wait for ever
}
