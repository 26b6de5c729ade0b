#include "llvm/perf_map.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace cvl::cpu {

/// Refuses to follow a link, which another user may have put into /tmp.
PerfMap::PerfMap() {
  const std::string name = fmt::format("/tmp/perf-{}.map", getpid());
  file_ = open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file_ < 0) error_ = fmt::format("cannot write the names of kernels to {}: {}", name, std::strerror(errno));
}

const PerfMap* PerfMap::of_this_process(std::string& error) {
  static const PerfMap map;
  error = map.error_;
  return map.file_ < 0 ? nullptr : &map;
}

/// Uses a single write(), so that lines of several threads do not mix. A full disk costs names, but does not stop the
/// run.
void PerfMap::add(const NativeSymbol& symbol) const {
  const std::string line = fmt::format("{:x} {:x} {}\n", symbol.address, symbol.bytes, symbol.name);
  [[maybe_unused]] const ssize_t written = write(file_, line.data(), line.size());
}

}  // namespace cvl::cpu
