// Ranks that are threads of one process, for `vinterp --backend ranks` in tests. NESL_TEST_RANKS=RANKS:BLOCK:LIBRARY
// chooses the number of ranks, the elements of a block and the wrapped library, "cpu", "oracle" or "cuda-host";
// RANKS:BLOCK:LIBRARY:N also the bytes for the buffers of an exchange.

#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "cvl/loader.h"
#include "oracle.h"
#include "rank_team.h"

extern "C" int cvl_backend_abi() { return cvl::kBackendAbi; }

extern "C" cvl::Backend* cvl_create_backend(const cvl::BackendOptions& options, std::string& error) {
  using namespace cvl::conformance;
  RankTeamOptions team;
  std::string library = "cpu";
  if (const char* chosen = std::getenv("NESL_TEST_RANKS")) {
    char name[16] = "";
    if (std::sscanf(chosen, "%d:%ld:%15[a-z-]:%zu", &team.ranks, &team.block, name, &team.exchange_bytes) < 3 ||
        team.ranks < 1 || team.block < 4) {
      error = fmt::format("NESL_TEST_RANKS is RANKS:BLOCK:LIBRARY or RANKS:BLOCK:LIBRARY:BYTES, not '{}'", chosen);
      return nullptr;
    }
    library = name;
  }
  cvl::BackendOptions inner = options;
  inner.memory_limit = 0;
  if (inner.threads == 0) inner.threads = 1;
  const auto make = [&]() -> std::unique_ptr<cvl::Backend> {
    if (library == "oracle") return make_oracle(inner, Addresses::kAnyHost);
    return cvl::load_backend(library, cvl::default_backend_directories(), inner, error);
  };
  const auto make_host = [&] { return cvl::load_backend("cpu", cvl::default_backend_directories(), inner, error); };
  if (make() == nullptr || make_host() == nullptr) return nullptr;
  return make_rank_team(make, make_host, options.memory_limit, team).release();
}
