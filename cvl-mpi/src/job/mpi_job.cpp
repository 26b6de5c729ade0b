// The library libcvl-mpi.so: joins the job that has started the process, and makes its backend.

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/address_space.h"
#include "base/check.h"
#include "cvl/loader.h"
#include "cvl/shared_device.h"
#include "job/await_reader.h"
#include "job/divided_job.h"
#include "messages/mpi_messenger.h"

namespace cvl::mpi {

namespace {

/// The folder of this library, with the shims and the wrapped backends.
std::string own_folder() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&own_folder), &info) == 0) return ".";
  const std::filesystem::path folder = std::filesystem::path(info.dli_fname).parent_path();
  return folder.empty() ? "." : folder.string();
}

/// The elements of a block: those of MpiBackendOptions, or for tests as NESL_MPI_BLOCK says.
std::int64_t block_elements() {
  const char* const text = std::getenv("NESL_MPI_BLOCK");
  const std::int64_t chosen = text == nullptr ? 0 : std::atoll(text);
  return chosen > 0 ? chosen : MpiBackendOptions().block;
}

/// The processors that a launcher has bound the process to, or else its share of the machine's.
int processors_of_rank(int ranks_here) {
  const auto all = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  cpu_set_t bound;
  CPU_ZERO(&bound);
  if (sched_getaffinity(0, sizeof bound, &bound) == 0 && CPU_COUNT(&bound) < all) return CPU_COUNT(&bound);
  return std::max(1, all / ranks_here);
}

/// The backends of a rank.
struct RankBackends {
  std::unique_ptr<Backend> inner;  ///< null on failure
  std::unique_ptr<Backend> host;   ///< beside one with a device
  int sharing = 1;                 ///< ranks of this machine that share the memory of `inner`, with this one
};

/// Loads the library that a rank computes with, on a device if it has some.
RankBackends load_backends(const MpiSession& session, const std::string& library, std::vector<int> devices,
                           const BackendOptions& options, std::string& error) {
  const std::vector<std::string> folders{own_folder()};
  // Of the memory of its machine, each rank may take a part.
  BackendOptions of_host = options;
  of_host.memory_limit = 0;
  RankBackends loaded{nullptr, nullptr, session.ranks_here};
  if (devices.empty())
    for (int device = 0; device < count_devices(library, folders); ++device) devices.push_back(device);
  if (devices.empty()) {
    loaded.inner = load_backend(library, folders, of_host, error);
  } else {
    const int count = static_cast<int>(devices.size()), turn = session.rank_here % count;
    loaded.sharing = (session.ranks_here - turn + count - 1) / count;
    BackendOptions of_device = options;
    // Ranks must agree whether a kernel is compiled.
    if (std::string_view(options.native) != "off") of_device.native = "always";
    std::vector<BackendPtr> made =
        load_devices(library, folders, of_device, {devices[static_cast<std::size_t>(turn)]}, error);
    if (made.empty()) error = "devices: " + error;
    if (!made.empty()) loaded.inner = std::move(made[0]);
  }
  if (loaded.inner != nullptr && !loaded.inner->unified_memory()) {
    if (dynamic_cast<SharedDevice*>(loaded.inner.get()) == nullptr) {
      error =
          fmt::format("several ranks cannot compute by backend '{}', whose memory is not that of a device", library);
      return {};
    }
    loaded.host = load_backend("cpu", folders, of_host, error);
    if (loaded.host == nullptr) loaded.inner = nullptr;
  }
  return loaded;
}

class MpiJob final : public DividedJob {
 public:
  explicit MpiJob(const MpiSession& session) : DividedJob(make_mpi_messenger(session)), session_(session) {}

  std::unique_ptr<Backend> make_backend(const std::string& inner, const std::vector<int>& devices,
                                        const BackendOptions& options, std::string& error) override {
    BackendOptions of_rank = options;
    if (of_rank.threads == 0) of_rank.threads = processors_of_rank(session_.ranks_here);
    std::size_t limit = options.memory_limit;
    // Some machines may lack devices, and all ranks must compute alike.
    const std::string library = inner == "auto" || inner == "mpi" ? "cpu" : inner;
    RankBackends backends = load_backends(session_, library, devices, of_rank, error);
    error = first_reason(backends.inner == nullptr ? error : "");
    if (!error.empty()) return nullptr;
    const std::vector<std::int64_t> blocks = gather(block_elements());
    if (std::ranges::any_of(blocks, [&](std::int64_t block) { return block != blocks[0]; })) {
      error = "the environment variable NESL_MPI_BLOCK is not the same for all ranks";
      return nullptr;
    }
    if (limit == 0) limit = backends.inner->memory_use().limit / static_cast<std::size_t>(backends.sharing);
    const std::vector<std::int64_t> limits = gather(static_cast<std::int64_t>(limit));
    std::unique_ptr<DividedBackend> of_ranks = make_mpi_backend(
        std::move(backends.inner), make_mpi_messenger(session_),
        {blocks[0], static_cast<std::size_t>(*std::ranges::min_element(limits))}, std::move(backends.host));
    set_backend(*of_ranks);
    return of_ranks;
  }
  void finish() override { session_.shim->finish(); }
  [[noreturn]] void fail(const std::string& message, int status) override {
    // If all ranks fail, rank 0 reports it.
    if (rank() != 0) std::this_thread::sleep_for(std::chrono::seconds(2));
    if (!message.empty()) {
      char host[256] = "";
      gethostname(host, sizeof host - 1);
      dprintf(session_.errors, "rank %d on %s: %s%s", rank(), host, message.c_str(),
              message.ends_with('\n') ? "" : "\n");
    }
    // A launcher may end the job without what it has not read of this process's output.
    constexpr std::chrono::milliseconds kPatience(1000);
    for (const int descriptor : {STDOUT_FILENO, session_.errors}) await_reader(descriptor, kPatience);
    session_.shim->abort(status);
    std::abort();  // MPI_Abort does not return
  }

 private:
  /// The reason of the first rank that gives one; empty if none does. Collective.
  std::string first_reason(std::string reason) {
    const std::vector<std::int64_t> sizes = gather(std::ssize(reason));
    const auto first = std::ranges::find_if(sizes, [](std::int64_t size) { return size > 0; });
    if (first == sizes.end()) return "";
    const int failed = static_cast<int>(first - sizes.begin());
    reason.resize(static_cast<std::size_t>(*first));
    broadcast(reason.data(), reason.size(), failed);
    return failed == 0 ? reason : fmt::format("rank {}: {}", failed, reason);
  }

  const MpiSession session_;
};

}  // namespace

}  // namespace cvl::mpi

extern "C" int cvl_backend_abi() { return cvl::kBackendAbi; }

extern "C" cvl::RankJob* cvl_join_rank_job(const cvl::Communicator* communicator, std::string& error) {
  const std::string library = communicator != nullptr ? communicator->library : cvl::mpi::library_of_job();
  if (library.empty()) return nullptr;
  const cvl::mpi::MpiSession session = cvl::mpi::start_mpi(
      library, cvl::mpi::own_folder(), communicator != nullptr ? &communicator->handle : nullptr, error);
  return session.shim == nullptr ? nullptr : new cvl::mpi::MpiJob(session);
}

extern "C" cvl::Backend* cvl_create_backend(const cvl::BackendOptions&, std::string& error) {
  error =
      "backend 'mpi' computes with several processes, which mpiexec starts: mpiexec -n 4 vinterp FILE, or "
      "nesl run --ranks 4 FILE";
  return nullptr;
}
