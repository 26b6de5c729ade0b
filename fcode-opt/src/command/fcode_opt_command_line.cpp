#include "fcode_opt_command_line.h"

#include <cstdio>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "fcode-opt/pass.h"

namespace fcode_opt {
namespace {

std::string list_passes() {
  std::string text;
  for (const Pass& pass : all_passes()) text += fmt::format("{:<16} {}\n", pass.name, pass.summary);
  for (int level : {1, 2}) text += fmt::format("-O{}: {}\n", level, fmt::join(passes_of_level(level), ","));
  text.pop_back();
  return text;
}

std::string check_pass(const std::string& name) {
  return find_pass(name) ? "" : fmt::format("there is no pass {} (--list-passes names them)", name);
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
      ->check(check_pass);
}

}  // namespace

std::optional<CommandLine> parse_command_line(int argc, char** argv, int& exit_status) {
  CommandLine line;
  OptimizeOptions& options = line.options;
  CLI::App app("Optimizes a VCODE program.", "fcode-opt");
  app.footer("Exit status: 0, or 1 after an error; then nothing is written.");
  app.add_option("FILE", line.input, "the program; - reads it from standard input")->required()->option_text(" ");
  app.add_option("-o", line.output, "where the result goes; - is standard output, the default")->option_text("FILE");
  app.add_option_function<int>(
         "-O", [&options](const int& level) { options.level = level; },
         "how much is done: 0 nothing but the conversion to let-form and back, 1 all but fusion, 2 everything "
         "(default)")
      ->check(CLI::Range(0, 2))
      ->option_text("0|1|2");
  app.set_version_flag("--version", "fcode-opt " NESL_VERSION);
  app.add_flag_function(
      "--list-passes", [](std::int64_t) { throw CLI::Success{}; }, "print the passes and when they run");
  std::vector<std::string> passes;
  add_passes(app, "--passes", passes, "run these passes in this order, whatever the level");
  add_passes(app, "--disable-pass", options.disabled, "leave these out");
  add_passes(app, "--print-before", options.print_before, "print the let-form before these to standard error");
  add_passes(app, "--print-after", options.print_after, "and after these");
  app.add_flag("--time-passes", line.time_passes, "print how long each pass took");
  app.add_flag("--verify", line.verify, "read and check the result as vinterp does before it is written");
  app.add_flag("--explain", options.explain, "report what was done, and what was not and why, to standard error");
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
  app.add_option("--dot", line.dot_file, "write the data-flow graph for graphviz")->option_text("FILE");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    std::ostringstream text;
    if (app.count("--list-passes") > 0)
      text << list_passes() << '\n';
    else
      exit_status = app.exit(success, text);
    fmt::print("{}", text.str());
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "fcode-opt: {}\nusage: fcode-opt [OPTION]... FILE    (fcode-opt --help lists the options)\n",
               error.what());
    exit_status = 1;
    return std::nullopt;
  }
  if (!passes.empty()) options.passes = std::move(passes);
  options.dot = !line.dot_file.empty();
  return line;
}

}  // namespace fcode_opt
