#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "nesl-compiler/session.h"
#include "syntax/ast.h"
#include "types/environment.h"
#include "types/nesl_types.h"

namespace nesl {

/// A test or benchmark as it was parsed, and the text that contains its spans.
struct Trial {
  const base::Source* source = nullptr;
  Statement statement;
};

bool is_trial(const Statement& statement);
Unit trial_unit(const base::Source& source, Statement&& statement);

/// A benchmark without sizes of the statements in a text: assignments, whose values are not measured, and an
/// expression. All may use the variable `size`; empty: none. Nothing after errors.
std::optional<Trial> cost_trial(const base::Source& source, const std::string& size, base::Diagnostics& diagnostics);

/// A text that begins with a test in a comment. In front of the test, blanks fill its line.
struct CommentTest {
  std::unique_ptr<base::Source> source;
  std::uint32_t offset;  ///< of this text in the one with the comment
};
/// Finds the tests in the comments of a text without errors.
std::vector<CommentTest> find_comment_tests(const base::Source& source);
/// Adds diagnostics whose spans are `offset` bytes further on in another text.
void relocate(const base::Diagnostics& from, std::uint32_t offset, base::Diagnostics& to);

/// Makes value statements of tests and benchmarks and infers their types.
class TrialAnalysis {
 public:
  TrialAnalysis(Environment& environment, TypeStore& types, base::Diagnostics& diagnostics)
      : environment_(environment), types_(types), diagnostics_(diagnostics) {}

  // Both leave the trial as it is, so that it can be analysed again. Nothing after errors.
  std::optional<TestProgram> test(const Trial& trial);
  std::optional<BenchProgram> bench(const Trial& trial);

 private:
  std::optional<Unit> value(const Trial& trial, ExprPtr value, PatternPtr parameter = nullptr);
  bool require(const Unit& unit, const Expr& expression, const char* type, const char* what);

  Environment& environment_;
  TypeStore& types_;
  base::Diagnostics& diagnostics_;
};

}  // namespace nesl
