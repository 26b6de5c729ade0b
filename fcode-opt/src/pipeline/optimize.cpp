#include "fcode-opt/optimize.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/check.h"
#include "base/stop_request.h"
#include "explain.h"
#include "fcode-opt/pass.h"
#include "fcode-opt/stack_code.h"

namespace fcode_opt {
namespace {

namespace letform = vcode::letform;

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Runs the passes on one program and collects their reports.
class Optimizer {
 public:
  explicit Optimizer(const OptimizeOptions& options) : options_(options) {}

  OptimizeResult run(const vcode::Program& original, const base::Source& source) {
    letform::Converted converted;
    timed("let-form", [&] { converted = letform::from_stack_code(original); });
    result_.explanation += explain_conversion(original, source, converted);
    run_passes(converted.program, "the conversion to let-form");
    if (!result_.error.empty()) return std::move(result_);
    timed("stack-code", [&] { result_.program = letform::to_stack_code(converted.program, original); });
    result_.explanation += explain_sizes(original, result_.program);
    return std::move(result_);
  }

  OptimizeResult run(letform::Program& program) {
    check("the compiler", program);
    if (!result_.error.empty()) return std::move(result_);
    if (masks() == letform::Masks::kLoops) {
      timed("inline", [&] { letform::inline_in_branches(program, options_.inline_limit, options_.inline_metric); });
      check("inlining in branches", program);
    }
    timed("masks", [&] { letform::choose_masks(program, masks(), result_.remarks); });
    run_passes(program, "the choice of masks");
    if (result_.error.empty()) timed("stack-code", [&] { result_.program = letform::to_stack_code(program); });
    return std::move(result_);
  }

 private:
  letform::Masks masks() const {
    if (!fuses(options_)) return letform::Masks::kNone;
    return options_.fusion == Fusion::kPaper || !options_.target.has_all() ? letform::Masks::kSteps
                                                                           : letform::Masks::kLoops;
  }

  void run_passes(letform::Program& program, std::string_view maker) {
    check(maker, program);
    for (const std::string& name : passes_of(options_)) {
      const Pass* pass = find_pass(name);
      VC_CHECK(pass != nullptr);
      if (result_.error.empty() && !contains(options_.disabled, name)) run_pass(*pass, program);
    }
  }

  void run_pass(const Pass& pass, letform::Program& program) {
    base::check_stop();
    if (contains(options_.print_before, pass.name)) print("before", pass, program);
    const std::size_t bindings = count_bindings(program);
    std::string details;
    PassContext context{options_, details, result_.dot, &result_.kept_apart};
    timed(pass.name, [&] { pass.run(program, context); });
    result_.explanation +=
        fmt::format("{:<16} {:>7} bindings become {}\n{}", pass.name, bindings, count_bindings(program), details);
    check(fmt::format("pass {}", pass.name), program);
    if (contains(options_.print_after, pass.name)) print("after", pass, program);
  }

  void print(std::string_view when, const Pass& pass, const letform::Program& program) {
    result_.printed += fmt::format("-- {} {}\n{}\n", when, pass.name, letform::to_text(program));
  }

  void check(std::string_view who, const letform::Program& program) {
    const std::string complaint = letform::verify(program);
    if (!complaint.empty()) result_.error = fmt::format("{} made a mistake: {}", who, complaint);
  }

  template <class Work>
  void timed(std::string_view name, Work&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    result_.times += fmt::format("{:<16} {:9.3f} ms\n", name, time.count());
  }

  const OptimizeOptions& options_;
  OptimizeResult result_;
};

}  // namespace

bool fuses(const OptimizeOptions& options) {
  return (options.fusion == Fusion::kIlp || options.fusion == Fusion::kGreedy) &&
         contains(passes_of(options), "fuse") && !contains(options.disabled, "fuse");
}

OptimizeResult optimize(const vcode::Program& program, const base::Source& source, const OptimizeOptions& options) {
  if (!program.is_fcode) return Optimizer(options).run(program, source);
  OptimizeResult unchanged;
  unchanged.program = program;
  unchanged.explanation = "the program is FCODE already and stays as it is\n";
  return unchanged;
}

OptimizeResult optimize(vcode::letform::Program program, const OptimizeOptions& options) {
  return Optimizer(options).run(program);
}

}  // namespace fcode_opt
