// Values of every kind, passed into NESL and read back.

#include <cmath>
#include <numeric>

#include "c_api_testing.h"

namespace c_api {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr const char* kPrograms = R"(
function same(x) = x;
function twice(x) = {y + y : y in x};
function row_sums(rows) = {sum(row) : row in rows};
function sort_all(rows) = {sort(row) : row in rows};
datatype point(x : float, y : float);
datatype box(a) :: (a in any);
function norms(points) = {sqrt(p.x * p.x + p.y * p.y) : p in points};
function mirror(p) = point(p.y, p.x);
function open(box(x)) = x;
factor = 10;
function scaled(x, by := factor) = {y * by : y in x};
function adder(n) = x => x + n;
)";

void count_release(void* count) { ++*static_cast<int*>(count); }

TEST(CApiValues, Scalars) {
  Session s(kPrograms);
  nesl_value* number = s.call(s.lookup("same", "int"), {s.integer(-7)});
  std::int64_t whole = 0;
  expect_no_error(nesl_get_int(number, &whole));
  EXPECT_EQ(whole, -7);
  EXPECT_EQ(nesl_value_kind(number), NESL_KIND_INT);
  double real = 0;
  expect_no_error(nesl_get_float(s.call(s.lookup("same", "float"), {s.number(0.25)}), &real));
  EXPECT_EQ(real, 0.25);
  int truth = 7;
  expect_no_error(nesl_get_bool(s.call(s.lookup("not", "bool"), {s.make(nesl_bool, s.get(), 3)}), &truth));
  EXPECT_EQ(truth, 0);
  unsigned char character = 0;
  expect_no_error(nesl_get_char(s.call(s.lookup("same", "char"), {s.make(nesl_char, s.get(), 200)}), &character));
  EXPECT_EQ(character, 200);
  expect_no_error(nesl_get_float(s.call(s.lookup("pi", nullptr), {}), &real));
  EXPECT_EQ(real, M_PI);
}

