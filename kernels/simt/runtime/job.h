// The job file and the result file: lines of words.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "memory.h"
#include "refuse.h"
#include "registry.h"
#include "threads.h"

// Launch is one line of the job and its arguments, ready to be passed.
struct Launch {
  std::string kernel, phase, kinds;
  dim3 blocks, threads;
  unsigned shared = 0;
  std::vector<std::uint64_t> values; // a pointer, an int or a float in its first bytes
  std::vector<void *> args;          // their addresses
  const gpuci::Entry *entry = nullptr;
};

struct Job {
  std::uint64_t order = 0;
  unsigned workers = 1;
  std::uint64_t limit = 0; // milliseconds for each launch; 0: none
  Memory memory;
  std::vector<Launch> launches;
};

// argument reads "buffer N", "int N" or "float BITS".
inline void argument(std::istream &in, Job &job, Launch &l) {
  std::string kind;
  std::int64_t n = 0;
  in >> kind >> n;
  std::uint64_t value = 0;
  if (kind == "buffer") {
    std::memcpy(&value, &job.memory.buffers.at(std::size_t(n)).at, sizeof(float *));
  } else {
    auto word = std::uint32_t(n);
    std::memcpy(&value, &word, 4);
  }
  l.kinds += kind == "buffer" ? 'p' : kind == "int" ? 'i' : 'f';
  l.values.push_back(value);
}

// load reads what a buffer is given.
inline void load(const Buffer &b) {
  if (b.in == "-") return;
  std::ifstream file(b.in, std::ios::binary);
  file.read(reinterpret_cast<char *>(b.at), std::streamsize(b.count * 4));
  if (!file) refuse("read buffer " + b.name + ": its file is short");
}

// readJob reads
//
//	order SEED
//	workers N
//	buffers N
//	NAME ROLE COUNT IN OUT             N times
//	launches N
//	KERNEL PHASE GRID BLOCK SHARED ARGUMENTS   N times; grid and block are three numbers
//	KIND VALUE                         as often as there are arguments
//	limit MILLISECONDS
inline void readJob(const char *path, Job &job) {
  std::ifstream in(path);
  std::string word;
  std::size_t n = 0;
  in >> word >> job.order >> word >> job.workers >> word >> n;
  job.memory.buffers.resize(n);
  for (Buffer &b : job.memory.buffers) {
    in >> b.name >> b.role >> b.count >> b.in >> b.out;
    b.input = b.role == "input", b.output = b.role == "output", b.given = b.in != "-";
  }
  if (!in) refuse("read job: it is cut short");
  job.memory.allocate();
  for (const Buffer &b : job.memory.buffers) load(b);
  job.memory.protect();
  in >> word >> n;
  job.launches.resize(in ? n : 0);
  for (Launch &l : job.launches) {
    in >> l.kernel >> l.phase >> l.blocks.x >> l.blocks.y >> l.blocks.z >> l.threads.x >> l.threads.y >> l.threads.z;
    in >> l.shared >> n;
    for (std::size_t i = 0; in && i < n; i++) argument(in, job, l);
    for (std::uint64_t &v : l.values) l.args.push_back(&v);
  }
  in >> word >> job.limit;
  if (!in) refuse("read job: it is cut short");
}

inline void save(const Buffer &b) {
  if (b.out == "-") return;
  std::ofstream file(b.out, std::ios::binary);
  file.write(reinterpret_cast<const char *>(b.at), std::streamsize(b.count * 4));
  file.close();
  if (!file) refuse("write buffer " + b.name + ": is the disk full?");
}
