// Sessions: state between calls, several sessions, and several threads.

#include <atomic>
#include <chrono>
#include <thread>

#include "c_api_testing.h"

namespace c_api {
namespace {

TEST(CApiSessions, LoadedDefinitionsRemain) {
  Session s("n = 3; v = {x * x : x in [0:n]}; function h(x) = x + sum(v);");
  EXPECT_EQ(shown(s.call(s.lookup("v", nullptr), {})), "[0, 1, 4] : [int]");
  EXPECT_EQ(shown(s.call(s.lookup("h", "int"), {s.integer(1)})), "6 : int");
  expect_no_error(nesl_load(s.get(), "more.nesl", "(a, b) = (n + 1, v); w = v ++ [a];"));
  EXPECT_EQ(shown(s.call(s.lookup("w", nullptr), {})), "[0, 1, 4, 4] : [int]");
  // The correct statements of a text with errors have taken effect, and so have those before a statement that failed.
  message_of(nesl_load(s.get(), "wrong.nesl", "p = 1; q = ; r = 2;"), NESL_ERROR_TEXT);
  EXPECT_EQ(shown(s.call(s.lookup("r", nullptr), {})), "2 : int");
  message_of(nesl_load(s.get(), "fails.nesl", "p = 5; q = 1 / 0; r = 3;"), NESL_ERROR_RUN);
  EXPECT_EQ(shown(s.call(s.lookup("p", nullptr), {})), "5 : int");
  EXPECT_EQ(shown(s.call(s.lookup("r", nullptr), {})), "2 : int");
}

TEST(CApiSessions, AFunctionKeepsItsDefinition) {
  Session s("n = 3; function h(x) = x + n;");
  const nesl_function* before = s.lookup("h", "int");
  expect_no_error(nesl_load(s.get(), "next.nesl", "n = 100; function h(x) = x * n;"));
  const nesl_function* after = s.lookup("h", "int");
  EXPECT_EQ(shown(s.call(before, {s.integer(2)})), "5 : int");
  EXPECT_EQ(shown(s.call(after, {s.integer(2)})), "200 : int");
}

TEST(CApiSessions, RandomNumbersBeginAnewWithEachCall) {
  Session s("function numbers(n) = {rand(1000000) : i in [0:n]};"),
      other("function numbers(n) = {rand(1000000) : i in [0:n]};");
  const nesl_function* numbers = s.lookup("numbers", "int");
  const std::string first = shown(s.call(numbers, {s.integer(5)}));
  EXPECT_EQ(shown(s.call(numbers, {s.integer(5)})), first);
  EXPECT_EQ(shown(other.call(other.lookup("numbers", "int"), {other.integer(5)})), first);
  expect_no_error(nesl_set_seed(s.get(), 99));
  EXPECT_NE(shown(s.call(numbers, {s.integer(5)})), first);
}

TEST(CApiSessions, FusionIsReported) {
  Session s("function dot_product(a, b) = sum({x * y : x in a; y in b}); function next(x) = x + 1;");
  const char* text = nullptr;
  expect_no_error(nesl_explain(s.get(), "dot_product", "[float], [float]", &text));
  EXPECT_NE(std::string(text).find("kernel"), std::string::npos) << text;
  expect_no_error(nesl_explain(s.get(), "next", "int", &text));
  EXPECT_STREQ(text, "");
  EXPECT_EQ(message_of(nesl_explain(s.get(), "missing", "int", &text), NESL_ERROR_TEXT), "missing is undefined");
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(message_of(nesl_explain(s.get(), "next", "int", nullptr)), "the place for the result is NULL");
}

TEST(CApiSessions, StepsAreShown) {
  Session s("v = [[1, 2], [3]]; function fails(i) = v[i];");
  const char *text = nullptr, *html = nullptr;
  expect_no_error(nesl_show(s.get(), "{sum(row) : row in v}", 0, 0, &text, &html));
  EXPECT_NE(std::string(text).find("     row in v | 2     |\n     int      | 3   3 |\n"), std::string::npos) << text;
  EXPECT_TRUE(std::string(text).ends_with("it = [3, 3] : [int]\n")) << text;
  EXPECT_TRUE(std::string(html).starts_with("<div class=\"nesl-show\">"));
  expect_no_error(nesl_show(s.get(), "v", 0, 0, &text, &html));
  EXPECT_STREQ(text, "it = [[1, 2], [3]] : [[int]]\n");
  expect_no_error(nesl_show(s.get(), "[0:100]", 1, 2, &text, &html));
  EXPECT_NE(std::string(text).find("[0, 1, …] : [int]"), std::string::npos) << text;
  EXPECT_EQ(message_of(nesl_show(s.get(), "x + 1", 0, 0, &text, &html), NESL_ERROR_TEXT), "x is undefined");
  EXPECT_EQ(message_of(nesl_show(s.get(), "fails(2)", 0, 0, &text, &html), NESL_ERROR_RUN),
            "Sequence reference (a[i]) out of bounds. index 2, but the sequence has length 2");
  EXPECT_EQ(message_of(nesl_show(s.get(), "1; 2", 0, 0, &text, &html), NESL_ERROR_TEXT),
            "one expression or assignment is shown, and no other statement");
  EXPECT_EQ(message_of(nesl_show(s.get(), "", 0, 0, &text, &html)), "there is no expression to show");
  EXPECT_EQ(message_of(nesl_show(s.get(), "1", 0, 0, nullptr, &html)), "the place for the result is NULL");
  EXPECT_EQ(shown(s.call(s.lookup("fails", "int"), {s.integer(1)})), "[3] : [int]");
}

TEST(CApiSessions, AProfileHasTheOperationsThatRan) {
  Session s("function summed(x) = plus_scan(x);");
  const char* text = nullptr;
  EXPECT_EQ(message_of(nesl_profile_end(s.get(), &text)), "no profile has begun");
  const std::vector<double> numbers(1000, 0.5);
  const nesl_function* summed = s.lookup("summed", "[float]");
  s.call(summed, {s.floats(numbers)});
  expect_no_error(nesl_profile_begin(s.get()));
  expect_no_error(nesl_profile_end(s.get(), &text));
  EXPECT_STREQ(text, "");
  expect_no_error(nesl_profile_begin(s.get()));
  s.call(summed, {s.floats(numbers)});
  expect_no_error(nesl_profile_end(s.get(), &text));
  EXPECT_NE(std::string(text).find("+_SCAN"), std::string::npos) << text;
  s.call(summed, {s.floats(numbers)});
  expect_no_error(nesl_profile_begin(s.get()));
  s.call(s.lookup("summed", "[float]"), {s.floats(numbers)});
  expect_no_error(nesl_profile_begin(s.get()));
  expect_no_error(nesl_profile_end(s.get(), &text));
  EXPECT_STREQ(text, "");
}

TEST(CApiSessions, EveryOptimizationLevel) {
  for (const int level : {0, 1, 2}) {
    nesl_options options = NESL_OPTIONS_INIT;
    options.optimize = level;
    Session s("function dot_product(a, b) = sum({x * y : x in a; y in b});", options);
    const std::vector<double> numbers(1000, 0.5);
    EXPECT_EQ(shown(s.call(s.lookup("dot_product", "[float], [float]"), {s.floats(numbers), s.floats(numbers)})),
              "250.0 : float");
  }
}

TEST(CApiSessions, ValuesOutliveTheirSession) {
  nesl_value* result = nullptr;
  {
    Session s;
    nesl_value* arguments[] = {s.ints({3, 1, 2})};
    expect_no_error(nesl_call(s.lookup("sort", "[int]"), arguments, 1, &result));
  }
  EXPECT_EQ(shown(result), "[1, 2, 3] : [int]");
  nesl_value_free(result);
}

TEST(CApiThreads, ACallIsCancelledFromAnotherThread) {
  Session s(
      "function endless(x) = if x < 0 then x else endless(x + 1 - 1);"
      "function busy(n) = if n < 0 then [0] else busy(#{sqrt(float(i)) : i in [0:n]});");
  const nesl_function *endless = s.lookup("endless", "int"), *busy = s.lookup("busy", "int");
  nesl_cancel(s.get());  // nothing runs, so that this has no effect
  for (const auto& [function, number] : {std::pair(endless, 1), std::pair(busy, 100'000)}) {
    std::atomic<bool> done = false;
    std::thread canceller([&] {
      while (!done) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        nesl_cancel(s.get());
      }
    });
    EXPECT_EQ(message_of(s.failing_call(function, {s.integer(number)}), NESL_ERROR_CANCELLED), "interrupted");
    done = true;
    canceller.join();
  }
  EXPECT_EQ(shown(s.call(s.lookup("sum", "[int]"), {s.ints({1, 2})})), "3 : int");
}

TEST(CApiThreads, ALoadIsCancelledFromAnotherThread) {
  Session s;
  std::atomic<bool> done = false;
  std::thread canceller([&] {
    while (!done) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      nesl_cancel(s.get());
    }
  });
  message_of(nesl_load(s.get(), "t", "function endless(x) = if x < 0 then x else endless(x + 1 - 1); endless(1);"),
             NESL_ERROR_CANCELLED);
  done = true;
  canceller.join();
}

TEST(CApiThreads, SessionsDoNotDisturbEachOther) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      nesl_options options = NESL_OPTIONS_INIT;
      options.threads = 1 + t % 2;
      Session s("function h(x, n) = sum({y * n : y in x});", options);
      const nesl_function* h = s.lookup("h", "[int], int");
      const std::vector<std::int32_t> ones(1000, 1);
      for (int k = 0; k < 50; ++k)
        EXPECT_EQ(shown(s.call(h, {s.ints(ones), s.integer(t * k)})), std::to_string(1000 * t * k) + " : int");
      message_of(nesl_load(s.get(), "t", "x = nonsense;"), NESL_ERROR_TEXT);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(CApiThreads, OneSessionIsUsedByOneAtATime) {
  Session s("function h(x, n) = sum({y * n : y in x});");
  const nesl_function* h = s.lookup("h", "[int], int");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&s, h, t] {
      const std::vector<std::int32_t> ones(1000, 1);
      for (int k = 0; k < 50; ++k) {
        nesl_value *array = nullptr, *factor = nullptr, *result = nullptr;
        expect_no_error(nesl_array(s.get(), NESL_INT32, ones.data(), ones.size(), &array));
        expect_no_error(nesl_int(s.get(), t * k, &factor));
        nesl_value* arguments[] = {array, factor};
        expect_no_error(nesl_call(h, arguments, 2, &result));
        std::int64_t number = 0;
        expect_no_error(nesl_get_int(result, &number));
        EXPECT_EQ(number, 1000 * t * k);
        for (nesl_value* value : {array, factor, result}) nesl_value_free(value);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(CApiThreads, ASessionEndsWhileOthersWaitForIt) {
  nesl_session* session = nullptr;
  expect_no_error(nesl_open(nullptr, &session));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([session] {
      for (;;) {
        nesl_error* error = nesl_load(session, "t", "sum([0:1000]);");
        if (error == nullptr) continue;
        message_of(error);
        return;
      }
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  nesl_close(session);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace c_api
