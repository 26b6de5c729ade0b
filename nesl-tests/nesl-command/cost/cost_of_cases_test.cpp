// Work and depth of expressions from the cases of the language and the library are the same at each level of
// optimization and number of threads, and nesl cost counts all of them.

#include <nlohmann/json.hpp>

#include "../../nesl/nesl_case_file.h"
#include "../command.h"

namespace {

struct CostsOfCases : Command {
  /// Work and depth, or the messages.
  std::string cost(const std::string& expression, const char* level, const char* threads) {
    nesl({"cost", "c.nesl", "-e", expression, "--json=-", level, threads});
    if (result.exit_status != 0) return result.errors;
    const nlohmann::json row = nlohmann::json::parse(result.output).at("rows").at(0);
    EXPECT_GE(row.at("work"), row.at("depth")) << expression;
    EXPECT_GE(row.at("depth"), 0) << expression;
    return row.at("work").dump() + " " + row.at("depth").dump();
  }
};

/// Whether a statement is an expression with a value: no definition, assignment, command or error.
bool is_expression(const nesl_cases::CaseStatement& step) {
  return step.expected.error_class.empty() && step.expected.value.starts_with("it = ") &&
         step.statement.find(";;") == std::string::npos;
}

TEST_F(CostsOfCases, AreTheSameHoweverTheyRun) {
  constexpr std::size_t kEvery = 11;
  std::size_t found = 0, counted = 0;
  for (const char* name : {"cases.txt", "language.txt", "library.txt"})
    for (const nesl_cases::Case& one :
         nesl_cases::read_cases(std::string(NESL_SOURCE_DIR "/nesl-tests/nesl/") + name)) {
      std::string before;
      for (const nesl_cases::CaseStatement& step : one.steps) {
        if (is_expression(step) && ++found % kEvery == 0) {
          file("c.nesl", before);
          const std::string plain = cost(step.statement, "-O0", "--threads=1");
          // Statements of one line may be several, which is no expression.
          if (plain.find("only the last of these") != std::string::npos) continue;
          EXPECT_EQ(result.exit_status, 0) << name << " " << step.line << ": " << result.errors;
          EXPECT_EQ(cost(step.statement, "-O1", "--threads=2"), plain) << name << " " << step.line;
          EXPECT_EQ(cost(step.statement, "-O2", "--threads=8"), plain) << name << " " << step.line;
          ++counted;
        }
        if (step.expected.error_class.empty()) before += step.statement + "\n";
      }
    }
  EXPECT_GT(counted, 80u) << "of " << found;
}

}  // namespace
