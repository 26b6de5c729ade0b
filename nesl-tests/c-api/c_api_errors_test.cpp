// Bad input produces an error object with a precise message, and never a crash.

#include <fstream>

#include "c_api_testing.h"
#include "scratch_folder.h"

namespace c_api {
namespace {

constexpr const char* kPrograms = R"(function element(a, i) = a[i];
function gather(rows, places) =
  {{row[p] : p in ps} : row in rows; ps in places};
function half(x) = 1 / x;
function stop(x) = let no = if x > 2 then error("too large: " ++ @x) else t in x;
function endless(x) = if x < 0 then x else endless(x + 1 - 1);
function deeper(x) = if x < 0 then x else 1 + deeper(x + 1);
function count(n) = sum({1 : i in [0:n]});
)";

template <class T>
T* made_up() {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(0xDEADBEE0));
}

TEST(CApiErrors, TextsWithErrors) {
  Session s;
  nesl_error* error = nesl_load(s.get(), "bad.nesl", "function g(x) = x + ;\nx = 1 + true;\ny = [1, `a];");
  EXPECT_EQ(nesl_error_kind(error), NESL_ERROR_TEXT);
  EXPECT_STREQ(nesl_error_file(error), "bad.nesl");
  EXPECT_EQ(nesl_error_line(error), 1);
  EXPECT_EQ(nesl_error_column(error), 21);
  const std::string report = nesl_error_report(error);
  EXPECT_EQ(report.find("bad.nesl:1:21: error: "), 0u) << report;
  EXPECT_NE(report.find("bad.nesl:2:"), std::string::npos) << report;
  EXPECT_NE(report.find("bad.nesl:3:"), std::string::npos) << report;
  nesl_error_free(error);
  EXPECT_NE(message_of(nesl_load(s.get(), "bad.nesl", "describe sum;"), NESL_ERROR_TEXT)
                .find("the command describe is for interactive sessions"),
            std::string::npos);
  for (const char* text : {"\"", "(((((", "\x80\xFF", "function", "load;", "load 1;", "x ="})
    message_of(nesl_load(s.get(), "bad.nesl", text), NESL_ERROR_TEXT);
  expect_no_error(nesl_load(s.get(), "good.nesl", "good = 3; set print_length 3; "));
  EXPECT_EQ(shown(s.call(s.lookup("good", nullptr), {})), "3 : int");
}

TEST(CApiErrors, FailedLookups) {
  Session s(kPrograms);
  nesl_function* function = nullptr;
  const auto failed = [&](const char* name, const char* types, nesl_error_class kind = NESL_ERROR_TEXT) {
    nesl_error* error = nesl_lookup(s.get(), name, types, &function);
    EXPECT_EQ(function, nullptr);
    return message_of(error, kind);
  };
  EXPECT_EQ(failed("elemnt", "[int], int"), "elemnt is undefined");
  EXPECT_EQ(failed("element", "[int], integer"), "there is no type integer");
  EXPECT_EQ(failed("half", "[int]").find("the argument of half must be int"), 0u) << failed("half", "[int]");
  EXPECT_EQ(failed("half", nullptr, NESL_ERROR_ARGUMENT), "half is a function: the types of its arguments are needed");
  EXPECT_EQ(failed("map", "int -> int, [int]").find("a function cannot be handed to"), 0u);
  EXPECT_EQ(failed(nullptr, "int", NESL_ERROR_ARGUMENT), "the name of the function is NULL");
  for (const char* name : {"", "(", "half)", "1", "half(int)", "\xFF", "open_in_file"}) failed(name, "int");
  const std::string deep = std::string(5000, '[') + "int" + std::string(5000, ']');
  EXPECT_NE(failed("reverse", deep.c_str(), NESL_ERROR_ARGUMENT).find("nested more than 1000 levels"),
            std::string::npos);
  EXPECT_EQ(message_of(nesl_lookup(s.get(), "half", "int", nullptr)), "the place for the result is NULL");
}

