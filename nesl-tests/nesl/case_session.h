#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../memory_file.h"
#include "cvl/backend.h"
#include "nesl-compiler/session.h"
#include "nesl_case_file.h"
#include "vcode-interp/run.h"

namespace nesl_cases {

/// A NESL session that answers statements the way the top level does, in this process.
class CaseSession {
 public:
  explicit CaseSession(cvl::Backend& backend, vcode::Widths widths = {});

  /// Called with every value statement before it is compiled; false: it is not run.
  std::function<bool(const nesl::Unit&)> on_value;
  /// Sequences show so many elements.
  std::int64_t print_length = 100;
  int optimization = 2;  ///< as `nesl -O`

  /// Call it on a thread with a deep stack.
  Reply answer(const std::string& statement);
  /// The messages about the last statement, as a user sees them.
  const std::string& messages() const { return messages_; }

 private:
  bool answer(nesl::Unit& unit, Reply& reply, vcode::Diagnostics& diagnostics);
  void run(const nesl::Unit& unit, const nesl::Compiled& compiled, Reply& reply);
  void command(const std::string& text);

  nesl::Session session_;
  MemoryFile input_, printed_;
  interp::Interpreter interpreter_;
  std::map<const nesl::Definition*, std::vector<runtime::Value>> globals_;
  std::string messages_;
};

}  // namespace nesl_cases
