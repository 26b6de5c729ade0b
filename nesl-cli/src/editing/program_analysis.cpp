#include "program_analysis.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/stop_request.h"
#include "text/classic_commands.h"
#include "text/command_words.h"
#include "text/load_command.h"
#include "text/main_call.h"

namespace nesl_cli {

namespace {

/// A name that two names of one file have in common.
std::string identity(const std::string& file) {
  std::error_code failure;
  const std::string canonical = std::filesystem::weakly_canonical(file, failure).string();
  return failure ? file : canonical;
}

}  // namespace

bool has_syntax_errors(const base::Diagnostics& diagnostics) {
  return std::any_of(diagnostics.all().begin(), diagnostics.all().end(), [](const base::Diagnostic& d) {
    return d.code == "syntax" || d.code == "reserved" || d.code == "pattern";
  });
}

ProgramAnalysis::ProgramAnalysis(bool wide_ints, ReadFile read_file) : read_file_(std::move(read_file)) {
  session_.set_wide_ints(wide_ints);
  session_.record_names();
}

void ProgramAnalysis::analyze(const std::string& file, const std::string& text, Depth depth) {
  trials_.clear();
  main_.reset();
  files_.clear();
  loading_.clear();
  test_texts_.clear();
  diagnostics_ = {};
  lacks_definitions_ = false;
  session_.reset();
  depth_ = depth;
  source_ = &session_.add_source(file, text);
  base::Diagnostics found;
  read(*source_, 0, found);
  if (!has_syntax_errors(found)) {
    std::vector<nesl::Unit> tests = session_.tests_in_comments(*source_, found);
    for (const nesl::Unit& test : tests) test_texts_.push_back(&nesl::Session::source_of(test));
    trials_.insert(trials_.end(), std::make_move_iterator(tests.begin()), std::make_move_iterator(tests.end()));
  }
  keep(*source_, found);
  check_main();
  analyze_trials();
}

void ProgramAnalysis::read(const base::Source& source, int depth, base::Diagnostics& diagnostics) {
  files_.push_back(&source);
  loading_.push_back(identity(source.name()));
  session_.read(source, diagnostics, [&](nesl::Unit& unit) {
    use(unit, source, depth, diagnostics);
    return true;
  });
  loading_.pop_back();
}

void ProgramAnalysis::check(const nesl::Unit& unit, base::Diagnostics& diagnostics) {
  if (depth_ == Depth::kProgram) session_.compile(unit, false, diagnostics);
}

void ProgramAnalysis::use(nesl::Unit& unit, const base::Source& source, int depth, base::Diagnostics& diagnostics) {
  switch (unit.kind) {
    case nesl::Unit::Kind::kDefinition:
      if (unit.name == "main") main_ = depth == 0 ? std::optional(unit.span) : std::nullopt;
      break;
    case nesl::Unit::Kind::kValue:
      if (depth == 0) check(unit, diagnostics);
      session_.commit(unit);
      main_.reset();
      break;
    case nesl::Unit::Kind::kTest:
    case nesl::Unit::Kind::kBench:
      if (depth == 0) trials_.push_back(std::move(unit));
      break;
    case nesl::Unit::Kind::kCommand: {
      const std::vector<std::string> words = words_of(unit.text);
      if (words[0] == "load")
        load(unit, source, depth, diagnostics);
      else if (!changes_no_program(words))
        diagnostics.error(unit.span, fmt::format("the command {} is for interactive sessions", words[0]));
      break;
    }
  }
}

void ProgramAnalysis::load(const nesl::Unit& unit, const base::Source& source, int depth,
                           base::Diagnostics& diagnostics) {
  const LoadCommand command = parse_load(unit.text);
  if (!command.error.empty() || command.again()) {
    diagnostics.error(unit.span, command.again() ? "load needs the name of a file" : command.error);
    return;
  }
  std::string error;
  const std::string& name = command.name.empty() ? command.expression : command.name;
  const std::string file = loaded_name(name, source.name());
  if (depth == kDeepestLoad || std::find(loading_.begin(), loading_.end(), identity(file)) != loading_.end()) {
    diagnostics.error(unit.span, "the files load each other without end");
    return;
  }
  std::optional<std::string> text = read_file_(file, error);
  if (!text && command.name.empty()) {
    lacks_definitions_ = true;
    diagnostics.warning(unit.span,
                        "the name of this file is computed when the program runs: its definitions are not known here");
    return;
  }
  if (!text) {
    diagnostics.error(unit.span, error);
    return;
  }
  const base::Source& loaded = session_.add_source(file, std::move(*text));
  base::Diagnostics found;
  read(loaded, depth + 1, found);
  const auto first = std::find_if(found.all().begin(), found.all().end(),
                                  [](const base::Diagnostic& d) { return d.severity == base::Severity::kError; });
  if (first == found.all().end()) return;
  const base::Source::Position place = loaded.position(first->span.begin);
  diagnostics.error(unit.span, fmt::format("the file has errors: {}:{}:{}: {}", base::printable(file), place.line,
                                           place.column, first->message));
}

/// Reports parameters of main that no arguments of a command line can have.
void ProgramAnalysis::check_main() {
  if (!main_) return;
  if (const auto parameters = session_.parameters_of("main"))
    if (const MainCall call = checking_main_call(*parameters); !call.error.empty())
      diagnostics_.error(*main_, call.error);
}

void ProgramAnalysis::analyze_trials() {
  for (const nesl::Unit& unit : trials_) {
    base::check_stop();
    analyze_trial(unit);
  }
}

void ProgramAnalysis::analyze_trial(const nesl::Unit& unit) {
  base::Diagnostics found;
  if (unit.kind == nesl::Unit::Kind::kTest) {
    if (const std::optional<nesl::TestProgram> test = session_.analyze_test(unit, found)) check(test->condition, found);
  } else if (const std::optional<nesl::BenchProgram> bench = session_.analyze_bench(unit, found)) {
    check(bench->measured, found);
  }
  keep(nesl::Session::source_of(unit), found);
}

ProgramAnalysis::FilePlace ProgramAnalysis::place_in_file(const nesl::Place& place) const {
  if (std::find(test_texts_.begin(), test_texts_.end(), place.source) == test_texts_.end())
    return {place.source, place.span};
  // The text of a test in a comment has the lines of the program, and blanks in front of the test.
  const auto moved = [&](std::uint32_t offset) {
    const base::Source::Position at = place.source->position(offset);
    const auto line = static_cast<std::uint32_t>(source_->line(at.line).data() - source_->text().data());
    return line + at.column - 1;
  };
  return {source_, {moved(place.span.begin), moved(place.span.end)}};
}

bool ProgramAnalysis::is_library(const base::Source& source) const {
  return std::find(files_.begin(), files_.end(), &source) == files_.end();
}

std::set<std::string> ProgramAnalysis::files() const {
  std::set<std::string> names;
  for (const base::Source* file : files_) names.insert(file->name());
  return names;
}

std::optional<nesl::NameUse> ProgramAnalysis::name_at(std::uint32_t offset) const {
  const nesl::NameUses& names = session_.names_in_texts();
  if (const nesl::NameUse* use = names.find(*source_, offset)) return *use;
  for (const base::Source* text : test_texts_)
    for (const nesl::NameUse& use : names.in_text(*text)) {
      const base::Span span = place_in_file(use.place).span;
      if (span.begin <= offset && offset <= span.end) return use;
    }
  return std::nullopt;
}

/// Adds what was found in a text of the program. Names that a file of an unknown name may define are no errors.
void ProgramAnalysis::keep(const base::Source& source, const base::Diagnostics& found) {
  const auto moved = [&](base::Span span) { return place_in_file({&source, span}).span; };
  for (const base::Diagnostic& diagnostic : found.all()) {
    if (lacks_definitions_ && diagnostic.code.starts_with("unbound")) continue;
    const base::Span span = moved(diagnostic.span);
    base::Diagnostic& kept = diagnostic.severity == base::Severity::kError
                                 ? diagnostics_.error(span, diagnostic.message)
                                 : diagnostics_.warning(span, diagnostic.message);
    kept.code = diagnostic.code;
    kept.notes = diagnostic.notes;
    for (base::Diagnostic::Note& note : kept.notes)
      if (note.located) note.span = moved(note.span);
  }
}

}  // namespace nesl_cli