TEST(CApiErrors, RunTimeErrorsHaveLocationValuesAndElement) {
  Session s(kPrograms);
  const nesl_function* gather = s.lookup("gather", "[[float]], [[int]]");
  nesl_value* rows = s.nested(s.floats({1, 2, 3}), {0, 1, 3});
  EXPECT_EQ(shown(s.call(gather, {rows, s.nested(s.ints({0, 1, 0}), {0, 1, 3})})), "[[1.0], [3.0, 2.0]] : [[float]]");
  nesl_error* error = s.failing_call(gather, {rows, s.nested(s.ints({0, 1, 7}), {0, 1, 3})});
  EXPECT_EQ(nesl_error_kind(error), NESL_ERROR_RUN);
  EXPECT_STREQ(nesl_error_message(error),
               "Sequence reference (a[i]) out of bounds. index 7, but the sequence has length 2");
  EXPECT_STREQ(nesl_error_file(error), "test.nesl");
  EXPECT_STREQ(nesl_error_function(error), "gather");
  EXPECT_EQ(nesl_error_line(error), 3);
  EXPECT_EQ(nesl_error_column(error), 5);
  const std::int64_t* positions = nullptr;
  int complete = 0;
  ASSERT_EQ(nesl_error_path(error, &positions, &complete), 2u);
  EXPECT_EQ(positions[0], 1);
  EXPECT_EQ(positions[1], 1);
  EXPECT_EQ(complete, 1);
  EXPECT_EQ(std::string(nesl_error_report(error)),
            "test.nesl:3:5: run-time error in gather: Sequence reference (a[i]) out of bounds.\n"
            "    {{row[p] : p in ps} : row in rows; ps in places};\n"
            "      ^\n"
            "  index 7, but the sequence has length 2\n"
            "  at element [1][1]\n");
  nesl_error_free(error);
  error = s.failing_call(s.lookup("half", "int"), {s.integer(0)});
  EXPECT_EQ(nesl_error_path(error, &positions, nullptr), 0u);
  EXPECT_NE(std::string(nesl_error_message(error)).find("Divide by zero."), std::string::npos)
      << nesl_error_message(error);
  nesl_error_free(error);
  // The function remains callable.
  EXPECT_EQ(shown(s.call(s.lookup("half", "int"), {s.integer(1)})), "1 : int");
}

TEST(CApiErrors, TheArgumentOfErrorIsTheMessage) {
  Session s(kPrograms);
  testing::internal::CaptureStderr();
  EXPECT_EQ(message_of(s.failing_call(s.lookup("stop", "int"), {s.integer(3)}), NESL_ERROR_RUN), "too large: 3");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(shown(s.call(s.lookup("stop", "int"), {s.integer(2)})), "2 : int");
}

TEST(CApiErrors, MemoryAndStackRunOut) {
  nesl_options options = NESL_OPTIONS_INIT;
  options.memory = 64 << 20;
  Session s(kPrograms, options);
  const nesl_function* reverse = s.lookup("reverse", "[int]");
  const std::vector<std::int32_t> numbers(12'000'000, 1);
  nesl_value* most = s.ints(numbers);  // 48 MB
  EXPECT_NE(message_of(s.failing_call(reverse, {most}), NESL_ERROR_RESOURCE).find("out of memory"), std::string::npos);
  nesl_value* more = nullptr;
  EXPECT_NE(message_of(nesl_array(s.get(), NESL_INT32, numbers.data(), numbers.size(), &more), NESL_ERROR_RESOURCE)
                .find("out of memory"),
            std::string::npos);
  EXPECT_EQ(more, nullptr);
  EXPECT_NE(
      message_of(nesl_array(s.get(), NESL_INT32, numbers.data(), std::size_t{1} << 50, &more), NESL_ERROR_RESOURCE)
          .find("out of memory"),
      std::string::npos);
  nesl_value_free(s.keep(nullptr));
  EXPECT_NE(
      message_of(s.failing_call(s.lookup("deeper", "int"), {s.integer(1)}), NESL_ERROR_RESOURCE).find("recursion"),
      std::string::npos);
  EXPECT_EQ(shown(s.call(reverse, {s.ints({1, 2})})), "[2, 1] : [int]");
}

