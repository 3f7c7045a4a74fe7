// What the debug information of the kernels says of them: lines of the file facts beside
// the runner, which the link leaves there.
//
//	static KERNEL BYTES        of its own __shared__ arrays
//	padding SIZE FROM TO       bytes of structures of that size that have no member
#pragma once

#include <climits>
#include <cstddef>
#include <fstream>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

#include "refuse.h"

// eachFact calls f with the word and the rest of each line.
template <class F>
inline void eachFact(F f) {
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self);
  if (n <= 0) refuse("find runner: no /proc");
  std::string path(self, std::size_t(n));
  std::ifstream in(path.substr(0, path.rfind('/')) + "/facts");
  if (!in) refuse("read facts of kernels: no such file");
  for (std::string word; in >> word;) f(word, in);
}

// Padding is which bytes of an access of a size may be nobody's: where the source has a
// structure of that size, they are copied with it and mean nothing.
class Padding {
public:
  void read() {
    eachFact([this](const std::string &word, std::istream &in) {
      std::string name;
      std::size_t size = 0, from = 0, to = 0;
      if (word != "padding") {
        in >> name >> size;
        return;
      }
      in >> size >> from >> to;
      auto &bytes = sizes[size];
      bytes.resize(size);
      for (; from < to && from < size; from++) bytes[from] = true;
    });
  }
  bool has(std::size_t size, std::size_t byte) const {
    if (size <= 4 || sizes.empty()) return false;
    auto at = sizes.find(size);
    return at != sizes.end() && at->second[byte];
  }

private:
  std::map<std::size_t, std::vector<bool>> sizes;
};

// staticShared is how many bytes of __shared__ arrays a kernel has of its own.
inline std::size_t staticShared(const std::string &kernel) {
  std::size_t bytes = 0;
  eachFact([&](const std::string &word, std::istream &in) {
    std::string name;
    std::size_t size = 0, from = 0, to = 0;
    if (word == "padding") {
      in >> size >> from >> to;
      return;
    }
    in >> name >> size;
    if (name == kernel) bytes = size;
  });
  return bytes;
}
