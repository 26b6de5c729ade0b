// Any bytes as a program: what the validator accepts must run to an end or to an error message on every backend,
// within its memory, and give back all of it.

#include <fcntl.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cvl/backend.h"
#include "oracle.h"
#include "separate_memory.h"
#include "vcode-interp/run.h"
#include "vcode/ops.h"
#include "vcode/reader.h"
#include "vcode/validator.h"

extern "C" cvl::Backend* cvl_create_backend(const cvl::BackendOptions& options, std::string& error);

namespace {

// Little memory, so that running out of it is common, and few calls, so that every run ends soon.
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

void run_everywhere(const vcode::Source& source, const vcode::Program& program, vcode::Widths widths) {
  static const auto kBackends = make_backends();
  static const int kNowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  interp::RunOptions options;
  options.widths = widths;
  options.sandbox = true;
  options.call_limit = kCalls;
  options.standard_files = {kNowhere, kNowhere, kNowhere};
  for (const auto& backend : kBackends) {
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

/// An instruction of the operation table, or a statement that is none.
std::string random_statement(std::minstd_rand& random) {
  const auto& rows = vcode::all_ops();
  const std::size_t choice = random() % (vcode::kOps + 30);
  if (choice < vcode::kOps) {
    std::string text(rows[choice].text);
    std::vector<std::string_view> suffixes;
    for (int s = 0; s < vcode::kSuffixes; ++s)
      if (rows[choice].takes(static_cast<vcode::Suffix>(s)))
        suffixes.push_back(vcode::suffix_name(static_cast<vcode::Suffix>(s)));
    const std::string_view suffix = suffixes[random() % suffixes.size()];
    return suffix.empty() ? text : text.append(" ").append(suffix);
  }
  constexpr const char* kConstants[] = {
      "CONST INT 0",    "CONST INT 1",        "CONST INT -1",        "CONST INT 70",      "CONST INT 40000",
      "CONST BOOL T",   "CONST BOOL (T F T)", "CONST FLOAT 2.5",     "CONST INT (3 0 2)", "CONST FLOAT ()",
      "CONST SEGDES 5", "CONST CHAR \"ab\"",  "CONST INT 2147483647"};
  constexpr const char* kOther[] = {"PAIR", "UNPAIR", "IF", "ELSE", "ENDIF", "CALL MAIN", "CALL F0", "RET\nFUNC F0"};
  switch (random() % 3) {
    case 0:
      return kConstants[random() % std::size(kConstants)];
    case 1:
      return kOther[random() % std::size(kOther)];
    default: {
      constexpr const char* kMoves[] = {"COPY", "POP", "CPOP"};
      std::string move = kMoves[random() % 3];
      for (int k = 0; k < 2; ++k) move += " " + std::to_string(random() % 4);
      return move;
    }
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

/// Mostly changes whole lines, so that most inputs still are programs.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  std::minstd_rand random(seed);
  if (random() % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::vector<std::string> lines;
  std::istringstream text(std::string(reinterpret_cast<const char*>(data), size));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
    const std::size_t at = lines.empty() ? 0 : random() % lines.size();
    const auto place = lines.begin() + static_cast<std::ptrdiff_t>(at);
    switch (lines.empty() ? 0 : random() % 5) {
      case 0:
        lines.insert(place, random_statement(random));
        break;
      case 1:
        *place = random_statement(random);
        break;
      case 2:
        lines.erase(place);
        break;
      case 3:
        std::swap(*place, lines[random() % lines.size()]);
        break;
      default:
        lines.insert(place, std::string(lines[random() % lines.size()]));
    }
  }
  std::string changed;
  for (const std::string& line : lines) changed += line + "\n";
  changed.resize(std::min(changed.size(), max_size));
  std::copy(changed.begin(), changed.end(), data);
  return changed.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const vcode::Source source("fuzz", std::string(reinterpret_cast<const char*>(data), size));
  for (const vcode::Widths widths : {vcode::Widths{vcode::ElemType::kI32, vcode::ElemType::kF64},
                                     vcode::Widths{vcode::ElemType::kI64, vcode::ElemType::kF32}}) {
    vcode::Diagnostics diagnostics;
    const std::optional<vcode::Program> program = vcode::parse_vcode(source, diagnostics);
    if (!program) return 0;
    vcode::validate(*program, widths, false, diagnostics);
    if (!diagnostics.has_errors()) run_everywhere(source, *program, widths);
  }
  return 0;
}
