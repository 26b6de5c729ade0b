#include "nesl_command_line.h"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/command_line.h"
#include "fcode-opt/optimize_flags.h"
#include "nesl-compiler/session.h"

namespace nesl_cli {

namespace {

constexpr const char* kFooter = R"(Without a command, nesl begins an interactive session, or answers the statements it
reads if standard input is no terminal. What follows -- is for the program: nesl run FILE -- ARGUMENT...
`nesl COMMAND --help` lists the options of a command.
Results go to standard output, errors to standard error.
Exit status: 0, or 1 after an error, or 130 after Ctrl-C.)";

/// Adds the options about the operations that are checked.
void add_check_options(CLI::App& app, CommandLine& line) {
  app.add_flag_function(
      "--checked", [&line](std::int64_t) { line.checked = true; },
      "overflow of ints is an error (default for nesl test and in sessions)");
  app.add_flag_function(
      "--unchecked", [&line](std::int64_t) { line.checked = false; }, "ints wrap around (default elsewhere)");
  app.add_flag("--float-errors", line.flags.checks.float_errors,
               "the first infinity or nan that is computed from finite floats is an error");
}

void add_flags(CLI::App& app, CommandLine& line) {
  interp::add_run_flags(app, line.flags);
  add_check_options(app, line);
  fcode_opt::add_optimize_flags(app, line.flags.optimize);
}

/// Adds the options that tests and benchmarks share.
void add_trial_flags(CLI::App& app, Flags& flags) {
  interp::add_machine_code_options(app, flags);
  interp::add_native_option(app, flags);
  interp::add_limit_options(app, flags);
  fcode_opt::add_optimize_flags(app, flags.optimize);
}

constexpr const char* kTrialFiles =
    "files, and folders with .nesl files; - reads standard input (default: the current folder)";

void add_test(CLI::App& test, TestFlags& flags) {
  test.add_option("FILE", flags.names, kTrialFiles)->option_text("...");
  test.add_option("--filter", flags.filter, "run only the tests whose title contains this")->option_text("TEXT");
  test.add_option("--seed", flags.seed, "seed of the random inputs (default: another one for each run)")
      ->option_text("N");
  test.add_option("--inputs", flags.inputs, "random inputs for each test with variables")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
      ->capture_default_str()
      ->option_text("N");
  test.add_flag("--all", flags.all, "run each test at each level of optimization with each backend that works");
  test.add_flag("-v,--verbose", flags.verbose, "also list the tests that pass");
  test.add_flag("--json", flags.json, "print the report as JSON");
  test.add_option("--junit", flags.junit, "also write the report in the format of JUnit")->option_text("FILE");
}

void add_bench(CLI::App& bench, BenchFlags& flags) {
  bench.add_option("FILE", flags.names, kTrialFiles)->option_text("...");
  bench.add_option("--filter", flags.filter, "run only the benchmarks whose title contains this")->option_text("TEXT");
  bench.add_option("--time", flags.seconds, "seconds that runs are measured for each size")
      ->check(CLI::Range(0.001, 3600.0))
      ->capture_default_str()
      ->option_text("SECONDS");
  bench.add_option("--compare", flags.compare, "print changes since the measurements that --json has written")
      ->option_text("FILE");
  bench.add_option("--json", flags.json, "write the measurements as JSON; - writes them to standard output alone")
      ->option_text("FILE");
}

void add_show(CLI::App& show, ShowFlags& flags) {
  show.add_option("EXPR", flags.what, "an expression, or a .nesl file; - reads a program from standard input")
      ->option_text(" ");
  show.add_option("-e,--expression", flags.expression, "show this expression, of a file instead of the last one")
      ->option_text("EXPR");
  show.add_option("--html", flags.html, "write a page for browsers and notebooks; - writes it to standard output")
      ->option_text("FILE");
  show.add_flag("--text", flags.text, "print the steps as text, too; without --html they always are");
  show.add_option("--steps", flags.limits.steps, "show at most so many steps (default: 200)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000}))
      ->option_text("N");
  show.add_option("--elements", flags.limits.elements, "show at most so many elements of each vector (default: 24)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{10'000}))
      ->option_text("N");
}

void add_cost(CLI::App& cost, CostFlags& flags, Flags& run_flags) {
  cost.add_option("-e,--expression", flags.expression,
                  "what is measured; assignments in front, as in 's = input(n); sort(s)', are not")
      ->required()
      ->option_text("EXPR");
  cost.add_option(
          "--n", flags.sizes,
          "sizes, each of which is the variable n of the expression: with commas between, or ranges FIRST:LAST, "
          "whose sizes double, and FIRST:LAST:FACTOR")
      ->option_text("SIZES");
  cost.add_option("--json", flags.json, "write the figures as JSON; - writes them to standard output alone")
      ->option_text("FILE");
  cost.add_option("--plot", flags.plot, "write a picture in the format SVG, with logarithmic axes")
      ->option_text("FILE");
  cost.add_option("--seed", run_flags.run.seed, "seed of the random numbers")->capture_default_str()->option_text("N");
  add_trial_flags(cost, run_flags);
}

/// The text of --help for a command, or without a name for all; nothing if there is no such command.
std::optional<std::string> help_text(const CLI::App& app, const std::string& name) {
  // App::help() would describe the command that was parsed.
  if (name.empty()) return app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal);
  for (const CLI::App* command : app.get_subcommands({}))
    if (command->get_name() == name) return command->help(app.get_name());
  return std::nullopt;
}

/// The error message for a first word that is no command.
std::string wrong_command(const CLI::App& app, const std::string& word) {
  for (const char* ending : {".nesl", ".vcode", ".fcode"})
    if (word.ends_with(ending)) return fmt::format("{0} is no command; did you mean nesl run {0}?", word);
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
  const std::string near = nesl::near_name(word, commands);
  return near.empty() ? fmt::format("there is no command {}", word)
                      : fmt::format("there is no command {}; did you mean {}?", word, near);
}

}  // namespace

std::optional<CommandLine> parse_command_line(int argc, char** argv, int& exit_status) {
  using Action = CommandLine::Action;
  CommandLine line;
  line.flags.run.widths.int_type = vcode::ElemType::kI64;
  CLI::App app("NESL, a language for nested data parallelism.", "nesl");
  app.footer(kFooter);
  app.set_version_flag("--version", [] { return "nesl " NESL_VERSION "\n" + interp::list_backends(); });
  app.require_subcommand(0, 1);
  app.add_option("-e,--expression", line.expression, "evaluate statements and print their values")->option_text("TEXT");
  add_flags(app, line);

  auto add = [&](const char* name, const char* what, Action action) {
    CLI::App* command = app.add_subcommand(name, what);
    command->callback([&line, action] { line.action = action; });
    return command;
  };
  const char* file_help = "a .nesl file; - reads standard input";
  CLI::App* run = add("run", "run a program and print the value of its last expression", Action::kRun);
  run->add_option("FILE", line.file, "a .nesl, .vcode or .fcode file; - reads NESL from standard input")
      ->required()
      ->option_text(" ");
  run->add_option("-e,--expression", line.expression, "print the value of this expression instead")
      ->option_text("EXPR");
  run->add_option("--ranks", line.ranks, "run on so many processes, which mpiexec starts")
      ->check(CLI::Range(1, 1 << 20))
      ->option_text("N");
  run->add_flag("--explain", line.flags.explain,
                "print, line by line, which operations are fused into kernels and which not and why; run nothing");
  add_flags(*run, line);
  CLI::App* check = add("check", "look for errors in a program", Action::kCheck);
  check->add_option("FILE", line.file, file_help)->required()->option_text(" ");
  interp::add_int_option(*check, line.flags);
  const char* sandbox_help = "read nothing but FILE: load is refused";
  check->add_flag("--sandbox", line.flags.run.sandbox, sandbox_help);
  CLI::App* compile = add("compile", "compile a program to VCODE", Action::kCompile);
  compile->add_option("FILE", line.file, file_help)->required()->option_text(" ");
  compile->add_option("-o,--output", line.output, "where the VCODE goes (default: standard output)")
      ->option_text("OUT");
  fcode_opt::add_optimize_flags(*compile, line.compile);
  compile->add_option("-e,--main", line.expression, "what the program computes instead of the file's last expression")
      ->option_text("EXPR");
  compile->add_flag("--native", line.native,
                    "also compile the kernels for this machine, as nesl cache --fill does; implies -O2");
  interp::add_kernel_cache_option(*compile, line.flags);
  interp::add_int_option(*compile, line.flags);
  add_check_options(*compile, line);
  compile->add_flag("--sandbox", line.flags.run.sandbox, sandbox_help);
  CLI::App* test = add("test", "run the tests in programs", Action::kTest);
  add_test(*test, line.test);
  add_check_options(*test, line);
  add_trial_flags(*test, line.flags);
  CLI::App* bench = add("bench", "measure the benchmarks in programs", Action::kBench);
  add_bench(*bench, line.bench);
  add_check_options(*bench, line);
  add_trial_flags(*bench, line.flags);
  CLI::App* show = add("show", "show step by step how an expression is computed on flat vectors", Action::kShow);
  add_show(*show, line.show);
  interp::add_machine_code_options(*show, line.flags);
  interp::add_limit_options(*show, line.flags);
  show->add_option("--seed", line.flags.run.seed, "seed of the random numbers")
      ->capture_default_str()
      ->option_text("N");
  CLI::App* cost = add("cost", "measure the work and depth of an expression", Action::kCost);
  cost->add_option("FILE", line.file, file_help)->required()->option_text(" ");
  add_cost(*cost, line.cost, line.flags);
  CLI::App* format = add("fmt", "lay out programs in the usual way", Action::kFormat);
  format->add_option("FILE", line.formatted, "files to change, and folders with .nesl files; - reads standard input")
      ->required()
      ->option_text("...");
  format->add_flag("--check", line.check, "change nothing, and name the files that are not formatted");
  CLI::App* lsp =
      add("lsp", "serve an editor: the Language Server Protocol on standard input and output", Action::kServeEditor);
  interp::add_int_option(*lsp, line.flags);
  bool stdio = true;  // the only way there is; editors name it
  lsp->add_flag("--stdio", stdio, "as without this option; some editors add it");
  CLI::App* session = add("repl", "begin an interactive session", Action::kSession);
  add_flags(*session, line);
  add("describe", "say what a function does", Action::kDescribe)
      ->add_option("NAME", line.word, "a name of the library")
      ->required()
      ->option_text(" ");
  add("apropos", "list the functions that have to do with something", Action::kApropos)
      ->add_option("WORD", line.word, "part of a name or description")
      ->required()
      ->option_text(" ");
  add("help", "show the language on one page (help syntax), the options of a command, or what a function does",
      Action::kHelp)
      ->add_option("WORD", line.word, "syntax, a command, or a name of the library (default: these commands)")
      ->option_text(" ");
  CLI::App* cache = add("cache", "say where compiled kernels are kept, and how many there are", Action::kCache);
  CLI::Option* clear = cache->add_flag("--clear", line.clear, "remove them");
  cache
      ->add_option("--fill", line.filled,
                   "compile the kernels of these programs (.nesl, .vcode or .fcode files) for later runs with the same "
                   "options on this machine, without running the programs")
      ->excludes(clear)
      ->option_text("FILE...");
  interp::add_machine_code_options(*cache, line.flags);
  fcode_opt::add_optimize_flags(*cache, line.flags.optimize);

  // Words behind -- are arguments of the program.
  char** const end = std::find_if(argv, argv + argc, [](const char* word) { return std::string_view(word) == "--"; });
  if (end != argv + argc) line.flags.run.arguments.assign(end + 1, argv + argc);
  try {
    app.parse(static_cast<int>(end - argv), argv);
    if (end != argv + argc && line.action != Action::kRun)
      throw CLI::ValidationError("--", "only nesl run passes arguments to a program");
    if (line.action == Action::kHelp) {
      const std::optional<std::string> text = help_text(app, line.word);
      if (!text) return line;
      fmt::print("{}", *text);
      exit_status = 0;
      return std::nullopt;
    }
  } catch (const CLI::Success& help_or_version) {
    std::ostringstream text;
    text.exceptions(std::ios::badbit);  // otherwise exhausted memory would truncate the text
    exit_status = app.exit(help_or_version, text);
    fmt::print("{}", text.str());
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    std::string message = base::complaint_about_command_line(app, error);
    const std::vector<std::string> words = app.remaining();
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && app.get_subcommands().empty() && !words.empty() &&
        !words[0].starts_with('-'))
      message = wrong_command(app, words[0]);
    fmt::print(stderr, "nesl: {}\n(nesl --help lists the commands and options)\n", message);
    exit_status = 1;
    return std::nullopt;
  }
  if (line.native && compile->count("-O") == 0) line.compile.level = 2;
  if (line.action == Action::kSession && app.count("-e") > 0) line.action = Action::kEvaluate;
  line.flags.checks.int_overflow =
      line.checked.value_or(line.action == Action::kSession || line.action == Action::kTest);
  return line;
}

}  // namespace nesl_cli
