#include "whole_program.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/files.h"
#include "executable.h"
#include "flags.h"
#include "text/classic_commands.h"
#include "text/command_words.h"
#include "text/load_command.h"
#include "text/main_call.h"
#include "vcode-interp/ranks.h"
#include "vcode-interp/run.h"

namespace nesl_cli {

namespace {

void explain(const base::Source& source, const base::Diagnostics& diagnostics) {
  const std::string text = base::render(source, diagnostics);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

WholeProgram::WholeProgram(For use, const Flags& flags)
    : session_(flags.checks),
      for_(use),
      sandbox_(flags.run.sandbox),
      job_(flags.run.job),
      wide_ints_(flags.run.widths.int_type == vcode::ElemType::kI64) {
  session_.set_pipeline(flags.optimize);
  session_.set_wide_ints(wide_ints_);
}

bool WholeProgram::read(const std::string& file) {
  if (!read_file(file, 0)) good_ = false;
  if (good_ && for_ == For::kCheck) good_ = check_trials();
  return good_;
}

bool WholeProgram::read_file(const std::string& file, int depth) {
  std::string text, error;
  if (!interp::read_program_text(job_, file, text, error)) {
    if (depth == 0) {
      fmt::print(stderr, "nesl: {}\n", error);
    } else {
      base::Diagnostics lost;
      lost.error(load_.span, error);
      explain(*load_.source, lost);
    }
    return false;
  }
  return read_source(session_.add_source(file == "-" ? "<stdin>" : file, std::move(text)), depth);
}

bool WholeProgram::read_source(const base::Source& source, int depth) {
  sources_[source.name()] = &source;
  base::Diagnostics diagnostics;
  session_.read(source, diagnostics, [&](nesl::Unit& unit) {
    use(unit, source, depth, diagnostics);
    return true;
  });
  explain(source, diagnostics);
  if (diagnostics.has_errors()) return false;
  return depth > 0 || for_ == For::kResult || find_comment_tests(source);
}

/// Adds the tests in comments, each at its place among the other tests.
bool WholeProgram::find_comment_tests(const base::Source& source) {
  base::Diagnostics diagnostics;
  std::vector<nesl::Unit> found = session_.tests_in_comments(source, diagnostics);
  explain(source, diagnostics);
  trials_.insert(trials_.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  const auto place = [](const nesl::Unit& unit) {
    const base::Source::Position at = nesl::Session::source_of(unit).position(unit.span.begin);
    return std::pair(at.line, at.column);
  };
  std::stable_sort(trials_.begin(), trials_.end(),
                   [&](const nesl::Unit& a, const nesl::Unit& b) { return place(a) < place(b); });
  return !diagnostics.has_errors();
}

std::optional<nesl::TestProgram> WholeProgram::analyze_test(const nesl::Unit& unit) {
  base::Diagnostics diagnostics;
  std::optional<nesl::TestProgram> program = session_.analyze_test(unit, diagnostics);
  explain(nesl::Session::source_of(unit), diagnostics);
  return program;
}

std::optional<nesl::BenchProgram> WholeProgram::analyze_bench(const nesl::Unit& unit) {
  base::Diagnostics diagnostics;
  std::optional<nesl::BenchProgram> program = session_.analyze_bench(unit, diagnostics);
  explain(nesl::Session::source_of(unit), diagnostics);
  return program;
}

std::optional<nesl::CostProgram> WholeProgram::analyze_cost(const std::string& expression, const std::string& size) {
  const base::Source& source = session_.add_expression("<expression>", expression);
  sources_[source.name()] = &source;
  base::Diagnostics diagnostics;
  std::optional<nesl::CostProgram> program = session_.analyze_cost(source, size, diagnostics);
  explain(source, diagnostics);
  return program;
}

bool WholeProgram::check_trials() {
  bool good = true;
  for (const nesl::Unit& unit : trials_) {
    std::optional<nesl::Unit> checked;
    if (unit.kind == nesl::Unit::Kind::kTest) {
      if (std::optional<nesl::TestProgram> test = analyze_test(unit)) checked = std::move(test->condition);
    } else if (std::optional<nesl::BenchProgram> bench = analyze_bench(unit)) {
      checked = std::move(bench->measured);
    }
    base::Diagnostics diagnostics;
    good = checked && session_.compile(*checked, false, diagnostics) && good;
    explain(nesl::Session::source_of(unit), diagnostics);
  }
  return good;
}

void WholeProgram::use(nesl::Unit& unit, const base::Source& source, int depth, base::Diagnostics& diagnostics) {
  if (unit.kind == nesl::Unit::Kind::kValue) {
    if (for_ == For::kCheck) session_.compile(unit, false, diagnostics);
    std::vector<const nesl::Definition*> globals = session_.commit(unit);
    if (for_ == For::kTrials) values_.push_back({unit, &source, std::move(globals)});
    result_ = std::move(unit);
    result_source_ = &source;
    main_is_last_ = false;
  } else if (unit.kind == nesl::Unit::Kind::kDefinition && unit.name == "main") {
    result_.reset();
    main_is_last_ = true;
  } else if (unit.kind == nesl::Unit::Kind::kTest || unit.kind == nesl::Unit::Kind::kBench) {
    if (depth == 0 && for_ != For::kResult) trials_.push_back(std::move(unit));
  } else if (unit.kind == nesl::Unit::Kind::kCommand) {
    const std::vector<std::string> words = words_of(unit.text);
    VC_CHECK(!words.empty());
    if (words[0] == "load")
      load(unit, source, depth, diagnostics);
    else
      obey(unit, words, diagnostics);
  }
}

void WholeProgram::load(const nesl::Unit& unit, const base::Source& source, int depth, base::Diagnostics& diagnostics) {
  const LoadCommand command = parse_load(unit.text);
  std::optional<std::string> name = command.name;
  if (!command.error.empty()) {
    diagnostics.error(unit.span, command.error);
  } else if (command.again()) {
    diagnostics.error(unit.span, "load needs the name of a file");
  } else if (sandbox_) {
    diagnostics.error(unit.span, fmt::format("load of '{}' is refused: the program runs with --sandbox",
                                             command.name.empty() ? command.expression : command.name));
  } else if (depth == kDeepestLoad) {
    diagnostics.error(unit.span, "the files load each other without end");
  } else {
    // A name without quotes is an expression, or else the plain name of an existing file.
    if (command.name.empty() && !session_.describe(command.expression) &&
        std::filesystem::exists(loaded_name(command.expression, source.name())))
      name = command.expression;
    else if (command.name.empty())
      name = string_value(command.expression);
    load_ = {&source, unit.span};
    if (!name || !read_file(loaded_name(*name, source.name()), depth + 1)) good_ = false;
  }
}

void WholeProgram::obey(const nesl::Unit& unit, const std::vector<std::string>& words, base::Diagnostics& diagnostics) {
  if (changes_no_program(words)) return;
  diagnostics.error(unit.span, fmt::format("the command {} is for interactive sessions", words[0]));
}

std::optional<std::string> WholeProgram::string_value(const std::string& expression) {
  const base::Source& source = session_.add_expression("<load>", expression);
  sources_[source.name()] = &source;
  base::Diagnostics diagnostics;
  std::optional<std::string> value;
  session_.read(source, diagnostics, [&](nesl::Unit& unit) {
    if (unit.kind != nesl::Unit::Kind::kValue || unit.type != "[char]")
      diagnostics.error(unit.span, "load needs the name of a file: a string");
    else if (const auto compiled = session_.compile_needed(unit, diagnostics))
      value = run_for_string(*compiled);
    return false;
  });
  explain(source, diagnostics);
  return value;
}

std::optional<std::string> WholeProgram::run_for_string(const nesl::Compiled& compiled) const {
  Flags flags;
  flags.run.sandbox = true;  // computing the name of a file needs no files
  std::string error, note;
  const cvl::BackendPtr backend = interp::load_backend(flags, error, note);
  if (!backend) {
    fmt::print(stderr, "nesl: {}\n", error);
    return std::nullopt;
  }
  flags.run.standard_files = {0, 1, 1};  // NESL programs print to their standard error
  flags.run.message_file = 2;
  flags.run.source_line = [this](const std::string& file, std::uint32_t line) { return source_line(file, line); };
  interp::Interpreter interpreter(*backend, flags.run);
  const base::Source no_text("", "");
  interp::RunResult result = interpreter.run(no_text, executable(compiled.program, {.level = 0}));
  fmt::print(stderr, "{}", result.report);
  if (result.status != 0 || !result.ended) return std::nullopt;
  return string_left(result.stack, interpreter.evaluator());
}

bool WholeProgram::set_result(const std::string& expression) {
  const base::Source& source = session_.add_expression("<expression>", expression);
  sources_[source.name()] = &source;
  result_.reset();
  base::Diagnostics diagnostics;
  session_.read(source, diagnostics, [&](nesl::Unit& unit) {
    if (unit.kind == nesl::Unit::Kind::kCommand)
      diagnostics.error(unit.span, "a command is not an expression");
    else
      use(unit, source, 0, diagnostics);
    return true;
  });
  explain(source, diagnostics);
  return !diagnostics.has_errors();
}

bool WholeProgram::call_main(const std::string& file, ArgumentCheck check, const std::vector<std::string>* arguments) {
  if (!main_is_last_) return true;
  const auto parameters = session_.parameters_of("main");
  if (!parameters) return true;
  MainCall call = check == ArgumentCheck::kByRun ? main_call(*parameters) : checking_main_call(*parameters);
  if (call.error.empty() && arguments != nullptr) call.error = check_arguments(*parameters, *arguments, wide_ints_);
  if (call.error.empty()) return set_result(call.expression);
  fmt::print(stderr, "nesl: {}: {}\nusage: nesl run {} --{}\n", file, call.error, file, usage_of_main(*parameters));
  return false;
}

std::optional<nesl::Compiled> WholeProgram::compile() {
  VC_CHECK(result_.has_value());
  base::Diagnostics diagnostics;
  std::optional<nesl::Compiled> compiled = session_.compile(*result_, true, diagnostics);
  explain(*result_source_, diagnostics);
  return compiled;
}

std::map<std::string, base::Source> WholeProgram::texts() const {
  std::map<std::string, base::Source> texts;
  for (const auto& [name, source] : sources_) texts.emplace(name, *source);
  return texts;
}

std::string WholeProgram::source_line(const std::string& file, std::uint32_t line) const {
  const auto found = sources_.find(file);
  return found == sources_.end() ? "" : std::string(found->second->line(line));
}

}  // namespace nesl_cli