TEST(CApiErrors, WrongArguments) {
  Session s(kPrograms), other(kPrograms);
  const nesl_function* element = s.lookup("element", "[float], int");
  nesl_value *floats = s.floats({1}), *one = s.integer(1);
  EXPECT_EQ(message_of(s.failing_call(element, {floats})), "element takes 2 arguments, but is given 1");
  EXPECT_EQ(message_of(s.failing_call(element, {floats, floats})),
            "argument 2 of element must be of type int, but is of type [float]");
  EXPECT_EQ(message_of(s.failing_call(element, {s.ints({1}), one})),
            "argument 1 of element must be of type [float], but is of type [int]");
  EXPECT_EQ(message_of(s.failing_call(element, {other.floats({1}), one})),
            "argument 1 of element is a value of another session");
  EXPECT_EQ(message_of(s.failing_call(element, {nullptr, one})), "the value is NULL");
  EXPECT_EQ(message_of(s.failing_call(element, {made_up<nesl_value>(), one})),
            "this is no value, or one that has been freed or ended");
  EXPECT_EQ(message_of(s.failing_call(nullptr, {})), "the function is NULL");
  EXPECT_EQ(message_of(s.failing_call(made_up<nesl_function>(), {})),
            "this is no function, or one that has been freed or ended");
  EXPECT_EQ(message_of(nesl_call(element, nullptr, 2, nullptr)), "the place for the result is NULL");
  nesl_value* result = nullptr;
  EXPECT_EQ(message_of(nesl_call(element, nullptr, 2, &result)), "the arguments are NULL");
  nesl_value* mixed[] = {floats, other.floats({1})};
  EXPECT_EQ(message_of(nesl_tuple(mixed, 2, &result)), "the parts are values of different sessions");
}

TEST(CApiErrors, WrongData) {
  Session s(kPrograms);
  nesl_value* value = nullptr;
  EXPECT_EQ(message_of(nesl_array(s.get(), NESL_INT32, nullptr, 3, &value)), "the array of 3 elements is NULL");
  expect_no_error(nesl_array(s.get(), NESL_INT32, nullptr, 0, &value));
  nesl_value_free(value);
  EXPECT_EQ(message_of(nesl_array(s.get(), static_cast<nesl_element>(7), "abc", 3, &value)),
            "7 is no kind of elements");
  const std::int64_t large[] = {1, 1LL << 31};
  EXPECT_EQ(message_of(nesl_array(s.get(), NESL_INT64, large, 2, &value)),
            "element 1 is 2147483648, which does not fit in an int of 32 bits: open the session with int_bits 64");
  const std::int64_t small[] = {-(1LL << 31) - 1, 1};
  EXPECT_EQ(message_of(nesl_array(s.get(), NESL_INT64, small, 2, &value)),
            "element 0 is -2147483649, which does not fit in an int of 32 bits: open the session with int_bits 64");
  EXPECT_EQ(message_of(nesl_int(s.get(), -(1LL << 31) - 1, &value)),
            "-2147483649 does not fit in an int of 32 bits: open the session with int_bits 64");
  EXPECT_EQ(message_of(nesl_int(nullptr, 1, &value)), "the session is NULL");
  EXPECT_EQ(message_of(nesl_int(s.get(), 1, nullptr)), "the place for the result is NULL");

  nesl_value* five = s.ints({1, 2, 3, 4, 5});
  const auto nested = [&](std::vector<std::int64_t> offsets) {
    nesl_error* error = nesl_nest(five, offsets.data(), offsets.size() - 1, &value);
    EXPECT_EQ(value, nullptr);
    return message_of(error);
  };
  EXPECT_EQ(nested({1, 5}), "offsets[0] must be 0, but is 1");
  EXPECT_EQ(nested({0, 3, 2, 5}), "offsets[2] is 2, less than offsets[1], which is 3");
  EXPECT_EQ(nested({0, 3, 6}), "offsets[2] is 6, but there are 5 elements");
  EXPECT_EQ(nested({0, INT64_MAX}), "offsets[1] is 9223372036854775807, but there are 5 elements");
  EXPECT_EQ(nested({0, INT64_MIN}), "offsets[1] is -9223372036854775808, less than offsets[0], which is 0");
  EXPECT_EQ(nested({0, 2, 4}), "the last offset must be the number of elements, 5, but is 4");
  EXPECT_EQ(nested({0}), "the last offset must be the number of elements, 5, but is 0");
  EXPECT_EQ(message_of(nesl_nest(five, nullptr, 1, &value)), "the offsets are NULL");
  const std::int64_t none = 0;
  EXPECT_EQ(message_of(nesl_nest(s.integer(1), &none, 0, &value)),
            "what is nested must be a sequence, but is of type int");

  EXPECT_EQ(message_of(nesl_nest_like(five, five, &value)), "a value of type [int] is no sequence of sequences");
  nesl_value* const pairs = s.nested(s.ints({1, 2, 3, 4}), {0, 2, 4});
  EXPECT_EQ(message_of(nesl_nest_like(five, pairs, &value)), "5 elements cannot be divided like 4");
  EXPECT_EQ(message_of(nesl_nest_like(s.integer(1), pairs, &value)),
            "what is nested must be a sequence, but is of type int");
  EXPECT_EQ(message_of(nesl_nest_like(nullptr, pairs, &value)), "the value is NULL");
  Session other(kPrograms);
  EXPECT_EQ(message_of(nesl_nest_like(other.ints({1, 2, 3, 4}), pairs, &value)),
            "the elements and the offsets are of different sessions");
  EXPECT_EQ(value, nullptr);

  nesl_value* uneven[] = {five, s.ints({1})};
  EXPECT_EQ(message_of(nesl_zip(uneven, 2, &value)), "sequences of 5 and of 1 elements cannot be zipped");
  EXPECT_EQ(message_of(nesl_zip(uneven, 1, &value)), "a tuple has two parts or more, not 1");
  EXPECT_EQ(message_of(nesl_tuple(uneven, 0, &value)), "a tuple has two parts or more, not 0");
  EXPECT_EQ(message_of(nesl_tuple(nullptr, 2, &value)), "the parts are NULL");
  EXPECT_EQ(message_of(nesl_as(five, "[float]", &value)),
            "a value of type [int] cannot be one of type [float]: their contents differ");
  EXPECT_EQ(message_of(nesl_as(five, "[flaot]", &value), NESL_ERROR_TEXT), "there is no type flaot");
  EXPECT_EQ(message_of(nesl_as(five, nullptr, &value)), "the type is NULL");
}

