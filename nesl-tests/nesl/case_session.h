#pragma once

#include <string>
#include <vector>

#include "../support/memory_file.h"
#include "nesl_case_file.h"
#include "session/top_level.h"

namespace nesl_cases {

/// A top level whose answers can be compared. Like the top level, for one thread with a deep stack.
class CaseSession {
 public:
  explicit CaseSession(const nesl_cli::Flags& flags);

  Reply answer(const std::string& statement);
  /// Complaints of fcode_opt::check_output() about the programs that value statements are compiled to, as :vcode shows
  /// them, and about operations that their target lacks. Empty if they are not compiled, or find values of earlier
  /// statements on the stack.
  std::string check_program(const std::string& statement);
  /// Messages of the top level about errors in the last statement.
  const std::string& messages() const { return messages_; }
  nesl_cli::TopLevel& top_level() { return top_level_; }

 private:
  const vcode::letform::Target target_;
  MemoryFile printed_;
  std::vector<std::string> said_;
  std::string messages_;
  nesl_cli::TopLevel top_level_;
};

}  // namespace nesl_cases
