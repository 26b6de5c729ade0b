// Overflow of ints, and infinities and nans from finite floats, stop programs that run with --checked or
// --float-errors.

#include <string>
#include <utility>
#include <vector>

#include "command.h"

namespace {

struct Checked : Command {
  /// Expects that the expression fails with `message` under the options, and that it has a value without them.
  void expect_fault(const std::string& expression, const std::string& message,
                    const std::vector<std::string>& options) {
    for (const char* level : {"-O0", "-O2"}) {
      std::vector<std::string> arguments = {"-e", expression, "--unchecked", level, "--kernel-cache=off"};
      nesl(arguments);
      EXPECT_EQ(result.exit_status, 0) << expression << result.errors;
      arguments.erase(arguments.begin() + 2);
      arguments.insert(arguments.end(), options.begin(), options.end());
      nesl(arguments);
      EXPECT_EQ(result.exit_status, 1) << expression << ": " << result.output;
      EXPECT_NE(result.errors.find("run-time error: " + message + "\n"), std::string::npos)
          << expression << ": " << result.output << result.errors;
    }
  }
  void expect_overflow(const std::string& expression, const std::string& message) {
    expect_fault(expression, "Overflow: " + message, {"--checked"});
    expect_fault(expression, "Overflow: " + message, {"--checked", "--int=32"});
  }
  void expect_float_error(const std::string& expression, const std::string& message) {
    expect_fault(expression, message, {"--float-errors"});
  }
  /// Expects the same reply under the options as without.
  void expect_same(const std::string& expressions, const std::vector<std::string>& options) {
    for (const char* level : {"-O0", "-O2"}) {
      nesl({"-e", expressions, level, "--unchecked"});
      ASSERT_EQ(result.exit_status, 0) << result.errors;
      const std::string reply = result.output;
      std::vector<std::string> arguments = {"-e", expressions, level};
      arguments.insert(arguments.end(), options.begin(), options.end());
      nesl(arguments);
      expect(0, reply, "");
    }
  }
};

TEST_F(Checked, OverflowOfEachOperationIsAnError) {
  expect_overflow("max_int + 1", "the sum does not fit into an int.");
  expect_overflow("min_int + -1", "the sum does not fit into an int.");
  expect_overflow("min_int - 1", "the difference does not fit into an int.");
  expect_overflow("0 - min_int", "the difference does not fit into an int.");
  expect_overflow("max_int * 2", "the product does not fit into an int.");
  expect_overflow("(max_int / 2 + 1) * 2", "the product does not fit into an int.");
  expect_overflow("min_int * -1", "the product does not fit into an int.");
  expect_overflow("-min_int", "the negative of the least int does not fit into an int.");
  expect_overflow("abs(min_int)", "the magnitude of the least int does not fit into an int.");
  expect_overflow("diff(max_int, -2)", "the difference does not fit into an int.");
  expect_overflow("2 ^ 63 + 2 ^ 31", "the power does not fit into an int.");
  expect_overflow("(0 - 3) ^ 41", "the power does not fit into an int.");
  expect_overflow("sum([max_int, 1])", "the sum of a sequence does not fit into an int.");
  expect_overflow("product([max_int, 2])", "the product of a sequence does not fit into an int.");
  expect_overflow("plus_scan([max_int, 1, 1])", "a sum in PLUS_SCAN does not fit into an int.");
  expect_overflow("mult_scan([max_int, 2, 0])", "a product in MULT_SCAN does not fit into an int.");
  expect_overflow("dot([max_int, 1], [1, 1])", "the value of DOT does not fit into an int.");
}

TEST_F(Checked, ThatFitsIsTheSame) {
  expect_same(
      "function square(x) = x * x; (max_int + 0, min_int + max_int, max_int - max_int, min_int - min_int, -max_int);"
      "(2 ^ 30, (0 - 2) ^ 31, -1 ^ 1001, 0 ^ 0, 3 ^ 19, abs(-5), diff(3, -4), {square(x) : x in [-3, 46340]}, "
      "square(1.5));"
      "(sum([max_int, 1, -1]), product([max_int, 0, max_int]), product([] int), sum([] int), plus_scan([max_int, -1, "
      "1]));"
      "(mult_scan([3, 0, max_int, max_int]), dot([1, 2], [3, 4]), dot([] int, [] int), {sum(r) : r in [[1, 2], [], "
      "[3]]});"
      "{plus_scan(r) : r in [[1, 2], [], [3]]}; (max_int / 2) * 2; (min_int / 2) * 2; reduce('+, 0, [1, 2]); 7 / 2 + "
      "rem(7, 2);"
      "(1.0 + 2, 2.5 * 2, -1.5, 1.0 / 0.0, sqrt(-1.0)); unique([3, 3]); histogram([\"a\", \"a\"]); sort([\"b\", "
      "\"a\"]); @12",
      {"--checked"});
}

TEST_F(Checked, FaultsNameElementPlaceAndCall) {
  file("a.nesl", "function double(x) = 2 * x;\n{{double(x) : x in row} : row in [[1], [], [2, max_int]]};\n");
  nesl({"run", "a.nesl", "--checked", "--int=32"});
  expect(1, "",
         "a.nesl:1:22: run-time error in double: Overflow: the product does not fit into an int.\n"
         "  function double(x) = 2 * x;\n"
         "                       ^\n"
         "  2 * 2147483647\n"
         "  at element [2][1]\n"
         "  called from (a.nesl:2:3)\n");
  nesl({"compile", "a.nesl", "--checked", "-o", "a.vcode"});
  expect(0, "", "");
  result = run_process({NESL_VINTERP, "a.vcode"}, directory.path(), "", {});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("at element [2][1]"), std::string::npos) << result.errors;
}