TEST(CApiErrors, ReadingMissingParts) {
  Session s(kPrograms);
  nesl_value *one = s.integer(1), *ints = s.ints({1});
  std::int64_t number = 5;
  const void* data = nullptr;
  const std::int64_t* offsets = nullptr;
  std::size_t length = 0;
  nesl_value* value = nullptr;
  EXPECT_EQ(message_of(nesl_get_int(ints, &number)), "a value of type [int] is no int");
  EXPECT_EQ(number, 0);
  EXPECT_EQ(message_of(nesl_get_int(one, nullptr)), "the place for the result is NULL");
  EXPECT_EQ(message_of(nesl_length(one, &length)), "a value of type int is no sequence");
  EXPECT_EQ(message_of(nesl_data(ints, NESL_FLOAT64, &data, &length)),
            "a value of type [int] has no elements of the kind NESL_FLOAT64");
  EXPECT_EQ(message_of(nesl_data(ints, static_cast<nesl_element>(0), &data, &length)), "0 is no kind of elements");
  EXPECT_EQ(message_of(nesl_data(ints, NESL_INT32, &data, nullptr)), "the place for the length is NULL");
  EXPECT_EQ(message_of(nesl_offsets(ints, &offsets, &length)), "a value of type [int] is no sequence of sequences");
  EXPECT_EQ(message_of(nesl_elements(ints, &value)), "a value of type [int] is no sequence of sequences");
  EXPECT_EQ(message_of(nesl_part(ints, 0, &value)), "a value of type [int] has no parts");
  EXPECT_EQ(message_of(nesl_part(s.tuple({one, ints}), 2, &value)),
            "there is no part 2: a value of type (int, [int]) has 2");
  EXPECT_EQ(nesl_value_kind(nullptr), NESL_KIND_NONE);
  EXPECT_EQ(nesl_value_type(made_up<nesl_value>()), nullptr);
  EXPECT_EQ(nesl_parts(nullptr), 0u);
  EXPECT_EQ(nesl_function_arguments(nullptr), 0u);
  EXPECT_EQ(nesl_function_result_type(nullptr), nullptr);
  EXPECT_STREQ(nesl_error_message(nullptr), "");
  EXPECT_EQ(nesl_error_kind(made_up<nesl_error>()), NESL_NO_ERROR);
}

