#include "fcode-opt/optimize_flags.h"

#include <map>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "fcode-opt/pass.h"

namespace fcode_opt {
namespace {

std::string check_pass(const std::string& name) {
  return find_pass(name) ? "" : fmt::format("there is no pass {} (--list-passes names them)", name);
}

/// Current name of a pass, given that name or an old one.
std::string current_name(const std::string& name) {
  const Pass* pass = find_pass(name);
  return pass ? std::string(pass->name) : name;
}

template <class Value>
void add_choice(CLI::App& app, const std::string& name, Value& value, const std::map<std::string, Value>& choices,
                const std::string& description) {
  std::string words;
  for (const auto& [word, meaning] : choices) words += (words.empty() ? "" : "|") + word;
  app.add_option_function<std::string>(
         name,
         [&value, choices, name, words](const std::string& word) {
           const auto choice = choices.find(word);
           if (choice == choices.end())
             throw CLI::ValidationError(fmt::format("{}: {} is not one of {}", name, word, words));
           value = choice->second;
         },
         description)
      ->option_text(words);
}

void add_passes(CLI::App& app, const std::string& name, std::vector<std::string>& passes,
                const std::string& description) {
  app.add_option(name, passes, description)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("PASS,...")
      ->transform(current_name)
      ->check(check_pass);
}

void remove_from_target(const std::string& name, vcode::letform::Target& target) {
  if (name == "1995") {
    target = vcode::letform::Target::vcode_1995();
    return;
  }
  const std::optional<vcode::Op> op = vcode::find_op(name);
  if (!op || !vcode::letform::can_expand(*op))
    throw CLI::ValidationError(fmt::format("--without: {} is no operation that others can compute", name));
  target.remove(*op);
}

}  // namespace

void add_optimize_flags(CLI::App& app, OptimizeOptions& options) {
  app.add_option_function<int>(
         "-O", [&options](const int& level) { options.level = level; },
         fmt::format(
             "how much is optimized: 0 nothing, 1 all but fusion, 2 operations become kernels too (default: {})",
             options.level))
      ->check(CLI::Range(0, 2))
      ->option_text("0|1|2");
  app.add_option_function<std::vector<std::string>>(
         "--passes", [&options](const std::vector<std::string>& passes) { options.passes = passes; },
         "run these passes in this order, whatever the level")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("PASS,...")
      ->transform(current_name)
      ->check(check_pass);
  add_passes(app, "--disable-pass", options.disabled, "leave these passes out");
  add_passes(app, "--print-before", options.print_before, "print the let-form before these passes to standard error");
  add_passes(app, "--print-after", options.print_after, "print the let-form after these passes to standard error");
  app.add_option("--inline-limit", options.inline_limit, "the size up to which functions are inlined everywhere")
      ->option_text("N")
      ->capture_default_str();
  add_choice<vcode::letform::SizeMetric>(
      app, "--inline-metric", options.inline_metric,
      {{"bindings", vcode::letform::SizeMetric::kBindings}, {"operations", vcode::letform::SizeMetric::kOperations}},
      "what counts for it: everything, or all but constants");
  add_choice<Fusion>(
      app, "--fusion", options.fusion,
      {{"ilp", Fusion::kIlp}, {"greedy", Fusion::kGreedy}, {"paper", Fusion::kPaper}, {"none", Fusion::kNone}},
      "how to choose what becomes one kernel");
  app.add_option_function<std::vector<std::string>>(
         "--without",
         [&options](const std::vector<std::string>& names) {
           for (const std::string& name : names) remove_from_target(name, options.target);
         },
         "spell out these operations, or with 1995 all that VCODE did not have then, if others can compute them")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("OP,...|1995");
}

std::string list_passes() {
  std::string text;
  for (const Pass& pass : all_passes()) text += fmt::format("{:<16} {}\n", pass.name, pass.summary);
  for (int level : {1, 2}) text += fmt::format("-O{}: {}\n", level, fmt::join(passes_of_level(level), ","));
  text.pop_back();
  return text;
}

}  // namespace fcode_opt
