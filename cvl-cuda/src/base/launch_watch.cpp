#include "base/launch_watch.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace cvl::cuda {
namespace {

/// Demangles a name and shortens it: the beginning of long template arguments, such as lambdas, is enough to find the
/// kernel.
std::string readable(const std::string& function) {
  constexpr std::size_t kShown = 400;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(function.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  std::string text = status == 0 ? name.get() : function;
  if (text.size() > kShown) text = text.substr(0, kShown) + "...";
  return text;
}

}  // namespace

bool watches_launches_from_environment() {
  const char* const given = std::getenv("CVL_CUDA_SYNC");
  return given != nullptr && std::string_view(given) == "on";
}

std::string name_launch(const std::string& function, std::int64_t blocks, int threads, Sites sites) {
  std::string text = "kernel " + readable(function);
  if (blocks > 0) text += ", " + std::to_string(blocks) + (blocks == 1 ? " block" : " blocks");
  if (threads > 0) text += " of " + std::to_string(threads) + " threads";
  if (sites.first == sites.last) return text + ", site " + std::to_string(sites.first);
  return text + ", sites " + std::to_string(sites.first) + " to " + std::to_string(sites.last);
}

}  // namespace cvl::cuda
