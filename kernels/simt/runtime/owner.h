// The process that waits for the answer: when it is gone, however it went, the runner
// has nobody to run for.
#pragma once

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

#include "refuse.h"

namespace owner {

inline void *wait(void *file) {
  int got;
  do got = flock(int(reinterpret_cast<std::intptr_t>(file)), LOCK_SH);
  while (got != 0 && errno == EINTR);
  if (got == 0) _exit(5);
  return nullptr; // a file system without locks
}

// watch ends the process when the lock on the file owner beside the job is free. A job
// that is run by hand has none.
inline void watch() {
  std::intptr_t file = open("owner", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  pthread_t id;
  if (pthread_create(&id, nullptr, wait, reinterpret_cast<void *>(file))) refuse("watch owner: no more threads");
}

} // namespace owner
