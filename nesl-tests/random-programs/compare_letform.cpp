#include <algorithm>
#include <chrono>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "decorate.h"
#include "fcode-opt/check_output.h"
#include "fcode-opt/pass.h"
#include "fcode-opt/stack_code.h"
#include "in_process.h"
#include "oracle.h"
#include "random_program.h"
#include "seed.h"
#include "vcode/printer.h"
#include "vcode/reader.h"

// Random programs must behave the same after conversion to let-form and back, before and after every pass, and after
// random sequences of passes.

namespace property {
namespace {

namespace letform = vcode::letform;

/// A sequence of passes; the program after them is compared with the program before.
struct Variant {
  std::string name;
  std::vector<std::string> passes;
  fcode_opt::OptimizeOptions options = {};

  void run(letform::Program& program) const {
    std::string explanation, dot;
    fcode_opt::PassContext context{options, explanation, dot};
    for (const std::string& pass : passes) fcode_opt::find_pass(pass)->run(program, context);
  }
};

std::vector<Variant> make_variants() {
  std::vector<Variant> variants{{"nothing", {}}};
  for (const fcode_opt::Pass& pass : fcode_opt::all_passes())
    variants.push_back({std::string(pass.name), {std::string(pass.name)}});
  for (const std::size_t limit : {5, 1000})
    variants.push_back({fmt::format("inline up to {}", limit), {"inline"}, {.inline_limit = limit}});
  variants.push_back({"legalize for 1995", {"legalize"}, {.target = letform::Target::vcode_1995()}});
  variants.push_back(
      {"legalize and recognize", {"legalize", "simplify", "recognize"}, {.target = letform::Target::vcode_1995()}});
  for (const vcode::OpInfo& row : vcode::all_ops()) {
    if (!letform::can_expand(row.op)) continue;
    Variant variant{fmt::format("legalize {}", row.text), {"legalize"}};
    variant.options.target.remove(row.op);
    variants.push_back(std::move(variant));
  }
  variants.push_back({"fuse by the solver", {"fuse"}, {.fusion = fcode_opt::Fusion::kIlp}});
  variants.push_back({"fuse as in 2012", {"fuse"}, {.fusion = fcode_opt::Fusion::kPaper}});
  for (const int level : {1, 2}) variants.push_back({fmt::format("-O{}", level), fcode_opt::passes_of_level(level)});
  return variants;
}

/// Passes in an order that no optimization level has, with fusion before the last of them.
Variant random_variant(cvl::conformance::Rng& rng) {
  std::vector<std::string> others;
  for (const fcode_opt::Pass& pass : fcode_opt::all_passes())
    if (pass.name != "fuse") others.emplace_back(pass.name);
  Variant variant;
  const auto add_others = [&](std::int64_t count) {
    for (; count > 0; --count)
      variant.passes.push_back(others[static_cast<std::size_t>(rng.below(std::ssize(others)))]);
  };
  add_others(rng.below(4));
  variant.passes.emplace_back("fuse");
  add_others(1 + rng.below(4));
  variant.name = fmt::format("{}", fmt::join(variant.passes, ","));
  return variant;
}

bool is_pair(const RandomProgram& program, ValueId v) {
  return program.values[static_cast<std::size_t>(v)].kind == Kind::kPair;
}
/// Whether the main function returns pairs, so that it stays stack code.
bool has_pairs(const RandomProgram& program) {
  return std::any_of(program.main.results.begin(), program.main.results.end(),
                     [&](ValueId v) { return is_pair(program, v); });
}
RandomProgram without_pairs(RandomProgram program) {
  std::erase_if(program.main.results, [&](ValueId v) { return is_pair(program, v); });
  return program;
}

class Comparison {
 public:
  explicit Comparison(cvl::Backend& backend) : backend_(backend) {}

