// How the runner says that it cannot run a job.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

[[noreturn]] inline void refuse(const std::string &why) {
  std::fprintf(stderr, "simt: %s\n", why.c_str());
  std::exit(3);
}
