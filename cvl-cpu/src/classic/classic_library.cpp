#include "classic/classic_library.h"

#include <cstdlib>
#include <memory>

#include "base/memory_limit.h"
#include "cvl/classic_values.h"

namespace cvl::cpu::classic {

Library* the_library = nullptr;

void start() {
  if (the_library != nullptr) return;
  const char* simd = std::getenv("CVL_SIMD");
  std::string error;
  const Kernels* kernels = choose_kernels(simd == nullptr ? "" : simd, error);
  if (kernels == nullptr) cvl::classic::stop("CVL_SIMD", error);
  auto made = std::make_unique<Library>(*kernels, cvl::classic::wanted_threads(), default_memory_limit());
  if (!made->arena.usable()) cvl::classic::stop("alo_foz", "the system has no addresses for working memory");
  the_library = made.release();
}

}  // namespace cvl::cpu::classic
