#include "result_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "oracle.h"
#include "separate_memory.h"

namespace nesl_cli {
namespace {

using nesl::ValueShape;
using runtime::Value;
using Kind = ValueShape::Kind;

const ValueShape kInt{Kind::kInt}, kFloat{Kind::kFloat}, kBool{Kind::kBool}, kChar{Kind::kChar},
    kFunction{Kind::kFunction};
ValueShape sequence(ValueShape element) { return {Kind::kSequence, "", {std::move(element)}}; }
ValueShape pair(ValueShape a, ValueShape b) { return {Kind::kPair, "", {std::move(a), std::move(b)}}; }
ValueShape data(const char* name, ValueShape contents) { return {Kind::kData, name, {std::move(contents)}}; }

struct ResultTextTest : ::testing::Test {
  std::unique_ptr<cvl::Backend> backend = cvl::conformance::make_oracle({}, cvl::conformance::Addresses::kAnyHost);
  runtime::Evaluator evaluator{*backend, {}};

  template <class T>
  Value vector(const std::vector<T>& elements) {
    runtime::VectorObject* object =
        evaluator.heap().make_vector(vcode::kElemTypeOf<T>, static_cast<std::int64_t>(elements.size()));
    std::copy(elements.begin(), elements.end(), static_cast<T*>(object->host));
    return Value::adopt(object);
  }
  Value ints(const std::vector<std::int32_t>& elements) { return vector(elements); }
  Value segments(const std::vector<std::int32_t>& lengths) { return evaluator.make_segdes(vector(lengths)); }
  Value text(const std::string& characters) { return ints({characters.begin(), characters.end()}); }

