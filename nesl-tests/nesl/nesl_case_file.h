#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace nesl_cases {

/// The answer of the top level to one statement.
struct Reply {
  std::string printed;             ///< output of the program itself, lines separated by '\n'
  std::string value;               ///< "name = value : type", or empty
  std::string error_class;         ///< "syntax", "type", "runtime", …; empty if there is no error
  std::string error_text;          ///< the message, for classes that have one
  std::string error_details = {};  ///< lines of a run-time error below the source line: values, element, callers
};

/// One statement and the reply to it.
struct CaseStatement {
  int line = 0;
  std::string statement;
  Reply expected;
  std::string reason;  ///< of an exception: why the reply differs from the one in the case file
};

/// Statements for one fresh session; cases.txt describes the format.
struct Case {
  std::string name, tag;
  int line = 0;
  std::vector<CaseStatement> steps;
};

/// Reads a case file. After an error, lines `- DETAIL` are its details, which are not compared if there are none. A
/// file of exceptions needs a line `? REASON` after the replies. Throws std::runtime_error with the line of the first
/// error.
std::vector<Case> read_cases(const std::filesystem::path& path);

/// Replaces the expectations of the cases by those of the exceptions. An exception is a case of the same name with only
/// the differing statements. Throws std::runtime_error if an exception names no statement of the case, gives no reason,
/// or expects the same as the case.
void apply_exceptions(std::vector<Case>& cases, const std::vector<Case>& exceptions);

}  // namespace nesl_cases
