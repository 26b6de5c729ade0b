#include "configuration.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "cvl/loader.h"
#include "host_with_memory.h"
#include "oracle.h"
#include "runtime/value.h"

namespace cvl::conformance {

std::unique_ptr<Backend> Configuration::create(const BackendOptions& with, std::string& error) const {
  if (backend == "oracle") return make_oracle(with);
  if (backend == "host") return make_host_with_memory(with);
  return load_backend(backend, directory.empty() ? default_backend_directories() : std::vector{directory}, with, error);
}

std::unique_ptr<Backend> Configuration::create(const BackendOptions& with) const {
  std::string error;
  std::unique_ptr<Backend> created = create(with, error);
  if (created == nullptr) throw std::runtime_error(error);
  return created;
}

Rng Configuration::rng(const std::string& test) const {
  std::uint64_t hash = seed;
  for (char c : test)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;  // the prime of FNV-1a (Fowler, Noll, Vo)
  return Rng(hash);
}

bool Configuration::suits(const Call& call) const {
  if (backend != "host") return true;
  auto is_short = [](const auto& vector) { return vector.length <= runtime::kShortLimit; };
  return std::all_of(call.operands.begin(), call.operands.end(), is_short) &&
         std::all_of(call.results.begin(), call.results.end(), is_short) &&
         std::all_of(call.segmentations.begin(), call.segmentations.end(),
                     [](const Segmentation& s) { return s.elements() <= runtime::kShortLimit; });
}

Sizes Configuration::sizes(Sizes all) const {
  // suits() would refuse calls with longer vectors.
  if (backend == "host") all.lengths = {0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 63, 64};
  return all;
}

Configuration& configuration() {
  static Configuration chosen;
  return chosen;
}

}  // namespace cvl::conformance