TEST(CApiValues, SequencesOfEveryElement) {
  Session s(kPrograms);
  for (const std::size_t length : {0, 1, 2, 64, 65, 66, 1000, 100'000}) {
    std::vector<std::int32_t> ints(length);
    std::iota(ints.begin(), ints.end(), -3);
    std::vector<std::int32_t> doubled = ints;
    for (std::int32_t& x : doubled) x *= 2;
    EXPECT_EQ(elements_of<std::int32_t>(s.call(s.lookup("twice", "[int]"), {s.ints(ints)}), NESL_INT32), doubled);
    const std::vector<std::int64_t> wide(ints.begin(), ints.end());
    nesl_value* narrowed = s.array(NESL_INT64, wide.data(), length);
    EXPECT_EQ(elements_of<std::int32_t>(narrowed, NESL_INT32), ints);
    EXPECT_EQ(elements_of<std::int64_t>(narrowed, NESL_INT64), wide);

    std::vector<double> floats(ints.begin(), ints.end());
    std::vector<double> halves = floats;
    for (double& x : halves) x *= 0.25;
    for (double& x : floats) x *= 0.125;
    nesl_value* result = s.call(s.lookup("twice", "[float]"), {s.floats(floats)});
    EXPECT_EQ(elements_of<double>(result, NESL_FLOAT64), halves);
    EXPECT_EQ(elements_of<float>(result, NESL_FLOAT32), std::vector<float>(halves.begin(), halves.end()));

    Bytes bytes(length);
    for (std::size_t k = 0; k < length; ++k) bytes[k] = static_cast<std::uint8_t>(k * 7);
    EXPECT_EQ(elements_of<std::uint8_t>(
                  s.call(s.lookup("reverse", "[char]"), {s.array(NESL_CHAR8, bytes.data(), length)}), NESL_CHAR8),
              Bytes(bytes.rbegin(), bytes.rend()));
    Bytes truths = bytes;
    for (std::uint8_t& byte : truths) byte = byte != 0;
    EXPECT_EQ(elements_of<std::uint8_t>(s.call(s.lookup("same", "[bool]"), {s.array(NESL_BOOL8, bytes.data(), length)}),
                                        NESL_BOOL8),
              truths);
    std::size_t found = 1;
    expect_no_error(nesl_length(result, &found));
    EXPECT_EQ(found, length);
  }
}

TEST(CApiValues, WidthsOfTheSession) {
  nesl_options options = NESL_OPTIONS_INIT;
  options.int_bits = 64;
  options.float_bits = 32;
  Session s(kPrograms, options);
  const std::int64_t large = 1LL << 40;
  const nesl_function* twice = s.lookup("twice", "[int]");
  nesl_value* doubled = s.call(twice, {s.array(NESL_INT64, std::vector{large, -large}.data(), 2)});
  EXPECT_EQ(elements_of<std::int64_t>(doubled, NESL_INT64), (std::vector{2 * large, -2 * large}));
  const void* data = nullptr;
  std::size_t length = 0;
  EXPECT_EQ(message_of(nesl_data(doubled, NESL_INT32, &data, &length)),
            "element 0 is 2199023255552, which does not fit in 32 bits");
  const nesl_value* small = s.call(twice, {s.array(NESL_INT64, std::vector<std::int64_t>{1, -large}.data(), 2)});
  EXPECT_EQ(message_of(nesl_data(small, NESL_INT32, &data, &length)),
            "element 1 is -2199023255552, which does not fit in 32 bits");
  EXPECT_EQ(elements_of<std::int32_t>(s.call(twice, {s.ints({5})}), NESL_INT32), std::vector{10});
  nesl_value* floats = s.call(s.lookup("twice", "[float]"), {s.floats({0.1, 1})});
  EXPECT_EQ(elements_of<float>(floats, NESL_FLOAT32), (std::vector{0.2f, 2.0f}));
  EXPECT_EQ(elements_of<double>(floats, NESL_FLOAT64), (std::vector<double>{0.2f, 2}));
  double real = 0;
  expect_no_error(nesl_get_float(s.call(s.lookup("same", "float"), {s.number(0.1)}), &real));
  EXPECT_EQ(real, static_cast<double>(0.1f));
  std::int64_t whole = 0;
  expect_no_error(nesl_get_int(s.call(s.lookup("same", "int"), {s.integer(INT64_MIN)}), &whole));
  EXPECT_EQ(whole, INT64_MIN);
}

TEST(CApiValues, OtherBackends) {
  for (const char* backend : {"oracle", "separate"}) {  // separate has a memory of its own
    const std::vector<double> ones(1000, 1);
    int released = 0;
    nesl_options options = NESL_OPTIONS_INIT;
    options.backend = backend;
    Session s(kPrograms, options);
    nesl_value* flat = s.make(nesl_borrow, s.get(), NESL_FLOAT64, ones.data(), 1000u, count_release, &released);
    EXPECT_EQ(elements_of<double>(s.call(s.lookup("twice", "[float]"), {flat}), NESL_FLOAT64),
              std::vector<double>(1000, 2));
    std::vector<std::int64_t> offsets(101);
    for (std::size_t k = 0; k < offsets.size(); ++k) offsets[k] = static_cast<std::int64_t>(k * k / 10);
    nesl_value* rows = s.nested(flat, offsets);
    EXPECT_EQ(offsets_of(s.call(s.lookup("same", "[[float]]"), {rows})), offsets);
    nesl_value* sums = s.call(s.lookup("row_sums", "[[float]]"), {rows});
    EXPECT_EQ(elements_of<float>(sums, NESL_FLOAT32).at(99), 20);
    EXPECT_EQ(released, std::string(backend) == "separate" ? 1 : 0);
  }
}

TEST(CApiValues, NestedSequences) {
  Session s(kPrograms);
  nesl_value* rows = s.nested(s.floats({1, 2, 4, 8, 16}), {0, 3, 3, 5});
  EXPECT_EQ(shown(rows), "[[1.0, 2.0, 4.0], [], [8.0, 16.0]] : [[float]]");
  EXPECT_EQ(shown(s.call(s.lookup("row_sums", "[[float]]"), {rows})), "[7.0, 0.0, 24.0] : [float]");
  nesl_value* deep = s.nested(s.nested(s.ints({3, 1, 2, 9, 8}), {0, 3, 3, 5}), {0, 0, 2, 3});
  EXPECT_EQ(shown(deep), "[[], [[3, 1, 2], []], [[9, 8]]] : [[[int]]]");
  nesl_value* sorted = s.call(s.lookup("same", "[[[int]]]"), {deep});
  EXPECT_EQ(offsets_of(sorted), (std::vector<std::int64_t>{0, 0, 2, 3}));
  nesl_value* inner = s.make(nesl_elements, sorted);
  EXPECT_EQ(offsets_of(inner), (std::vector<std::int64_t>{0, 3, 3, 5}));
  nesl_value* ordered = s.call(s.lookup("sort_all", "[[int]]"), {inner});
  EXPECT_EQ(elements_of<std::int32_t>(s.make(nesl_elements, ordered), NESL_INT32), (std::vector{1, 2, 3, 8, 9}));
  // Other elements in the same parts, and in those of a result.
  nesl_value* letters = s.string("abcde");
  for (nesl_value* like : {rows, inner, ordered}) {
    EXPECT_EQ(shown(s.make(nesl_nest_like, letters, like)), "[\"abc\", \"\", \"de\"] : [[char]]");
    EXPECT_EQ(offsets_of(s.make(nesl_nest_like, letters, like)), (std::vector<std::int64_t>{0, 3, 3, 5}));
  }
  // No part, one part, and parts of equal length have other descriptors.
  EXPECT_EQ(shown(s.nested(s.ints({}), {0})), "[] : [[int]]");
  EXPECT_EQ(offsets_of(s.nested(s.ints({}), {0})), std::vector<std::int64_t>{0});
  EXPECT_EQ(offsets_of(s.nested(s.ints({1, 2}), {0, 2})), (std::vector<std::int64_t>{0, 2}));
  EXPECT_EQ(shown(s.nested(s.ints({}), {0, 0})), "[[]] : [[int]]");
  EXPECT_EQ(offsets_of(s.nested(s.ints({1, 2, 3, 4}), {0, 2, 4})), (std::vector<std::int64_t>{0, 2, 4}));
}

TEST(CApiValues, ManyParts) {
  Session s(kPrograms);
  std::vector<std::int64_t> offsets{0};
  for (int k = 0; k < 50'000; ++k) offsets.push_back(offsets.back() + k % 5);
  const std::vector<double> ones(static_cast<std::size_t>(offsets.back()), 1);
  nesl_value* rows = s.nested(s.floats(ones), offsets);
  EXPECT_EQ(offsets_of(s.call(s.lookup("same", "[[float]]"), {rows})), offsets);
  const std::vector<double> sums = elements_of<double>(s.call(s.lookup("row_sums", "[[float]]"), {rows}), NESL_FLOAT64);
  ASSERT_EQ(sums.size(), 50'000u);
  for (int k = 0; k < 50'000; ++k) ASSERT_EQ(sums[static_cast<std::size_t>(k)], k % 5);
}

TEST(CApiValues, TuplesAndRecords) {
  Session s(kPrograms);
  nesl_value* triple = s.tuple({s.integer(1), s.floats({2, 3}), s.string("ab")});
  EXPECT_EQ(shown(triple), "(1, [2.0, 3.0], \"ab\") : (int, [float], [char])");
  EXPECT_EQ(nesl_value_kind(triple), NESL_KIND_TUPLE);
  nesl_value* same = s.call(s.lookup("same", "(int, [float], [char])"), {triple});
  EXPECT_EQ(nesl_parts(same), 3u);
  EXPECT_EQ(shown(s.make(nesl_part, same, 0u)), "1 : int");
  EXPECT_EQ(shown(s.make(nesl_part, same, 1u)), "[2.0, 3.0] : [float]");
  EXPECT_EQ(shown(s.make(nesl_part, same, 2u)), "\"ab\" : [char]");

  nesl_value* points = s.make(nesl_as, s.zip({s.floats({3, 5, 0}), s.floats({4, 12, 0})}), "[point]");
  EXPECT_EQ(shown(points), "[point(3.0, 4.0), point(5.0, 12.0), point(0.0, 0.0)] : [point]");
  EXPECT_EQ(shown(s.call(s.lookup("norms", "[point]"), {points})), "[5.0, 13.0, 0.0] : [float]");
  EXPECT_EQ(nesl_parts(points), 2u);
  EXPECT_EQ(shown(s.make(nesl_part, points, 1u)), "[4.0, 12.0, 0.0] : [float]");

  nesl_value* point = s.make(nesl_as, s.tuple({s.number(1), s.number(2)}), "point");
  nesl_value* mirrored = s.call(s.lookup("mirror", "point"), {point});
  EXPECT_EQ(shown(mirrored), "point(2.0, 1.0) : point");
  EXPECT_EQ(nesl_value_kind(mirrored), NESL_KIND_RECORD);
  EXPECT_EQ(shown(s.make(nesl_part, mirrored, 0u)), "2.0 : float");
  EXPECT_EQ(shown(s.make(nesl_as, mirrored, "float, float")), "(2.0, 1.0) : (float, float)");

  nesl_value* box = s.make(nesl_as, s.ints({1, 2}), "box([int])");
  EXPECT_EQ(shown(box), "box([1, 2]) : box([int])");
  EXPECT_EQ(shown(s.call(s.lookup("open", "box([int])"), {box})), "[1, 2] : [int]");
  EXPECT_EQ(nesl_parts(box), 1u);
  EXPECT_EQ(shown(s.make(nesl_part, box, 0u)), "[1, 2] : [int]");
  nesl_value* boxes = s.make(nesl_as, s.nested(s.ints({1, 2}), {0, 1, 2}), "[box([int])]");
  EXPECT_EQ(nesl_parts(boxes), 1u);
  EXPECT_EQ(shown(s.make(nesl_part, boxes, 0u)), "[[1], [2]] : [[int]]");
  // The field is the part itself, even a part with parts of its own.
  nesl_value* boxed_points = s.make(nesl_as, points, "box([point])");
  EXPECT_EQ(shown(s.make(nesl_part, boxed_points, 0u)), shown(points));
  nesl_value* nested = s.nested(points, {0, 1, 1, 3});
  EXPECT_EQ(shown(nested), "[[point(3.0, 4.0)], [], [point(5.0, 12.0), point(0.0, 0.0)]] : [[point]]");
}

TEST(CApiValues, SeveralArgumentsAndOptionalOnes) {
  Session s(kPrograms);
  EXPECT_EQ(shown(s.call(s.lookup("scaled", "[int]"), {s.ints({1, 2})})), "[10, 20] : [int]");
  EXPECT_EQ(shown(s.call(s.lookup("factor", ""), {})), "10 : int");
  const nesl_function* take = s.lookup("take", "[(int, char)], int");
  EXPECT_EQ(nesl_function_arguments(take), 2u);
  EXPECT_STREQ(nesl_function_argument_type(take, 0), "[(int, char)]");
  EXPECT_STREQ(nesl_function_argument_type(take, 1), "int");
  EXPECT_EQ(nesl_function_argument_type(take, 2), nullptr);
  EXPECT_STREQ(nesl_function_result_type(take), "[(int, char)]");
  EXPECT_EQ(shown(s.call(take, {s.zip({s.ints({1, 2, 3}), s.string("abc")}), s.integer(2)})),
            "[(1, `a), (2, `b)] : [(int, char)]");
}

TEST(CApiValues, FunctionsAsResultsCannotBeRead) {
  Session s(kPrograms);
  nesl_value* function = s.call(s.lookup("adder", "int"), {s.integer(1)});
  EXPECT_EQ(nesl_value_kind(function), NESL_KIND_FUNCTION);
  EXPECT_EQ(shown(function), "fn : fn");
  std::int64_t number = 0;
  EXPECT_EQ(message_of(nesl_get_int(function, &number)), "a value of type fn is no int");
}

// --- borrowed ---------------------------------------------------------------------------------------------------

TEST(CApiBorrow, BorrowedElementsAreNotCopied) {
  int released = 0;
  std::vector<double> numbers(100'000, 0.5);
  Session s(kPrograms);
  nesl_value* value = nullptr;
  expect_no_error(nesl_borrow(s.get(), NESL_FLOAT64, numbers.data(), numbers.size(), count_release, &released, &value));
  const void* data = nullptr;
  std::size_t length = 0;
  expect_no_error(nesl_data(value, NESL_FLOAT64, &data, &length));
  EXPECT_EQ(data, numbers.data());
  nesl_value* result = nullptr;
  nesl_value* arguments[] = {value};
  expect_no_error(nesl_call(s.lookup("same", "[float]"), arguments, 1, &result));
  expect_no_error(nesl_data(result, NESL_FLOAT64, &data, &length));
  EXPECT_EQ(data, numbers.data());  // the result borrows the same elements
  nesl_value_free(value);
  EXPECT_EQ(released, 0);
  nesl_value* again[] = {result};
  nesl_value* doubled = nullptr;
  expect_no_error(nesl_call(s.lookup("twice", "[float]"), again, 1, &doubled));
  nesl_value_free(result);
  EXPECT_EQ(released, 1);
  EXPECT_EQ(numbers, std::vector<double>(100'000, 0.5));  // the borrowed elements are unchanged
  EXPECT_EQ(elements_of<double>(doubled, NESL_FLOAT64), std::vector<double>(100'000, 1));
  nesl_value_free(doubled);
  EXPECT_EQ(released, 1);
}

TEST(CApiBorrow, CharactersAreUsedInPlace) {
  Session s(kPrograms);
  int released = 0;
  const Bytes text(1000, 'x');
  nesl_value* borrowed = nullptr;
  expect_no_error(nesl_borrow(s.get(), NESL_CHAR8, text.data(), text.size(), count_release, &released, &borrowed));
  const void* data = nullptr;
  std::size_t length = 0;
  expect_no_error(nesl_data(borrowed, NESL_CHAR8, &data, &length));
  EXPECT_EQ(data, text.data());
  EXPECT_EQ(released, 0);
  nesl_value_free(borrowed);
  EXPECT_EQ(released, 1);
}

TEST(CApiBorrow, UnusableElementsAreCopiedAndReleased) {
  Session s(kPrograms);
  const std::vector<double> floats(1000, 0.5);
  const std::vector<std::int64_t> wide(1000, 3);
  const Bytes bytes(1000, 2);
  const auto copied = [&](nesl_element element, const void* data, std::size_t length) {
    int released = 0;
    s.make(nesl_borrow, s.get(), element, data, length, count_release, &released);
    return released;
  };
  EXPECT_EQ(copied(NESL_INT64, wide.data(), 1000), 1);
  EXPECT_EQ(copied(NESL_BOOL8, bytes.data(), 1000), 1);  // BOOLs other than 0 or 1
  EXPECT_EQ(copied(NESL_FLOAT64, floats.data(), 65), 1);
  EXPECT_EQ(copied(NESL_FLOAT64, floats.data(), 0), 1);
  EXPECT_EQ(copied(NESL_FLOAT64, bytes.data() + 1, 100), 1);  // unaligned
}

TEST(CApiBorrow, TheReleaseFunctionIsOptional) {
  Session s(kPrograms);
  const std::vector<double> numbers(1000, 2);
  nesl_value* value = s.make(nesl_borrow, s.get(), NESL_FLOAT64, numbers.data(), 1000u, nullptr, nullptr);
  EXPECT_EQ(shown(s.call(s.lookup("sum", "[float]"), {value})), "2000.0 : float");
}

TEST(CApiBorrow, BorrowedElementsOutliveTheSession) {
  int released = 0;
  const std::vector<double> numbers(1000, 2);
  nesl_session* session = nullptr;
  expect_no_error(nesl_open(nullptr, &session));
  nesl_value* value = nullptr;
  expect_no_error(nesl_borrow(session, NESL_FLOAT64, numbers.data(), 1000, count_release, &released, &value));
  nesl_close(session);
  EXPECT_EQ(released, 0);
  EXPECT_EQ(elements_of<double>(value, NESL_FLOAT64), numbers);
  nesl_value_free(value);
  EXPECT_EQ(released, 1);
}

TEST(CApiBorrow, AfterAnErrorTheCallerKeepsTheElements) {
  Session s(kPrograms);
  int released = 0;
  const std::vector<std::int64_t> large(1000, INT64_MAX);
  nesl_value* value = nullptr;
  EXPECT_NE(message_of(nesl_borrow(s.get(), NESL_INT64, large.data(), 1000, count_release, &released, &value))
                .find("element 0 is 9223372036854775807, which does not fit"),
            std::string::npos);
  EXPECT_EQ(released, 0);
}

}  // namespace
}  // namespace c_api