  std::string show(const ValueShape& shape, const std::vector<Value>& entries, std::int64_t print_length = 100) {
    EXPECT_EQ(nesl::entry_count(shape), entries.size());
    return result_text(shape, entries, evaluator, {print_length}).value_or("out of memory");
  }
};

TEST_F(ResultTextTest, Scalars) {
  EXPECT_EQ(show(kInt, {Value::scalar<std::int32_t>(-3)}), "-3");
  EXPECT_EQ(show(kInt, {Value::scalar<std::int64_t>(-3'000'000'000)}), "-3000000000");
  EXPECT_EQ(show(kFloat, {Value::scalar(0.25)}), "0.25");
  EXPECT_EQ(show(kFloat, {Value::scalar(0.25f)}), "0.25");
  EXPECT_EQ(show(kBool, {Value::scalar(true)}), "T");
  EXPECT_EQ(show(kBool, {Value::scalar(false)}), "F");
  EXPECT_EQ(show(kChar, {Value::scalar<std::int32_t>('a')}), "`a");
  EXPECT_EQ(show(kChar, {Value::scalar<std::int32_t>(' ')}), "` ");
  EXPECT_EQ(show(kFunction, {}), "fn");
}

TEST_F(ResultTextTest, Sequences) {
  EXPECT_EQ(show(sequence(kInt), {Value::single_segment(3), ints({1, 2, 3})}), "[1, 2, 3]");
  EXPECT_EQ(show(sequence(kInt), {Value::single_segment(0), ints({})}), "[]");
  EXPECT_EQ(show(sequence(kBool), {Value::single_segment(2), vector<bool>({true, false})}), "[T, F]");
  EXPECT_EQ(show(sequence(kFloat), {Value::single_segment(2), vector<double>({1, 1e10})}), "[1.0, 1.0E10]");
}

TEST_F(ResultTextTest, NestedSequencesShareTheirVectors) {
  const ValueShape nested = sequence(sequence(kInt));
  EXPECT_EQ(show(nested, {Value::single_segment(3), segments({2, 0, 1}), ints({1, 2, 3})}), "[[1, 2], [], [3]]");
  EXPECT_EQ(show(nested, {Value::single_segment(2), segments({2, 2}), ints({1, 2, 3, 4})}), "[[1, 2], [3, 4]]");
  EXPECT_EQ(show(nested, {Value::single_segment(0), segments({}), ints({})}), "[]");
  EXPECT_EQ(show(nested, {Value::single_segment(1), Value::single_segment(2), ints({1, 2})}), "[[1, 2]]");
  EXPECT_EQ(show(sequence(nested), {Value::single_segment(2), segments({1, 2}), segments({1, 0, 2}), ints({7, 8, 9})}),
            "[[[7]], [[], [8, 9]]]");
}

TEST_F(ResultTextTest, LongSequencesAreShortenedAtEachNestingLevel) {
  std::vector<std::int32_t> many(300);
  for (int k = 0; k < 300; ++k) many[static_cast<std::size_t>(k)] = k;
  EXPECT_EQ(show(sequence(kInt), {Value::single_segment(300), ints(many)}, 3), "[0, 1, 2,...]");
  EXPECT_EQ(show(sequence(kInt), {Value::single_segment(300), ints(many)}, 300).size(),
            std::string("[]").size() + 10 + 90 * 2 + 200 * 3 + 299 * 2);
  EXPECT_EQ(show(sequence(kInt), {Value::single_segment(2), ints({1, 2})}, 0), "[...]");
  EXPECT_EQ(show(sequence(kInt), {Value::single_segment(0), ints({})}, 0), "[]");
  EXPECT_EQ(show(sequence(sequence(kInt)), {Value::single_segment(3), segments({3, 1, 1}), ints({1, 2, 3, 4, 5})}, 2),
            "[[1, 2,...], [4],...]");
  EXPECT_EQ(show(sequence(kChar), {Value::single_segment(6), text("abcdef")}, 2), "\"abcdef\"");
}

TEST_F(ResultTextTest, Strings) {
  const ValueShape string = sequence(kChar);
  EXPECT_EQ(show(string, {Value::single_segment(2), text("hi")}), "\"hi\"");
  EXPECT_EQ(show(string, {Value::single_segment(0), text("")}), "\"\"");
  EXPECT_EQ(show(string, {Value::single_segment(5), text("\"a\\b\n")}), R"("\"a\\b\n")");
  EXPECT_EQ(show(string, {Value::single_segment(4), ints({'\t', '\r', 0, '0'})}), R"("\t\r\00")");
  EXPECT_EQ(show(sequence(string), {Value::single_segment(3), segments({1, 0, 1}), text("ab")}),
            "[\"a\", \"\", \"b\"]");
  EXPECT_EQ(show(sequence(string), {Value::single_segment(0), segments({}), text("")}), "[]");
}

TEST_F(ResultTextTest, CharactersAreBytesOrUnicode) {
  const ValueShape string = sequence(kChar);
  EXPECT_EQ(show(string, {Value::single_segment(2), ints({-61, -87})}), "\"é\"");
  EXPECT_EQ(show(string, {Value::single_segment(2), ints({195, 169})}), "\"é\"");
  EXPECT_EQ(show(string, {Value::single_segment(4), ints({0x100, 0x20AC, 0x1F600, 0x7FFFFFFF})}), "\"Ā€😀?\"");
}

TEST_F(ResultTextTest, Tuples) {
  const Value one = Value::scalar<std::int32_t>(1), two = Value::scalar<std::int32_t>(2),
              three = Value::scalar<std::int32_t>(3);
  EXPECT_EQ(show(pair(kInt, pair(kInt, kInt)), {one, two, three}), "(1, 2, 3)");
  EXPECT_EQ(show(pair(pair(kInt, kInt), kInt), {one, two, three}), "((1, 2), 3)");
  EXPECT_EQ(show(sequence(pair(kInt, kBool)), {Value::single_segment(2), ints({1, 2}), vector<bool>({true, false})}),
            "[(1, T), (2, F)]");
  EXPECT_EQ(show(pair(kFunction, kInt), {one}), "(fn, 1)");
  EXPECT_EQ(show(pair(sequence(kInt), sequence(kChar)),
                 {Value::single_segment(1), ints({1}), Value::single_segment(1), text("a")}),
            "([1], \"a\")");
}

TEST_F(ResultTextTest, Datatypes) {
  const Value one = Value::scalar<std::int32_t>(1), two = Value::scalar<std::int32_t>(2);
  EXPECT_EQ(show(data("point", pair(kInt, kInt)), {one, two}), "point(1, 2)");
  EXPECT_EQ(show(data("box", kInt), {one}), "box(1)");
  EXPECT_EQ(show(data("box", data("box", sequence(kInt))), {Value::single_segment(1), ints({1})}), "box(box([1]))");
  EXPECT_EQ(show(sequence(data("point", pair(kInt, kInt))), {Value::single_segment(2), ints({1, 2}), ints({3, 4})}),
            "[point(1, 3), point(2, 4)]");
  EXPECT_EQ(show(data("line", pair(pair(kInt, kInt), kInt)), {one, two, one}), "line((1, 2), 1)");
}

TEST_F(ResultTextTest, CapturedValuesAreNotShown) {
  const ValueShape closure{Kind::kFunction, "", {kInt, sequence(kInt)}};
  EXPECT_EQ(show(pair(closure, kInt),
                 {Value::scalar<std::int32_t>(7), Value::single_segment(1), ints({8}), Value::scalar<std::int32_t>(9)}),
            "(fn, 9)");
}

TEST_F(ResultTextTest, Floats) {
  const std::pair<double, const char*> expected[] = {
      {0.0, "0.0"},
      {-0.0, "0.0"},
      {0.1 + 0.2, "0.30000000000000004"},
      {0.1, "0.1"},
      {1.0 / 3, "0.3333333333333333"},
      {2.0 / 3e-10, "6.666666666666667E9"},
      {0.1 + 0.7, "0.7999999999999999"},
      {1234567.0, "1234567.0"},
      {9999999.0, "9999999.0"},
      {9999999.5, "9999999.5"},
      {1e7, "1.0E7"},
      {12345678.0, "1.2345678E7"},
      {0.001, "0.001"},
      {0.00099, "9.9E-4"},
      {1e-4, "1.0E-4"},
      {-1.5, "-1.5"},
      {1e22, "1.0E22"},
      {1e300, "1.0E300"},
      {5e-324, "5.0E-324"},
      {9999999.9999999999, "1.0E7"},
      {9999999.999999998, "9999999.999999998"},
      {std::numeric_limits<double>::infinity(), "inf"},
      {-std::numeric_limits<double>::infinity(), "-inf"},
      {std::nan(""), "nan"},
  };
  for (const auto& [x, text] : expected) {
    EXPECT_EQ(float_text(x), text);
    EXPECT_TRUE(std::isnan(x) || std::strtod(text, nullptr) == x) << text;
  }
  EXPECT_EQ(float_text(0.1f), "0.1");
  EXPECT_EQ(float_text(16777216.0f), "1.6777216E7");
  EXPECT_EQ(float_text(1.0f / 3), "0.33333334");
}

TEST_F(ResultTextTest, ClassicFloatsHaveAtMost15Digits) {
  const std::pair<double, const char*> expected[] = {
      {0.0, "0.0"},
      {0.1 + 0.2, "0.3"},
      {1.0 / 3, "0.333333333333333"},
      {2.0 / 3e-10, "6.66666666666667E9"},
      {9999999.5, "9999999.5"},
      {9999999.9999999999, "1.0E7"},
      {9999999.999999998, "1.0E7"},
      {5e-324, "5.0E-324"},
      {std::numeric_limits<double>::infinity(), "inf"},
  };
  for (const auto& [x, text] : expected) EXPECT_EQ(float_text(x, true), text);
  EXPECT_EQ(float_text(0.1f, true), "0.100000001490116");
}

TEST_F(ResultTextTest, ValuesInDeviceMemoryAreCopiedToTheHost) {
  auto separate = cvl::conformance::make_separate_memory(cvl::conformance::make_oracle({}));
  runtime::Evaluator device(*separate, {});
  std::vector<Value> entries;
  Value operands[3] = {Value::scalar<std::int32_t>(5), Value::scalar<std::int32_t>(2), Value::single_segment(200)};
  ASSERT_TRUE(device.apply(vcode::Op::kIndex, vcode::Suffix::kNone, operands));
  entries.push_back(Value::single_segment(200));
  entries.push_back(operands[0]);
  EXPECT_EQ(result_text(sequence(kInt), entries, device, {3}), "[5, 7, 9,...]");
}

}  // namespace
}  // namespace nesl_cli
