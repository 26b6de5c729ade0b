#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace nesl_cases {

/// What the top level answers to one statement.
struct Reply {
  std::string printed;             ///< what the program itself wrote, lines separated by '\n'
  std::string value;               ///< "name = value : type", or empty
  std::string error_class;         ///< "syntax", "type", "runtime", …, or empty: no error
  std::string error_text;          ///< the message, where the class has one
  std::string error_details = {};  ///< what a run-time error tells below the source line: values, element, callers
};

/// One statement and the reply to it.
struct CaseStatement {
  int line = 0;
  std::string statement;
  Reply expected;
  std::string reason;  ///< of an exception: why the reply is not the one in the case file
};

/// Statements for one fresh session; cases.txt describes the format.
struct Case {
  std::string name, tag;
  int line = 0;
  std::vector<CaseStatement> steps;
};

/// Reads a case file. Behind an error, lines `- DETAIL` are its details, which are not compared if there are none. A
/// line
/// `? REASON` after the replies is what a file of exceptions needs. Throws
/// std::runtime_error with the line of the first thing wrong.
std::vector<Case> read_cases(const std::filesystem::path& path);

/// Replaces the expectations of the cases by those of the exceptions: a case of the same name which has the
/// differing statements only. Throws std::runtime_error if an exception names no statement of the case, gives no
/// reason, or expects what the case does anyhow.
void apply_exceptions(std::vector<Case>& cases, const std::vector<Case>& exceptions);

}  // namespace nesl_cases
