#include "base/memory_limit.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "base/address_space.h"

namespace cvl::cpu {
namespace {

/// The smallest limit of a control group and its ancestors, up to the root that a container sees.
std::size_t limit_above(const std::string& root, std::string group, const char* file) {
  std::size_t smallest = SIZE_MAX;
  for (;;) {
    std::size_t limit;
    if (std::ifstream(root + group + "/" + file) >> limit) smallest = std::min(smallest, limit);
    const std::size_t slash = group.rfind('/');
    if (slash == std::string::npos) return smallest;
    group.resize(slash);
  }
}

std::size_t control_group_limit() {
  std::size_t smallest = SIZE_MAX;
  std::ifstream groups("/proc/self/cgroup");
  // Lines are `id:controllers:path`; version 2 has no controllers.
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    if (controllers.empty())
      smallest = std::min(smallest, limit_above("/sys/fs/cgroup", path, "memory.max"));
    else if (controllers == "memory")
      smallest = std::min(smallest, limit_above("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes"));
  }
  return smallest;
}

/// Memory that programs can get without others being paged out; the physical memory if the system does not say.
std::size_t free_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    std::size_t kibibytes = 0;
    if (line.starts_with("MemAvailable:") && std::istringstream(line.substr(13)) >> kibibytes) return kibibytes << 10;
  }
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

std::size_t default_memory_limit() {
  return std::min({free_memory(), control_group_limit(), base::address_space_left().value_or(SIZE_MAX)}) / 2;
}

}  // namespace cvl::cpu
