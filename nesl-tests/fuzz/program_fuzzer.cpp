// Any bytes as a program: a program that the validator accepts must run to an end or to an error message on every kind
// of backend, within its memory limit, and free all memory.

#include <fcntl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cvl/backend.h"
#include "oracle.h"
#include "separate_memory.h"
#include "vcode-interp/run.h"
#include "vcode/reader.h"
#include "vcode/validator.h"

extern "C" cvl::Backend* cvl_create_backend(const cvl::BackendOptions& options, std::string& error);

namespace {

// Little memory, so that it often runs out, and few calls, so that every run ends soon.
constexpr std::size_t kMemory = std::size_t{4} << 20;
constexpr std::uint64_t kCalls = 200;

std::vector<std::unique_ptr<cvl::Backend>> make_backends() {
  cvl::BackendOptions options;
  options.memory_limit = kMemory;
  options.threads = 2;
  std::string error;
  std::vector<std::unique_ptr<cvl::Backend>> backends;
  backends.emplace_back(cvl_create_backend(options, error));
  if (backends.back() == nullptr) {
    std::fprintf(stderr, "%s\n", error.c_str());
    std::abort();
  }
  backends.push_back(cvl::conformance::make_oracle(options, cvl::conformance::Addresses::kAnyHost));
  backends.push_back(cvl::conformance::make_separate_memory(cvl::conformance::make_oracle(options)));
  return backends;
}

/// Runs with cvl-cpu, and with the oracle or the oracle behind the memory rules of a device.
void run_twice(const base::Source& source, const vcode::Program& program, vcode::Widths widths, bool separate) {
  static const auto kBackends = make_backends();
  static const int kNowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  interp::RunOptions options;
  options.widths = widths;
  options.sandbox = true;
  options.call_limit = kCalls;
  options.standard_files = {kNowhere, kNowhere, kNowhere};
  for (cvl::Backend* backend : {kBackends[0].get(), kBackends[separate ? 2 : 1].get()}) {
    const int status = interp::run_program(source, program, *backend, options);
    if (status != 0 && status != 1) {
      std::fprintf(stderr, "status %d\n", status);
      std::abort();
    }
    if (backend->memory_use().live != 0 || backend->has_fault()) {
      std::fprintf(stderr, "%s: %zu bytes live after the run\n", backend->description().c_str(),
                   backend->memory_use().live);
      std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const base::Source source("fuzz", std::string(reinterpret_cast<const char*>(data), size));
  base::Diagnostics diagnostics;
  const std::optional<vcode::Program> program = vcode::parse_vcode(source, diagnostics);
  if (!program) return 0;
  // Each input is run in one way only; its mutations are run in the others.
  const std::size_t choice = std::hash<std::string_view>{}(source.text());
  const vcode::Widths widths = choice % 2 == 0 ? vcode::Widths{vcode::ElemType::kI32, vcode::ElemType::kF64}
                                               : vcode::Widths{vcode::ElemType::kI64, vcode::ElemType::kF32};
  vcode::validate(*program, widths, false, diagnostics);
  if (!diagnostics.has_errors()) run_twice(source, *program, widths, choice / 2 % 2 == 0);
  return 0;
}