  /// An error of the passes on this program, if there is one.
  std::optional<std::string> compare(const RandomProgram& random, std::uint64_t seed, vcode::Widths widths) {
    const std::string text = print_program(random, seed);
    const base::Source source("random", text);
    base::Diagnostics diagnostics;
    const std::optional<vcode::Program> original = vcode::parse_vcode(source, diagnostics);
    if (!original) return "the generator's program: " + base::render(source, diagnostics);
    letform::Converted converted = letform::from_stack_code(*original);
    if (!has_pairs(random) && !converted.kept.empty()) return "not converted: " + converted.kept[0].reason;
    letform::Program& program = converted.program;
    cvl::conformance::Rng rng(seed);
    decorate(program, rng);
    if (std::string complaint = letform::verify(program); !complaint.empty()) return "the program: " + complaint;
    std::vector<Variant> variants = variants_;
    variants.push_back(random_variant(rng));
    std::optional<RunResult> expected;
    for (const Variant& variant : variants) {
      letform::Program changed = program;
      variant.run(changed);
      auto wrong = [&](std::string_view what) {
        return fmt::format("{}: {}\n\n{}\n\n{}", variant.name, what, letform::to_text(changed),
                           vcode::print_vcode(letform::to_stack_code(changed, *original)));
      };
      if (std::string complaint = letform::verify(changed); !complaint.empty())
        return fmt::format("{}: {}\n\n{}", variant.name, complaint, letform::to_text(changed));
      const std::string output = vcode::print_vcode(letform::to_stack_code(changed, *original));
      if (std::string complaints = fcode_opt::check_output(output); !complaints.empty()) return wrong(complaints);
      const RunResult actual = run_text(output, backend_, widths, seed, true);
      if (actual.errors.starts_with("rejected")) return wrong(actual.errors);
      if (backend_.memory_use().live != 0) return wrong("memory was not given back");
      if (!expected) {
        expected = actual;
        stopped_ += actual.status != 0;
        // The original writes nothing to standard error.
        const RunResult written = run_text(text, backend_, widths, seed, false);
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
  /// The program's own text on standard error, without the report of a run-time error.
  static std::string written_part(const RunResult& result) {
    std::string lines;
    std::istringstream all(result.errors);
    for (std::string line; std::getline(all, line);)
      if (line.starts_with("(")) lines += line + '\n';
    return lines;
  }

  cvl::Backend& backend_;
  const std::vector<Variant> variants_ = make_variants();  ///< tried on every program
  std::int64_t stopped_ = 0;
};

}  // namespace
}  // namespace property

int main(int argc, char** argv) {
  using namespace property;
  Seed seed;
  std::int64_t programs = 1000000;
  double seconds = 10;
  int nodes = 30;
  CLI::App app("Runs random let-form programs before and after the passes and compares.", "compare_letform");
  seed.add_to(app);
  app.add_option("--programs", programs, "at most so many")->capture_default_str();
  app.add_option("--seconds", seconds, "and for so long")->envname("NESL_PROPERTY_SECONDS")->capture_default_str();
  app.add_option("--nodes", nodes, "computations in a program")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  const auto backend = cvl::conformance::make_oracle({}, cvl::conformance::Addresses::kAnyHost);
  Comparison comparison(*backend);
  seed.print();
  const auto start = std::chrono::steady_clock::now();
  auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  std::int64_t done = 0;
  for (; done < programs && elapsed() < seconds; ++done) {
    const std::uint64_t this_seed = seed.of(done);
    const vcode::Widths widths{this_seed % 2 ? vcode::ElemType::kI32 : vcode::ElemType::kI64,
                               this_seed % 4 < 2 ? vcode::ElemType::kF64 : vcode::ElemType::kF32};
    auto random = [&](int size) {
      cvl::conformance::Rng rng(this_seed);
      RandomProgram program = make_program(rng, size);
      return this_seed % 8 == 0 ? program : without_pairs(std::move(program));
    };
    std::optional<std::string> difference = comparison.compare(random(nodes), this_seed, widths);
    if (!difference) continue;
    // Finds the smallest failing program. A difference that depends on chance may not show again.
    int smallest = nodes;
    for (int size = 1; size < smallest; ++size) {
      std::optional<std::string> again = comparison.compare(random(size), this_seed, widths);
      if (!again) continue;
      difference = std::move(again);
      smallest = size;
    }
    fmt::print("seed {}, {} computations, --int={} --float={}: {}\nTo repeat: {}\n", this_seed, smallest,
               vcode::elem_size(widths.int_type) * 8, vcode::elem_size(widths.float_type) * 8, *difference,
               seed.command(done, fmt::format("--nodes {}", nodes)));
    return 1;
  }
  fmt::print("{} programs are the same after every pass; {} of them were stopped by their data\n", done,
             comparison.stopped());
  return 0;
}
