// Scopes: name spaces that share a session's library and memory; the values of texts, and the quotations in errors.

#include <thread>

#include "c_api_testing.h"

namespace c_api {
namespace {

/// A scope of a session, closed by the destructor.
class Scope {
 public:
  Scope(Session& session, const char* text) {
    expect_no_error(nesl_open_scope(session.get(), &scope_));
    expect_no_error(nesl_load(scope_, "scope.nesl", text));
  }
  ~Scope() { nesl_close(scope_); }
  Scope(const Scope&) = delete;
  nesl_session* get() const { return scope_; }

  /// The result of a function of the scope, as text.
  std::string applied(const char* name, const char* types, nesl_value* argument) const {
    nesl_function* function = nullptr;
    nesl_value* result = nullptr;
    expect_no_error(nesl_lookup(scope_, name, types, &function));
    expect_no_error(nesl_call(function, &argument, 1, &result));
    const std::string text = shown(result);
    nesl_value_free(result);
    nesl_function_free(function);
    return text;
  }

 private:
  nesl_session* scope_ = nullptr;
};

std::string evaluated(nesl_session* session, const char* text) {
  nesl_value* value = nullptr;
  expect_no_error(nesl_evaluate(session, "text", text, &value));
  const std::string found = value == nullptr ? "none" : shown(value);
  nesl_value_free(value);
  return found;
}

std::string names_of(nesl_session* session) {
  const char* names = nullptr;
  expect_no_error(nesl_names(session, &names));
  return names;
}

TEST(CApiScopes, EachScopeHasItsOwnNames) {
  Session s("function h(x) = x + 1; n = 1;");
  const Scope one(s, "n = 5; function h(x) = x + 10; function g(x) = h(x) + n;"), two(s, "function sort(x) = 5;");
  nesl_value* const number = s.integer(1);
  EXPECT_EQ(shown(s.call(s.lookup("h", "int"), {number})), "2 : int");
  EXPECT_EQ(one.applied("h", "int", number), "11 : int");
  EXPECT_EQ(one.applied("g", "int", number), "16 : int");
  EXPECT_EQ(two.applied("sort", "int", number), "5 : int");
  nesl_value* const numbers = s.ints({3, 1, 2});
  EXPECT_EQ(shown(s.call(s.lookup("sort", "[int]"), {numbers})), "[1, 2, 3] : [int]");
  EXPECT_EQ(one.applied("sort", "[int]", numbers), "[1, 2, 3] : [int]");
  nesl_function* function = nullptr;
  EXPECT_EQ(message_of(nesl_lookup(two.get(), "n", nullptr, &function), NESL_ERROR_TEXT), "n is undefined");
  EXPECT_EQ(names_of(s.get()), "h\nn\n");
  EXPECT_EQ(names_of(one.get()), "n\nh\ng\n");
  EXPECT_EQ(names_of(two.get()), "sort\n");
}

std::uint64_t definitions_of(nesl_session* session) {
  std::uint64_t count = 0;
  expect_no_error(nesl_definitions(session, &count));
  return count;
}

TEST(CApiScopes, DefinitionsAreCounted) {
  Session s("function h(x) = x + 1; n = 1;");
  EXPECT_EQ(definitions_of(s.get()), 2U);
  EXPECT_EQ(evaluated(s.get(), "h(n); n;"), "1 : int");
  EXPECT_EQ(definitions_of(s.get()), 2U);
  EXPECT_EQ(evaluated(s.get(), "(n, m) = (2, 3); datatype point(x : int); n;"), "2 : int");
  EXPECT_EQ(definitions_of(s.get()), 5U);
  EXPECT_EQ(message_of(nesl_definitions(s.get(), nullptr)), "the place for the result is NULL");
}

/// The description of a name: type, documentation and parts.
std::vector<std::string> described(nesl_session* session, const char* name) {
  const char *type = nullptr, *documentation = nullptr, *parts = nullptr;
  expect_no_error(nesl_describe(session, name, &type, &documentation, &parts));
  return {type, documentation, parts};
}

TEST(CApiScopes, NamesAreDescribed) {
  Session s(
      "function scaled(x, (a, b)) \"Times a.\" = {a * y + b : y in x}; datatype point(x : float, y : float); n = 1;");
  EXPECT_EQ(described(s.get(), "Scaled"),
            (std::vector<std::string>{"([a], a, a) -> [a] :: (a in number)", "Times a.", "x\na\nb\n"}));
  EXPECT_EQ(described(s.get(), "point"), (std::vector<std::string>{"(float, float) -> point", "", "x\ny\n"}));
  EXPECT_EQ(described(s.get(), "n"), (std::vector<std::string>{"int", "", ""}));
  EXPECT_EQ(described(s.get(), "sum")[0], "[a] -> a :: (a in number)");
  const char *type = "none", *documentation = nullptr, *parts = nullptr;
  EXPECT_EQ(message_of(nesl_describe(s.get(), "m", &type, &documentation, &parts), NESL_ERROR_TEXT), "m is undefined");
  EXPECT_EQ(type, nullptr);
  EXPECT_EQ(message_of(nesl_describe(s.get(), "n", &type, nullptr, &parts)), "the place for the result is NULL");
  EXPECT_EQ(message_of(nesl_describe(s.get(), nullptr, &type, &documentation, &parts)), "the name is NULL");
}

TEST(CApiScopes, ValuesPassBetweenScopes) {
  Session s;
  const char* const point = "datatype point(x : float, y : float);";
  const Scope one(s, point), two(s, (std::string(point) + "function x_of(p : point) = p.x;").c_str()),
      other(s, "datatype point(x : float); function x_of(p : point) = p.x;");
  nesl_value* made = nullptr;
  expect_no_error(nesl_evaluate(one.get(), "text", "point(1.0, 2.0);", &made));
  s.keep(made);
  EXPECT_EQ(two.applied("x_of", "point", made), "1.0 : float");
  nesl_function* x_of = nullptr;
  nesl_value* result = nullptr;
  expect_no_error(nesl_lookup(other.get(), "x_of", "point", &x_of));
  EXPECT_EQ(message_of(nesl_call(x_of, &made, 1, &result)),
            "argument 1 of x_of must be of type point, but is of another datatype with the name point");
  nesl_function_free(x_of);
  nesl_value* renamed = nullptr;
  EXPECT_EQ(message_of(nesl_as(s.tuple({s.number(1), s.number(2)}), "point", &renamed), NESL_ERROR_TEXT),
            "there is no type point");
}

TEST(CApiScopes, ClosingScopes) {
  Session s("n = 1;");
  nesl_session* scope = nullptr;
  nesl_function* f = nullptr;
  for (int k = 0; k < 3; ++k) {  // the definitions of a closed scope must not reach the next one
    expect_no_error(nesl_open_scope(s.get(), &scope));
    EXPECT_EQ(names_of(scope), "");
    nesl_function* function = nullptr;
    EXPECT_EQ(message_of(nesl_lookup(scope, "h", "int", &function), NESL_ERROR_TEXT), "h is undefined");
    expect_no_error(nesl_load(scope, "t", "function h(x) = x + 1; datatype d(int); m = 3;"));
    expect_no_error(nesl_lookup(scope, "h", "int", &function));
    nesl_close(scope);
    if (k == 0)
      f = function;
    else
      nesl_function_free(function);
  }
  nesl_value *one = s.integer(1), *result = nullptr;
  EXPECT_EQ(message_of(nesl_call(f, &one, 1, &result)), "the session has ended");
  nesl_function_free(f);
  EXPECT_EQ(evaluated(s.get(), "n;"), "1 : int");

  nesl_session *session = nullptr, *inner = nullptr;
  expect_no_error(nesl_open(nullptr, &session));
  expect_no_error(nesl_open_scope(session, &scope));
  expect_no_error(nesl_open_scope(scope, &inner));
  nesl_close(scope);
  EXPECT_EQ(evaluated(inner, "2;"), "2 : int");
  nesl_close(session);
  EXPECT_EQ(message_of(nesl_load(inner, "t", "1;")), "the session has ended");
  EXPECT_EQ(message_of(nesl_open_scope(inner, &scope)), "the session has ended");
  nesl_close(inner);
}

TEST(CApiScopes, ATextHasAValue) {
  Session s("5;");
  EXPECT_EQ(evaluated(s.get(), "1 + 1; x = 3; {i : i in [0:x]};"), "[0, 1, 2] : [int]");
  for (const char* text :
       {"", ";", "% nothing %", "1; function g(x) = x;", "1; y = 2;", "1; datatype d(int);", "1; set print_length 3;"})
    EXPECT_EQ(evaluated(s.get(), text), "none") << text;
  EXPECT_EQ(evaluated(s.get(), "it;"), "1 : int");
  nesl_value* value = nullptr;
  EXPECT_EQ(message_of(nesl_evaluate(s.get(), "text", "sort;", &value)),
            "the value is a function, which cannot be read outside of NESL");
  message_of(nesl_evaluate(s.get(), "text", "1; y = ;", &value), NESL_ERROR_TEXT);
  EXPECT_EQ(value, nullptr);
}

TEST(CApiScopes, ATextIsReadStatementByStatement) {
  Session s;
  const std::string text =
      "x = 2;\nfunction h(a) = a[x]; h([1, 2, 3]); bench \"b\" for n in [1]; s = n = s;\nx + 1; % end %\n";
  std::vector<std::string> found;
  std::size_t position = 0;
  while (position < text.size()) {
    nesl_value* value = nullptr;
    expect_no_error(nesl_evaluate_next(s.get(), "cell", text.c_str(), &position, &value));
    found.push_back(value == nullptr ? "none" : shown(s.keep(value)));
  }
  EXPECT_EQ(found, (std::vector<std::string>{"none", "none", "3 : int", "none", "3 : int", "none"}));

  const std::string failing = "x = 5; [1][x]; x = 6;";
  nesl_value* value = nullptr;
  position = 0;
  expect_no_error(nesl_evaluate_next(s.get(), "cell", failing.c_str(), &position, &value));
  nesl_error* error = nesl_evaluate_next(s.get(), "cell", failing.c_str(), &position, &value);
  EXPECT_NE(std::string(nesl_error_report(error)).find("\n  x = 5; [1][x]; x = 6;\n"), std::string::npos)
      << nesl_error_report(error);
  message_of(error, NESL_ERROR_RUN);
  EXPECT_EQ(position, 5u);
  EXPECT_EQ(evaluated(s.get(), "x;"), "5 : int");

  position = 0;
  message_of(nesl_evaluate_next(s.get(), "cell", "x = 7; y = ;", &position, &value), NESL_ERROR_TEXT);
  EXPECT_EQ(position, 0u);
  EXPECT_EQ(evaluated(s.get(), "x;"), "5 : int");
  EXPECT_EQ(message_of(nesl_evaluate_next(s.get(), "cell", "1;", nullptr, &value)),
            "the place of the position is NULL");
}

TEST(CApiScopes, ExpressionsAreExamined) {
  Session s("v = [1, 2];");
  const auto examined = [&](const char* text, nesl_property property) -> std::string {
    const char* result = nullptr;
    expect_no_error(nesl_examine(s.get(), text, property, &result));
    return result;
  };
  EXPECT_EQ(examined("{x * 1.5 : x in [1.0]}", NESL_TYPE), "it : [float]");
  EXPECT_EQ(examined("function h(a) = a + v[0];", NESL_TYPE), "h : int -> int");
  EXPECT_EQ(names_of(s.get()), "v\nh\n");
  EXPECT_NE(examined("w = h(3)", NESL_VCODE).find("FUNC MAIN"), std::string::npos);
  EXPECT_NE(examined("sum({x * x : x in v})", NESL_FUSION).find("kernel"), std::string::npos);
  const char* result = nullptr;
  EXPECT_EQ(message_of(nesl_examine(s.get(), "unknown", NESL_TYPE, &result), NESL_ERROR_TEXT), "unknown is undefined");
  EXPECT_EQ(message_of(nesl_examine(s.get(), "datatype d(int)", NESL_VCODE, &result)),
            "only an expression or assignment is compiled");
  EXPECT_EQ(message_of(nesl_examine(s.get(), "1", static_cast<nesl_property>(9), &result)), "there is no property 9");
  EXPECT_EQ(message_of(nesl_examine(s.get(), nullptr, NESL_TYPE, &result)), "the text is NULL");
}

TEST(CApiScopes, NamesOfTheLibraryAreKnown) {
  Session s("my_function = 1;");
  const char* names = nullptr;
  expect_no_error(nesl_vocabulary(s.get(), &names));
  const std::string all = std::string("\n") + names;
  for (const char* name : {"my_function", "sort", "datatype", "pi"})
    EXPECT_NE(all.find(std::string("\n") + name + "\n"), std::string::npos) << name;
  EXPECT_EQ(described(s.get(), "if")[0], "(bool, a, a) -> a");
}

TEST(CApiScopes, UnfinishedTexts) {
  EXPECT_EQ(nesl_state_of_text(" % note % "), NESL_TEXT_EMPTY);
  EXPECT_EQ(nesl_state_of_text(nullptr), NESL_TEXT_EMPTY);
  EXPECT_EQ(nesl_state_of_text("f(1,"), NESL_TEXT_INCOMPLETE);
  EXPECT_EQ(nesl_state_of_text("function h(x) = x"), NESL_TEXT_DEFINITION);
  EXPECT_EQ(nesl_state_of_text("1 + 2"), NESL_TEXT_STATEMENT);
  EXPECT_EQ(nesl_state_of_text("1 + 2;"), NESL_TEXT_TERMINATED);
}

TEST(CApiScopes, ErrorsQuoteTheirOwnText) {
  Session s;
  const auto text = [](const char* index) { return std::string("function h(a) = a[") + index + "];"; };
  expect_no_error(nesl_load(s.get(), "a.nesl", text("7").c_str()));
  const nesl_function* seven = s.lookup("h", "[int]");
  expect_no_error(nesl_load(s.get(), "a.nesl", ("% changed % " + text("8")).c_str()));
  const nesl_function* eight = s.lookup("h", "[int]");
  const Scope scope(s, "1;");
  expect_no_error(nesl_load(scope.get(), "a.nesl", text("9").c_str()));
  const auto report = [&](const nesl_function* function) {
    nesl_error* error = s.failing_call(function, {s.ints({1, 2})});
    EXPECT_STREQ(nesl_error_file(error), "a.nesl");
    const std::string found = nesl_error_report(error);
    nesl_error_free(error);
    return found;
  };
  EXPECT_EQ(report(seven).find("a.nesl:1:17: run-time error in h"), 0u) << report(seven);
  EXPECT_NE(report(seven).find("\n  function h(a) = a[7];\n"), std::string::npos) << report(seven);
  EXPECT_EQ(report(eight).find("a.nesl:1:29: run-time error in h"), 0u) << report(eight);
  EXPECT_NE(report(eight).find("\n  % changed % function h(a) = a[8];\n"), std::string::npos) << report(eight);
  nesl_error* error = nesl_load(s.get(), "a.nesl", "x = unknown_name;");
  EXPECT_EQ(std::string(nesl_error_report(error)).find("a.nesl:1:5: error: unknown_name is undefined\n"), 0u)
      << nesl_error_report(error);
  nesl_error_free(error);
}

TEST(CApiValues, ADatatypeInsideADatatype) {
  Session s(
      "datatype point(x : float, y : float); datatype line(from : point, to : point); datatype box(content : line);");
  const auto as = [&](nesl_value* value, const char* type) { return s.make(nesl_as, value, type); };
  const auto part = [&](nesl_value* value, std::size_t k) { return s.make(nesl_part, value, k); };
  const auto point = [&](double x, double y) { return as(s.tuple({s.number(x), s.number(y)}), "point"); };
  nesl_value* const line = as(s.tuple({point(1, 2), point(3, 4)}), "line");
  nesl_value* const box = as(line, "box");
  EXPECT_EQ(shown(box), "box(line(point(1.0, 2.0), point(3.0, 4.0))) : box");
  EXPECT_EQ(nesl_parts(box), 1u);
  EXPECT_EQ(shown(part(box, 0)), "line(point(1.0, 2.0), point(3.0, 4.0)) : line");
  EXPECT_EQ(shown(part(part(part(box, 0), 1), 0)), "3.0 : float");
  EXPECT_EQ(shown(as(box, "((float, float), (float, float))")),
            "((1.0, 2.0), 3.0, 4.0) : ((float, float), float, float)");
  nesl_value* const points = as(s.zip({s.floats({1, 2}), s.floats({3, 4})}), "[point]");
  nesl_value* const lines = as(s.zip({points, points}), "[line]");
  EXPECT_EQ(shown(lines), "[line(point(1.0, 3.0), point(1.0, 3.0)), line(point(2.0, 4.0), point(2.0, 4.0))] : [line]");
  EXPECT_EQ(shown(part(part(lines, 1), 1)), "[3.0, 4.0] : [float]");
}

TEST(CApiThreads, TwoThreadsReadOneValue) {
  nesl_options options = NESL_OPTIONS_INIT;
  options.float_bits = 32;
  Session s("", options);
  for (int round = 0; round < 20; ++round) {
    nesl_value* const flat = s.floats(std::vector<double>(1000, round));
    nesl_value* const rows = s.nested(flat, {0, 400, 400, 1000});
    std::vector<std::thread> threads;
    std::string texts[2];
    for (int t = 0; t < 2; ++t)
      threads.emplace_back([&, t] {
        for (int k = 0; k < 10; ++k) {
          EXPECT_EQ(elements_of<double>(flat, NESL_FLOAT64), std::vector<double>(1000, round));
          EXPECT_EQ(elements_of<float>(flat, NESL_FLOAT32), std::vector<float>(1000, static_cast<float>(round)));
          EXPECT_EQ(offsets_of(rows), (std::vector<std::int64_t>{0, 400, 400, 1000}));
          texts[t] = shown(rows);
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(texts[0], texts[1]);
  }
}

}  // namespace
}  // namespace c_api
