// Reports of run-time errors are the same at every optimization level: inlining and fusion keep the calls.

#include <sstream>

#include "command.h"

namespace {

/// The location and the calls of a report. The rest depends on whether the source is there, and on the instruction.
std::string place_and_calls(const std::string& report) {
  std::string kept;
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);)
    if (line.find("run-time error") != line.npos || line.find("called from") != line.npos ||
        line.find("in a row") != line.npos)
      kept += line + "\n";
  return kept;
}

constexpr const char* kPrograms[] = {
    // One call inside another, all of them inlined.
    "function pick(s, i) = s[i];\nfunction third(s) = pick(s, 3) + 1;\nfunction twice(s) = 2 * third(s);\n"
    "twice([1, 2]);\n",
    // Two calls of one function, of which the failing one is in an apply-to-each.
    "function pick(s, i) = s[i];\nfunction both(s, i) = pick(s, 0) + pick(s, i);\n"
    "{both(s, i) : s in [[1, 2], [3]]; i in [1, 1]};\n",
    // A check of the library, in a kernel.
    "function first(s, n) = take(s, n);\nfunction lengths(s, n) = {#first(r, n) : r in s};\n"
    "sum(lengths([[1, 2], [3], [4, 5]], 2));\n",
    "function quotient(a, b) = a / b;\nfunction quotients(a, b) = {quotient(x, y) + 1 : x in a; y in b};\n"
    "function all(n) = sum(quotients([0:n], {n / 2 - i : i in [0:n]}));\nall(1000);\n",
    // A branch of a conditional.
    "function pick(s, i) = s[i];\nfunction some(s, i) = if i > 1 then pick(s, i) else 0;\n{some([1, 2], i) : i in [0, "
    "5]};\n",
    // A function passed as an argument, and called by the library.
    "function part(a, b) = a / (b - 2);\nfunction all(s) = reduce(part, 1, s);\nall([1, 2, 3, 4]);\n",
    // Recursion whose last step fails in an inlined function.
    "function pick(s, i) = s[i];\nfunction down(s, i) = if i > 3 then pick(s, i) else 1 + down(s, i + 1);\n"
    "function start(s) = down(s, 0);\nstart([1, 2]);\n",
    // error(), and an error in the argument of a library function.
    "function stop(x) = if x > 1 then error(\"stopped\") else t;\nfunction each(s) = {stop(x) : x in s};\neach([1, "
    "2]);\n",
    "function middle(s) = median(s);\nfunction rows(s) = {middle(r) : r in s};\nrows([[1], [] int]);\n",
};

struct ReportLevels : Command {};

TEST_F(ReportLevels, AreTheSame) {
  for (const char* text : kPrograms) {
    file("a.nesl", text);
    const std::string plain = nesl({"run", "a.nesl", "-O0"}).errors;
    EXPECT_EQ(result.exit_status, 1) << text;
    EXPECT_NE(plain.find("called from"), std::string::npos) << plain;
    for (const char* level : {"-O1", "-O2"}) {
      EXPECT_EQ(nesl({"run", "a.nesl", level}).errors, plain) << level << "\n" << text;
      nesl({"compile", "a.nesl", level, "-o", "a.fcode"});
      ASSERT_EQ(result.exit_status, 0) << result.errors;
      result = run_process({NESL_VINTERP, "a.fcode"}, directory.path(), "", {});
      EXPECT_EQ(place_and_calls(result.errors), place_and_calls(plain)) << level << "\n" << text;
    }
    // VCODE without any optimization, optimized by fcode-opt.
    nesl({"compile", "a.nesl", "-O0", "-o", "a.vcode"});
    result = run_process({NESL_FCODE_OPT, "a.vcode", "-o", "a.fcode"}, directory.path(), "", {});
    ASSERT_EQ(result.exit_status, 0) << result.errors;
    result = run_process({NESL_VINTERP, "a.fcode"}, directory.path(), "", {});
    EXPECT_EQ(place_and_calls(result.errors), place_and_calls(plain)) << text;
  }
}

}  // namespace
