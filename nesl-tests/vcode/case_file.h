#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// One case of a case file; cases.txt describes the format.
struct Case {
  std::string name;
  int line = 0;  ///< line of its @case
  std::vector<std::string> tags;
  std::vector<std::string> args;
  std::string program;
  std::string input;
  std::string output;
  std::optional<std::string> errors;        ///< exact standard error
  std::vector<std::string> error_excerpts;  ///< texts that standard error must contain
  int exit_status = 0;
};

/// Reads a case file; @program-file names are relative to `root`. Throws std::runtime_error with the line of the first
/// error.
std::vector<Case> read_case_file(const std::filesystem::path& path, const std::filesystem::path& root);

/// A case, or all cases with a tag, whose different result is intended.
struct CaseException {
  bool by_tag = false;
  std::string name;    ///< name of the case or the tag
  std::string option;  ///< applies only if vinterp gets this option; empty: always
  std::string reason;

  bool applies(const Case& test_case, const std::vector<std::string>& options) const;
};

/// Reads lines of the form "case|tag NAME [when OPTION]: REASON". Throws std::runtime_error.
std::vector<CaseException> read_exceptions(const std::filesystem::path& path);
