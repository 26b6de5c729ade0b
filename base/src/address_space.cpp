#include "base/address_space.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace base {
namespace {

std::optional<std::size_t> limit() {
  rlimit most{};
  if (getrlimit(RLIMIT_AS, &most) != 0 || most.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return most.rlim_cur;
}

}  // namespace

std::optional<std::size_t> address_space_left() {
  const std::optional<std::size_t> most = limit();
  if (!most) return std::nullopt;
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return *most - std::min(*most, pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
}

bool address_space_is_limited() { return limit().has_value(); }

std::string memory_advice() {
  const std::optional<std::size_t> most = limit();
  if (!most) return "see --memory; by default half of the free memory";
  // Without fmt: libcvl-classic.a has this file, and its clients need nothing but what CVL needed.
  std::string text = "the process may take ";
  text += std::to_string(*most >> 20);
  text += " MiB of address space: see ulimit -v, and --memory";
  return text;
}

}  // namespace base
