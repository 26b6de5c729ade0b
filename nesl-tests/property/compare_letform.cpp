#include <chrono>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "in_process.h"
#include "oracle.h"
#include "random_program.h"
#include "to_letform.h"
#include "vcode/printer.h"

// Random programs must do the same as let-form, turned into stack code, before and after every pass.

namespace property {
namespace {

namespace letform = vcode::letform;

struct Pass {
  std::string name;
  std::function<void(letform::Program&)> run;
};

std::vector<Pass> make_passes() {
  return {
      {"nothing", [](letform::Program&) {}},
      {"inline everything", [](letform::Program& program) { letform::inline_calls(program, 1000); }},
      {"inline what is small", [](letform::Program& program) { letform::inline_calls(program, 5); }},
      {"simplify", [](letform::Program& program) { letform::simplify(program); }},
      {"remove dead parameters", [](letform::Program& program) { letform::remove_dead_parameters(program); }},
      {"specialize", [](letform::Program& program) { letform::specialize(program, 200); }},
      {"hoist what is common", [](letform::Program& program) { letform::hoist_common_bindings(program); }},
      {"sink", [](letform::Program& program) { letform::sink_bindings(program); }},
      {"all of them",
       [](letform::Program& program) {
         letform::inline_calls(program, 30);
         letform::specialize(program, 200);
         letform::simplify(program);
         letform::remove_dead_parameters(program);
         letform::hoist_common_bindings(program);
         letform::simplify(program);
         letform::sink_bindings(program);
       }},
  };
}

RandomProgram without_pairs(RandomProgram program) {
  std::erase_if(program.main.results,
                [&](ValueId v) { return program.values[static_cast<std::size_t>(v)].kind == Kind::kPair; });
  return program;
}

class Comparison {
 public:
  explicit Comparison(cvl::Backend& backend) : backend_(backend) {}

  /// What is wrong with the passes on this program, if anything.
  std::optional<std::string> compare(const RandomProgram& random, std::uint64_t seed, vcode::Widths widths) {
    const letform::Program program = to_letform(random, seed);
    if (std::string complaint = letform::verify(program); !complaint.empty()) return "the program: " + complaint;
    std::optional<RunResult> expected;
    for (const Pass& pass : passes_) {
      letform::Program changed = program;
      pass.run(changed);
      auto wrong = [&](std::string_view what) {
        return fmt::format("{}: {}\n\n{}\n\n{}", pass.name, what, letform::to_text(changed),
                           vcode::print_vcode(letform::to_stack_code(changed)));
      };
      if (std::string complaint = letform::verify(changed); !complaint.empty())
        return fmt::format("{}: {}\n\n{}", pass.name, complaint, letform::to_text(changed));
      const RunResult actual =
          run_text(vcode::print_vcode(letform::to_stack_code(changed)), backend_, widths, seed, true);
      if (actual.errors.starts_with("rejected")) return wrong(actual.errors);
      if (backend_.memory_use().live != 0) return wrong("memory was not given back");
      if (!expected) {
        expected = actual;
        stopped_ += actual.status != 0;
        // The generator's own writer knows nothing of let-form. It writes nothing to standard error.
        const RunResult written = run_text(print_program(random, seed), backend_, widths, seed, false);
        if (written.status != actual.status || written.output != actual.output)
          return wrong(fmt::format("expected status {} and\n{}{}\ngot status {} and\n{}{}", written.status,
                                   written.output, written.errors, actual.status, actual.output, actual.errors));
        continue;
      }
      if (actual.status != expected->status || actual.output != expected->output ||
          written_part(actual) != written_part(*expected))
        return wrong(fmt::format("expected status {} and\n{}{}\ngot status {} and\n{}{}", expected->status,
                                 expected->output, expected->errors, actual.status, actual.output, actual.errors));
    }
    return std::nullopt;
  }

  std::int64_t stopped() const { return stopped_; }

 private:
  /// What the program wrote to standard error, without the report of a run-time error.
  static std::string written_part(const RunResult& result) {
    std::string lines;
    std::istringstream all(result.errors);
    for (std::string line; std::getline(all, line);)
      if (line.starts_with("(")) lines += line + '\n';
    return lines;
  }

  cvl::Backend& backend_;
  std::vector<Pass> passes_ = make_passes();
  std::int64_t stopped_ = 0;
};

}  // namespace
}  // namespace property

int main(int argc, char** argv) {
  using namespace property;
  std::uint64_t seed = 1;
  std::int64_t programs = 1000000;
  double seconds = 10;
  int nodes = 30;
  CLI::App app("Runs random let-form programs before and after the passes and compares.");
  app.add_option("--seed", seed, "of the first program; the others follow")->capture_default_str();
  app.add_option("--programs", programs, "at most so many")->capture_default_str();
  app.add_option("--seconds", seconds, "and for so long")->envname("NESL_PROPERTY_SECONDS")->capture_default_str();
  app.add_option("--nodes", nodes, "computations in a program")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  const auto backend = cvl::conformance::make_oracle({}, cvl::conformance::Addresses::kAnyHost);
  Comparison comparison(*backend);
  const auto start = std::chrono::steady_clock::now();
  auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  std::int64_t done = 0;
  for (; done < programs && elapsed() < seconds; ++done) {
    const std::uint64_t this_seed = seed + static_cast<std::uint64_t>(done);
    const vcode::Widths widths{this_seed % 2 ? vcode::ElemType::kI32 : vcode::ElemType::kI64,
                               this_seed % 4 < 2 ? vcode::ElemType::kF64 : vcode::ElemType::kF32};
    auto random = [&](int size) {
      cvl::conformance::Rng rng(this_seed);
      return without_pairs(make_program(rng, size));
    };
    if (!comparison.compare(random(nodes), this_seed, widths)) continue;
    // The smallest program that goes wrong.
    for (int size = 1; size <= nodes; ++size) {
      const std::optional<std::string> difference = comparison.compare(random(size), this_seed, widths);
      if (!difference) continue;
      fmt::print("seed {}, {} computations, --int={} --float={}: {}\n", this_seed, size,
                 vcode::elem_size(widths.int_type) * 8, vcode::elem_size(widths.float_type) * 8, *difference);
      return 1;
    }
  }
  fmt::print("{} programs are the same after every pass; {} of them were stopped by their data\n", done,
             comparison.stopped());
  return 0;
}
