#include "whole_program.h"

#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "command_words.h"
#include "nesl-compiler/completeness.h"
#include "vcode/files.h"

namespace nesl_cli {

namespace {

// Files that load each other would never end.
constexpr int kDeepestLoad = 50;

void explain(const vcode::Source& source, const vcode::Diagnostics& diagnostics) {
  const std::string text = vcode::render(source, diagnostics);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

/// Files are looked for beside the one that loads them, and their names may lack .nesl.
std::string loaded_name(const std::string& name, const std::string& loader) {
  std::filesystem::path path(name);
  if (path.is_relative()) path = std::filesystem::path(loader).parent_path() / path;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) && std::filesystem::exists(path.string() + ".nesl", ignored))
    path += ".nesl";
  return path.string();
}

}  // namespace

WholeProgram::WholeProgram(For use) : check_all_(use == For::kCheck) { session_.set_print_checks(use == For::kVcode); }

bool WholeProgram::read(const std::string& file) {
  if (!read_file(file, 0)) good_ = false;
  return good_;
}

bool WholeProgram::read_file(const std::string& file, int depth) {
  std::string text, error;
  if (!vcode::read_file(file, text, error)) {
    fmt::print(stderr, "nesl: {}\n", error);
    return false;
  }
  return read_source(session_.add_source(file == "-" ? "<stdin>" : file, std::move(text)), depth);
}

bool WholeProgram::read_source(const vcode::Source& source, int depth) {
  sources_[source.name()] = &source;
  vcode::Diagnostics diagnostics;
  session_.read(source, false, diagnostics, [&](nesl::Unit& unit) {
    use(unit, source, depth, diagnostics);
    return true;
  });
  explain(source, diagnostics);
  return !diagnostics.has_errors();
}

void WholeProgram::use(nesl::Unit& unit, const vcode::Source& source, int depth, vcode::Diagnostics& diagnostics) {
  if (unit.kind == nesl::Unit::Kind::kValue) {
    if (check_all_) session_.compile(unit, false, diagnostics);
    session_.commit(unit);
    result_ = std::move(unit);
    result_source_ = &source;
  } else if (unit.kind == nesl::Unit::Kind::kCommand) {
    const std::vector<std::string> words = words_of(unit.text);
    if (words[0] != "load")
      diagnostics.error(unit.span, fmt::format("the command {} is for interactive sessions", words[0]));
    else if (words.size() < 2)
      diagnostics.error(unit.span, "load needs the name of a file");
    else if (depth == kDeepestLoad)
      diagnostics.error(unit.span, "the files load each other without end");
    else if (!read_file(loaded_name(words[1], source.name()), depth + 1))
      good_ = false;
  }
}

bool WholeProgram::set_result(const std::string& expression) {
  const bool terminated = nesl::completeness(expression) == nesl::Completeness::kTerminated;
  const vcode::Source& source = session_.add_source("<expression>", expression + (terminated ? "" : ";"));
  sources_[source.name()] = &source;
  result_.reset();
  vcode::Diagnostics diagnostics;
  session_.read(source, false, diagnostics, [&](nesl::Unit& unit) {
    if (unit.kind == nesl::Unit::Kind::kCommand)
      diagnostics.error(unit.span, "a command is not an expression");
    else
      use(unit, source, 0, diagnostics);
    return true;
  });
  explain(source, diagnostics);
  return !diagnostics.has_errors();
}

std::optional<nesl::Compiled> WholeProgram::compile() {
  vcode::Diagnostics diagnostics;
  std::optional<nesl::Compiled> compiled = session_.compile(*result_, true, diagnostics);
  explain(*result_source_, diagnostics);
  return compiled;
}

std::string WholeProgram::source_line(const std::string& file, std::uint32_t line) const {
  const auto found = sources_.find(file);
  return found == sources_.end() ? "" : std::string(found->second->line(line));
}

}  // namespace nesl_cli
