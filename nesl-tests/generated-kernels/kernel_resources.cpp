// kernel_resources [--cubins=FOLDER] ARCHITECTURE PROGRAM...: compiles the kernels of FCODE programs by NVRTC, for
// FLOATs of 32 bits and a device such as sm_90, which need not be present. Prints the version of NVRTC; then, for each
// text that no earlier program has, a line "kernel PROGRAM NUMBER FORM SECONDS" with the descriptors that it is for,
// "any" or "one" segment, and the processor time, and then the report of ptxas. scripts/resource_table reads this
// output. With --cubins, writes the texts and compiled texts to FOLDER/PROGRAM.NUMBER.FORM.cu and .cubin, for
// scripts/instruction_table.

#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "../support/read_text.h"
#include "base/diagnostics.h"
#include "generated/generated_kernel.h"
#include "kernels/nvrtc.h"
#include "vcode/reader.h"

namespace {

vcode::Program read_program(const std::string& file) {
  const base::Source source(file, read_text(file));
  base::Diagnostics diagnostics;
  std::optional<vcode::Program> program = vcode::parse_vcode(source, diagnostics);
  if (!program) throw std::runtime_error(base::render(source, diagnostics));
  return std::move(*program);
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main(int argc, char** argv) {
  constexpr std::string_view kCubins = "--cubins=";
  std::string folder;
  if (argc > 1 && std::string_view(argv[1]).starts_with(kCubins)) {
    folder = std::string_view(argv[1]).substr(kCubins.size());
    ++argv, --argc;
  }
  if (argc < 3) {
    std::cerr << "usage: kernel_resources [--cubins=FOLDER] ARCHITECTURE PROGRAM...\n";
    return 2;
  }
  try {
    const cvl::cuda::Nvrtc nvrtc;
    std::cout << "NVRTC " << nvrtc.version() << "\n";
    std::set<std::string> seen;
    for (int k = 2; k < argc; ++k) {
      const vcode::Program program = read_program(argv[k]);
      for (vcode::Kernel kernel : program.kernels) {
        const std::int64_t number = kernel.number;
        kernel.number = 0;  // as in DeviceKernel
        constexpr const char* kNames[cvl::cuda::kForms] = {"any", "one", "lengths"};
        for (const cvl::cuda::Form form : cvl::cuda::forms_of(kernel)) {
          const cvl::cuda::GeneratedKernel made = cvl::cuda::generate_kernel(
              kernel, program.constants, {vcode::ElemType::kI32, vcode::ElemType::kF32}, form);
          if (!made.obstacle.empty())
            throw std::runtime_error(fmt::format("{}: kernel {}: {}", argv[k], number, made.obstacle));
          const std::string text = cvl::cuda::complete_text(made);
          if (!seen.insert(text).second) continue;
          const double begin = processor_seconds();
          const std::string resources = nvrtc.resources(text, {argv[1]});
          const char* const name = kNames[static_cast<int>(form)];
          std::cout << fmt::format("kernel {} {} {} {:.3f}\n", argv[k], number, name, processor_seconds() - begin)
                    << resources;
          if (folder.empty()) continue;
          const std::string stem =
              fmt::format("{}/{}.{}.{}", folder, std::filesystem::path(argv[k]).stem().string(), number, name);
          std::ofstream(stem + ".cubin", std::ios::binary) << nvrtc.compile(text, {argv[1]});
          std::ofstream(stem + ".cu") << text;
        }
      }
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "kernel_resources: " << error.what() << "\n";
    return 1;
  }
}
