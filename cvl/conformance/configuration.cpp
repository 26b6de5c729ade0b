#include "configuration.h"

#include <stdexcept>

#include "cvl/loader.h"
#include "oracle.h"

namespace cvl::conformance {

std::unique_ptr<Backend> Configuration::create(const BackendOptions& with, std::string& error) const {
  if (backend == "oracle") return make_oracle(with);
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
  for (char c : test) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return Rng(hash);
}

Configuration& configuration() {
  static Configuration chosen;
  return chosen;
}

}  // namespace cvl::conformance
