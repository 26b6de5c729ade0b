// fill_kernel_cache ARCHITECTURE FOLDER PROGRAM...: compiles the kernels of FCODE programs by NVRTC, for FLOATs of 32
// bits and a device as sm_90, which need not be there, and keeps them where the CUDA
// library finds them with --kernel-cache=FOLDER.

#include <iostream>
#include <stdexcept>

#include "../support/read_text.h"
#include "base/diagnostics.h"
#include "generated/generated_kernel.h"
#include "kernels/kernel_store.h"
#include "kernels/nvrtc.h"
#include "vcode/reader.h"

namespace {

/// Compiles for a device that is somewhere else.
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

void fill(cvl::cuda::KernelStore& store, const std::string& file) {
  const base::Source source(file, read_text(file));
  base::Diagnostics diagnostics;
  const std::optional<vcode::Program> program = vcode::parse_vcode(source, diagnostics);
  if (!program) throw std::runtime_error(base::render(source, diagnostics));
  const vcode::Widths widths{vcode::ElemType::kI32, vcode::ElemType::kF32};
  for (vcode::Kernel kernel : program->kernels) {
    kernel.number = 0;  // as DeviceKernel does
    for (const cvl::cuda::Form form : {cvl::cuda::Form::kAnySegments, cvl::cuda::Form::kOneSegment}) {
      const cvl::cuda::GeneratedKernel made = cvl::cuda::generate_kernel(kernel, program->constants, widths, form);
      if (made.obstacle.empty()) store.get(cvl::cuda::complete_text(made));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: fill_kernel_cache ARCHITECTURE FOLDER PROGRAM...\n";
    return 2;
  }
  try {
    cvl::cuda::KernelStore store(std::make_unique<DistantCompiler>(cvl::cuda::DeviceTarget{argv[1]}),
                                 cvl::ObjectCache(argv[2]), cvl::cuda::Compiling::kBeforeItRuns);
    for (int k = 3; k < argc; ++k) fill(store, argv[k]);
    const cvl::KernelCacheUse use = store.cache().use();
    std::cout << use.kernels << " kernels, " << use.bytes << " bytes\n";
    if (use.problem.empty()) return 0;
    std::cerr << "fill_kernel_cache: " << argv[2] << ": " << use.problem << "\n";
  } catch (const std::exception& error) {
    std::cerr << "fill_kernel_cache: " << error.what() << "\n";
  }
  return 1;
}
