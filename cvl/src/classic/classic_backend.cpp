#include "classic/classic_backend.h"

#include <cstdlib>

#include "cvl/classic_values.h"
#include "cvl/loader.h"

namespace cvl::classic {
namespace {

Backend* the_backend = nullptr;
Function the_call = Function::alo_foz;

void stop_unless_none(const Fault& fault) {
  if (fault.kind == FaultKind::kNone) return;
  stop(name_of(static_cast<Function>(fault.site)), fault);
}

}  // namespace

Backend& backend() {
  VC_CHECK(the_backend != nullptr);
  return *the_backend;
}

void start() {
  if (the_backend != nullptr) return;
  const char* name = std::getenv("CVL_BACKEND");
  std::vector<std::string> folders = library_backend_directories();
  for (std::string& folder : default_backend_directories()) folders.push_back(std::move(folder));
  BackendOptions options;
  options.threads = wanted_threads();
  std::string error;
  the_backend = load_backend(name != nullptr && *name != '\0' ? name : "cuda", folders, options, error).release();
  if (the_backend == nullptr) stop("CVL_BACKEND", error);
}

void begin_call(Function function) {
  the_call = function;
  if (the_backend != nullptr) the_backend->set_site(static_cast<std::uint32_t>(function));
}

void settle() {
  if (the_backend != nullptr && the_backend->has_fault()) [[unlikely]]
    stop_unless_none(the_backend->take_fault());
}

void wait_and_settle() {
  if (the_backend != nullptr) stop_unless_none(the_backend->take_fault());
}

Temporary::Temporary(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)), data_(backend().allocate(bytes_)) {
  if (data_ == nullptr && bytes > 0) stop(name_of(the_call), Fault{FaultKind::kOutOfMemory, 0, 0, bytes, 0});
}
Temporary::~Temporary() { backend().deallocate(data_, bytes_); }

}  // namespace cvl::classic
