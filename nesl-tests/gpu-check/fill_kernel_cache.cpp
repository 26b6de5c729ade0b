// fill_kernel_cache ARCHITECTURES FOLDER PROGRAM...: compiles the kernels of FCODE programs by NVRTC, for FLOATs of 32
// bits and devices that need not be present, into the cache that the CUDA library reads with --kernel-cache=FOLDER.
// ARCHITECTURES is a list as in CMAKE_CUDA_ARCHITECTURES: 80;90-real. Virtual architectures are left out.

#include <iostream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "../support/read_text.h"
#include "base/diagnostics.h"
#include "generated/generated_kernel.h"
#include "kernels/kernel_store.h"
#include "kernels/nvrtc.h"
#include "vcode/reader.h"

namespace {

/// Compiles for a device that need not be present.
class DistantCompiler final : public cvl::cuda::KernelCompiler {
 public:
  explicit DistantCompiler(cvl::cuda::DeviceTarget target) : target_(std::move(target)) {}

  std::string name() const override { return "NVRTC for " + target_.architecture; }
  std::string target() const override { return cvl::cuda::Nvrtc::target(target_); }
  std::string compile(const std::string& text) const override { return nvrtc_.compile(text, target_); }
  std::unique_ptr<cvl::cuda::KernelCode> load(const std::string&) const override {
    struct OfNoUse final : cvl::cuda::KernelCode {
      cvl::cuda::LaunchedFunction function(const std::string&) const override { return nullptr; }
    };
    return std::make_unique<OfNoUse>();
  }

 private:
  const cvl::cuda::DeviceTarget target_;
  const cvl::cuda::Nvrtc nvrtc_;
};

/// The targets in a list in the form of CMAKE_CUDA_ARCHITECTURES.
std::vector<cvl::cuda::DeviceTarget> targets_of(const std::string& architectures) {
  std::vector<cvl::cuda::DeviceTarget> targets;
  std::istringstream list(architectures);
  for (std::string one; std::getline(list, one, ';');) {
    const std::size_t dash = one.find('-');
    const std::string number = one.substr(0, dash), kind = dash == one.npos ? "" : one.substr(dash);
    const bool is_number = !number.empty() && number.find_first_not_of("0123456789af") == number.npos &&
                           number.find_first_of("123456789") == 0;
    if (!is_number || (!kind.empty() && kind != "-real" && kind != "-virtual"))
      throw std::runtime_error("\"" + one + "\" is no architecture as 90, 90-real or 90-virtual");
    if (kind != "-virtual") targets.push_back({"sm_" + number});
  }
  return targets;
}

void fill(cvl::cuda::KernelStore& store, const std::string& file) {
  const base::Source source(file, read_text(file));
  base::Diagnostics diagnostics;
  const std::optional<vcode::Program> program = vcode::parse_vcode(source, diagnostics);
  if (!program) throw std::runtime_error(base::render(source, diagnostics));
  const vcode::Widths widths{vcode::ElemType::kI32, vcode::ElemType::kF32};
  for (vcode::Kernel kernel : program->kernels) {
    kernel.number = 0;  // as in DeviceKernel
    for (const cvl::cuda::Form form : cvl::cuda::forms_of(kernel)) {
      const cvl::cuda::GeneratedKernel made = cvl::cuda::generate_kernel(kernel, program->constants, widths, form);
      if (made.obstacle.empty()) store.get(cvl::cuda::complete_text(made));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: fill_kernel_cache ARCHITECTURES FOLDER PROGRAM...\n";
    return 2;
  }
  try {
    const cvl::ObjectCache cache(argv[2]);
    for (const cvl::cuda::DeviceTarget& target : targets_of(argv[1])) {
      cvl::cuda::KernelStore store(std::make_unique<DistantCompiler>(target), cache,
                                   cvl::cuda::Compiling::kBeforeItRuns);
      for (int k = 3; k < argc; ++k) fill(store, argv[k]);
    }
    const cvl::KernelCacheUse use = cache.use();
    std::cout << use.kernels << " kernels, " << use.bytes << " bytes\n";
    if (use.problem.empty()) return 0;
    std::cerr << "fill_kernel_cache: " << argv[2] << ": " << use.problem << "\n";
  } catch (const std::exception& error) {
    std::cerr << "fill_kernel_cache: " << error.what() << "\n";
  }
  return 1;
}