TEST_F(Checked, InSessionsAndTestsUnlessToldOtherwise) {
  nesl({"repl"}, "max_int + 1;\n");
  EXPECT_NE(result.errors.find("Overflow: the sum does not fit into an int."), std::string::npos) << result.errors;
  nesl({"repl", "--unchecked"}, "max_int + 1 == min_int;\n");
  expect(0, "it = T : bool\n", "");
  nesl({"-e", "max_int + 1 == min_int"});
  expect(0, "it = T : bool\n", "");
  file("a.nesl", "test \"next\" for n : int = n + 1 > n;\n");
  nesl({"test", "a.nesl", "--inputs=1000", "--seed=1"});
  EXPECT_NE(result.output.find("Overflow: the sum does not fit into an int."), std::string::npos) << result.output;
  nesl({"test", "a.nesl", "--inputs=1000", "--seed=1", "--unchecked"});
  EXPECT_EQ(result.output.find("Overflow"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("test failed: next"), std::string::npos) << result.output;
}

TEST_F(Checked, TheFirstInfinityOrNanIsAnError) {
  expect_float_error("1.0 / 0.0", "Divide by zero.");
  expect_float_error("0.0 / 0.0", "Divide by zero.");
  expect_float_error("1e308 / 1e-10", "The quotient of finite floats is infinite.");
  expect_float_error("1e308 + 1e308", "The sum of finite floats is infinite.");
  expect_float_error("-1e308 - 1e308", "The difference of finite floats is infinite.");
  expect_float_error("1e200 * 1e200", "The product of finite floats is infinite.");
  expect_float_error("10.0 ^ 400", "The power of a finite float is infinite.");
  expect_float_error("sqrt(-1.0)", "Sqrt of negative number.");
  expect_float_error("ln(-1.0)", "Ln of negative number.");
  expect_float_error("ln(0.0)", "Ln of zero.");
  expect_float_error("log(8.0, 1.0)", "Divide by zero.");
  expect_float_error("exp(1000.0)", "The exponential of a finite float is infinite.");
  expect_float_error("power(-1.0, 0.5)", "The power of finite floats is no finite number.");
  expect_float_error("acos(2.0)", "Arc cosine of a number outside [-1, 1].");
  expect_float_error("sum([1e308, 1e308])", "The sum of finite floats is infinite.");
  expect_float_error("product([1e308, 1e308])", "The product of finite floats is infinite.");
  expect_float_error("reciprocal(0.0)", "Divide by zero.");
  expect_float_error("{1.0 / x : x in [1.0, 0.0]}", "Divide by zero.");
  nesl({"-e", "{1.0 / x : x in [1.0, 0.0]}", "--float-errors"});
  EXPECT_NE(result.errors.find("  at element [1]\n"), std::string::npos) << result.errors;
}

TEST_F(Checked, InfinitiesFromInfinitiesAreNoErrors) {
  expect_same(
      "(inf, nan, -inf, inf + 1.0, inf - inf, 2.0 * inf, 1.0 / inf, sqrt(inf), exp(inf), sum([inf, 1.0]), max(inf, "
      "nan));"
      "(1.0 / 3.0, 2.0 ^ 10, sqrt(2.0), ln(2.0), exp(1.0), sum([] float), plus_scan([1.0, inf, 2.0]), mean([inf]));"
      "(1 + 2, max_int + 1, -3, sum([max_int, 1]), {x + 1 : x in [1, 2]})",
      {"--float-errors"});
  nesl({"-e", "(max_int + 0, 1.5 + 2)", "--float-errors", "--checked", "--int=32"});
  expect(0, "it = (2147483647, 3.5) : int, float\n", "");
  nesl({"-e", "1.0 / 0.0", "--float-errors", "--checked"});
  expect_error("<expression>:1:1: run-time error: Divide by zero.");
  nesl({"-e", "max_int + 1", "--float-errors", "--checked"});
  expect_error("<expression>:1:1: run-time error: Overflow: ");
}

}  // namespace
