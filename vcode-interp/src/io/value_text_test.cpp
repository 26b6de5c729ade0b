#include "io/value_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "interpreter_testing.h"
#include "oracle.h"

namespace interp {
namespace {

using runtime::Value;
using vcode::Suffix;

struct ValueTextTest : ::testing::Test {
  std::unique_ptr<cvl::Backend> backend = cvl::conformance::make_oracle({}, cvl::conformance::Addresses::kAnyHost);
  runtime::Evaluator evaluator{*backend, {}};

  std::string print(const Value& value, bool shortest_floats = false, std::int64_t most_elements = INT64_MAX) {
    const MemoryFile file;
    Stream stream(file.descriptor(), false);
    EXPECT_TRUE(print_value(evaluator, value, stream, {shortest_floats, most_elements}));
    stream.flush();
    return file.content();
  }
  /// Reads a text and returns the value, printed again, and the message.
  std::string read(Suffix type, const std::string& text) {
    const MemoryFile file(text);
    Stream stream(file.descriptor(), false);
    ReadOutcome outcome = read_value(evaluator, type, stream);
    if (type == Suffix::kSegdes && outcome.message.empty())
      outcome.value = evaluator.make_segdes(std::move(outcome.value));
    return print(outcome.value) + outcome.message;
  }
};

TEST_F(ValueTextTest, ShortestFloatsReadBackAsTheSame) {
  for (double x : {0.0, 1.0, 0.1, 0.1 + 0.2, 1.0 / 3, 1e100, 4.9e-324, 1.7976931348623157e308}) {
    const std::string text = print(Value::scalar(x), true);
    EXPECT_EQ(std::strtod(text.c_str() + 1, nullptr), x) << text;
  }
  EXPECT_EQ(print(Value::scalar(0.1), true), "( 1.0e-01 )\n");
  EXPECT_EQ(print(Value::scalar(0.1f), true), "( 1.0e-01 )\n");
  EXPECT_EQ(print(Value::scalar(0.1 + 0.2), true), "( 3.0000000000000004e-01 )\n");
}

TEST_F(ValueTextTest, FloatsPrintLikeTheCLibrary) {
  for (double x :
       {0.0, -0.0, 1.0, -2.5, 0.1, 1e100, 1e-300, 4.9e-324, 1.7976931348623157e308, 123456.789, 9.999999999999995e22,
        2.5e-5, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), std::nan("")}) {
    char expected[64];
    std::snprintf(expected, sizeof expected, "( %.14e )\n", x);
    EXPECT_EQ(print(Value::scalar(x)), expected);
  }
  EXPECT_EQ(print(Value::scalar(-std::nan(""))), "( nan )\n");
  EXPECT_EQ(print(Value::scalar(-std::nan("")), true), "( nan )\n");
}

TEST_F(ValueTextTest, PrintedValuesReadBack) {
  EXPECT_EQ(read(Suffix::kInt, "( 1 -2 2147483647 -2147483648 )"), "( 1 -2 2147483647 -2147483648 )\n");
  EXPECT_EQ(read(Suffix::kBool, "( T F T )"), "( T F T )\n");
  EXPECT_EQ(read(Suffix::kSegdes, "[ 2 0 1 ]"), "[ 2 0 1 ]\n");
  EXPECT_EQ(read(Suffix::kFloat, "( 1.50000000000000e+00 inf -inf )"), "( 1.50000000000000e+00 inf -inf )\n");
  EXPECT_EQ(read(Suffix::kChar, "\"ab\nc\""), "( 97 98 10 99 )\n");
  EXPECT_EQ(read(Suffix::kByte, "( 0 97 255 )"), "( 0 97 255 )\n");
}

TEST_F(ValueTextTest, ElementsBeyondTheLimitAreLeftOut) {
  const Value vector = make_ints(evaluator, std::vector<std::int64_t>{1, 2, 3});
  EXPECT_EQ(print(vector, false, 2), "( 1 2 ... )\n");
  EXPECT_EQ(print(vector, false, 3), "( 1 2 3 )\n");
  EXPECT_EQ(print(vector, false, 0), "( ... )\n");
}

TEST_F(ValueTextTest, BlanksBetweenElementsAreOptional) {
  EXPECT_EQ(read(Suffix::kInt, "  \n(1 \t2\n3)"), "( 1 2 3 )\n");
  EXPECT_EQ(read(Suffix::kBool, "(TFT)"), "( T F T )\n");
  EXPECT_EQ(read(Suffix::kInt, "()"), "( )\n");
  EXPECT_EQ(read(Suffix::kFloat, "(3 .5 0x1p4)"),
            "( 3.00000000000000e+00 5.00000000000000e-01 1.60000000000000e+01 )\n");
}

TEST_F(ValueTextTest, BadTextIsReported) {
  EXPECT_EQ(read(Suffix::kInt, "1 2"), "( )\nvinterp: input error: vector must start with (");
  EXPECT_EQ(read(Suffix::kSegdes, "( 1 )"), "( )\nvinterp: input error: vector must start with [");
  EXPECT_EQ(read(Suffix::kChar, ""), "( )\nvinterp: input error: vector must start with \"");
  EXPECT_EQ(read(Suffix::kInt, "( 1 x )"), "( )\ninput error: vector must end with )");
  EXPECT_EQ(read(Suffix::kInt, "( - 3 )"), "( )\ninput error: vector must end with )");
  EXPECT_EQ(read(Suffix::kInt, "( 1 2"), "( )\ninput error: vector must end with )");
  EXPECT_EQ(read(Suffix::kInt, "( 2147483648 )"), "( )\ninput error: vector must end with )");
  EXPECT_EQ(read(Suffix::kByte, "( 256 )"), "( )\ninput error: vector must end with )");
  EXPECT_EQ(read(Suffix::kSegdes, "[ -1 ]"), "( )\ninput error: vector must end with ]");
  EXPECT_EQ(read(Suffix::kFloat, "( 1.0.0 )"), "( )\ninput error: vector must end with )");
}

TEST_F(ValueTextTest, CharactersAreSignedBytes) {
  EXPECT_EQ(print(make_characters(evaluator, "\xc3\xa9")), "( -61 -87 )\n");
  EXPECT_EQ(characters_of(evaluator, make_characters(evaluator, "\xc3\xa9")), "\xc3\xa9");
}

}  // namespace
}  // namespace interp