TEST(CApiErrors, InvalidOptions) {
  nesl_session* session = made_up<nesl_session>();
  const auto refused = [&](void (*change)(nesl_options&), nesl_error_class kind = NESL_ERROR_ARGUMENT) {
    nesl_options options = NESL_OPTIONS_INIT;
    change(options);
    const std::string message = message_of(nesl_open(&options, &session), kind);
    EXPECT_EQ(session, nullptr);
    return message;
  };
  EXPECT_EQ(refused([](nesl_options& o) { o.size = 0; }),
            "the options do not begin with their size: set them to NESL_OPTIONS_INIT first");
  EXPECT_EQ(refused([](nesl_options& o) { o.threads = -1; }), "threads must be from 0 to 4096, but is -1");
  EXPECT_EQ(refused([](nesl_options& o) { o.optimize = 3; }), "optimize must be 0, 1 or 2, but is 3");
  EXPECT_EQ(refused([](nesl_options& o) { o.int_bits = 16; }), "int_bits must be 32 or 64, but is 16");
  EXPECT_EQ(refused([](nesl_options& o) { o.float_bits = 0; }), "float_bits must be 32 or 64, but is 0");
  EXPECT_EQ(refused([](nesl_options& o) { o.backend = "nonesuch"; }, NESL_ERROR_RESOURCE)
                .find("there is no backend 'nonesuch'"),
            0u);
  EXPECT_EQ(message_of(nesl_open(nullptr, nullptr)), "the place for the result is NULL");
}

TEST(CApiErrors, TheSandboxRefusesFiles) {
  ScratchFolder folder;
  const auto write = [&](const char* name, const char* text) {
    const std::string path = folder.path() + "/" + name;
    std::ofstream(path) << text;
    return path;
  };
  const std::string file = write("part.nesl", "part = 5;"), whole = write("whole.nesl", "load \"part\";");
  nesl_options options = NESL_OPTIONS_INIT;
  options.sandbox = 1;
  Session shut("function peek(name) = open_in_file(name);", options), open;
  EXPECT_EQ(message_of(nesl_load_file(shut.get(), whole.c_str()), NESL_ERROR_TEXT),
            "load of 'part' is refused in the sandbox");
  expect_no_error(nesl_load_file(open.get(), whole.c_str()));
  EXPECT_EQ(shown(open.call(open.lookup("part", nullptr), {})), "5 : int");
  message_of(shut.failing_call(shut.lookup("peek", "[char]"), {shut.string(file)}), NESL_ERROR_RUN);
  EXPECT_NE(message_of(nesl_load_file(open.get(), (file + "x").c_str()), NESL_ERROR_TEXT).find("No such file"),
            std::string::npos);
  EXPECT_NE(message_of(nesl_load_file(open.get(), "-"), NESL_ERROR_TEXT).find("No such file"), std::string::npos);
  const std::string loop = write("loop.nesl", "load \"loop\";");
  EXPECT_EQ(message_of(nesl_load_file(open.get(), loop.c_str()), NESL_ERROR_TEXT),
            "the files load each other without end");
}

TEST(CApiErrors, ValuesAfterTheEndOfTheirSession) {
  nesl_session* session = nullptr;
  expect_no_error(nesl_open(nullptr, &session));
  expect_no_error(nesl_load(session, "t", kPrograms));
  nesl_function* half = nullptr;
  expect_no_error(nesl_lookup(session, "half", "int", &half));
  nesl_value *one = nullptr, *value = nullptr;
  expect_no_error(nesl_int(session, 1, &one));
  nesl_close(session);
  nesl_close(session);
  nesl_cancel(session);
  const std::string ended = "this is no session, or one that has been freed or ended";
  nesl_function* function = nullptr;
  EXPECT_EQ(message_of(nesl_load(session, "t", "1;")), ended);
  EXPECT_EQ(message_of(nesl_load_file(session, "t")), ended);
  EXPECT_EQ(message_of(nesl_lookup(session, "half", "int", &function)), ended);
  EXPECT_EQ(message_of(nesl_int(session, 1, &value)), ended);
  EXPECT_EQ(message_of(nesl_set_seed(session, 1)), ended);
  EXPECT_EQ(message_of(nesl_call(half, &one, 1, &value)), "the session has ended");
  EXPECT_EQ(message_of(nesl_as(one, "int", &value)), "the session has ended");
  EXPECT_EQ(shown(one), "1 : int");
  nesl_function_free(half);
  nesl_value_free(one);
  nesl_value_free(one);
  nesl_function_free(half);
  std::int64_t number = 0;
  EXPECT_EQ(message_of(nesl_get_int(one, &number)), "this is no value, or one that has been freed or ended");
  nesl_close(nullptr);
  nesl_error_free(nullptr);
}

}  // namespace
}  // namespace c_api
