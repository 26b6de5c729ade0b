// Any bytes as the choices of the generator of NESL programs: the compiler must accept each program, and the program
// must have the same results at every optimization level.

#include <fcntl.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../reference-evaluator/random_source.h"
#include "../support/memory_file.h"
#include "nesl-compiler/session.h"
#include "oracle.h"
#include "program/executable.h"
#include "text/result_text.h"
#include "vcode-interp/run.h"

namespace {

constexpr std::size_t kMemory = std::size_t{16} << 20;
constexpr std::uint64_t kCalls = 10'000;
/// Size limit of programs: longer ones cost time and find nothing that several short ones do not find.
constexpr std::size_t kLongest = 1000;

[[noreturn]] void fail(const std::string& what, const std::string& program) {
  std::fprintf(stderr, "%s\n%s", what.c_str(), program.c_str());
  std::abort();
}

/// Compiles and runs programs one after the other, in one session that has loaded the prelude.
class LevelComparison {
 public:
  LevelComparison()
      : backend_(cvl::conformance::make_oracle({.memory_limit = kMemory}, cvl::conformance::Addresses::kAnyHost)) {
    interp::RunOptions options;
    options.sandbox = true;
    options.call_limit = kCalls;
    options.standard_files = {open("/dev/null", O_RDONLY | O_CLOEXEC), output_.descriptor(), output_.descriptor()};
    interpreter_ = std::make_unique<interp::Interpreter>(*backend_, options);
  }

  void compare_levels(const std::string& text) {
    compare(text);
    session_.reset();
  }

 private:
  void compare(const std::string& text) {
    const base::Source& source = session_.add_source("fuzz", text);
    base::Diagnostics diagnostics;
    std::optional<nesl::Unit> last;
    session_.read(source, diagnostics, [&](nesl::Unit& unit) {
      if (unit.kind != nesl::Unit::Kind::kValue) return true;
      session_.commit(unit);
      last = unit;
      return true;
    });
    std::optional<std::string> expected;
    // Each input is optimized at one level only; its mutations are optimized at the other.
    for (const int level : {0, std::hash<std::string>{}(text) % 4 == 0 ? 1 : 2}) {
      session_.set_pipeline({.level = level});
      std::optional<nesl::Compiled> compiled;
      if (last && !diagnostics.has_errors()) compiled = session_.compile(*last, true, diagnostics);
      if (!compiled) fail("the program is not accepted:\n" + render(source, diagnostics), text);
      const std::optional<std::string> answer = run(source, *compiled, level);
      if (!answer) return;
      if (expected && *answer != *expected)
        fail("-O0:\n" + *expected + "\n-O" + std::to_string(level) + ":\n" + *answer + "\nof", text);
      expected = answer;
    }
  }

  /// The output of the program and its value, or the message of the error; nothing if it stops at a limit.
  std::optional<std::string> run(const base::Source& source, const nesl::Compiled& compiled, int level) {
    output_.clear();
    std::string answer;
    const interp::RunResult result =
        interpreter_->run(source, nesl_cli::executable(compiled.program, {.level = level}));
    for (const char* limit : {"out of memory", "the recursion is too deep", "the limit of calls"})
      if (result.report.find(limit) != std::string::npos) return std::nullopt;
    if (result.ended && result.status == 0) {
      const auto text = nesl_cli::result_text(compiled.result, result.stack, interpreter_->evaluator());
      if (!text) return std::nullopt;
      answer = *text;
    } else {
      const std::string head = result.report.substr(0, result.report.find('\n'));
      const std::size_t kind = head.find("error");
      answer = kind == std::string::npos ? head : head.substr(std::min(head.find(": ", kind), head.size()));
    }
    return output_.content() + answer;
  }

  nesl::Session session_;
  std::unique_ptr<cvl::Backend> backend_;
  MemoryFile output_;
  std::unique_ptr<interp::Interpreter> interpreter_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static LevelComparison comparison;
  const std::string text = to_text(evaluator::random_program(std::span(data, size)));
  if (text.size() > kLongest) return -1;
  comparison.compare_levels(text);
  return 0;
}
