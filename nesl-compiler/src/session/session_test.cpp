#include "nesl-compiler/session.h"

#include <gtest/gtest.h>

#include <string>

#include <fmt/format.h>

#include "fcode-opt/optimize.h"
#include "session_testing.h"

namespace nesl {
namespace {

/// Messages about a text, and the number of instructions of the text compiled as one program.
struct Result {
  std::string messages;
  std::size_t instructions = 0;
};

Result compile(Session& session, const std::string& text) {
  Result result;
  const base::Source& source = session.add_source("test", text);
  base::Diagnostics diagnostics;
  const std::optional<Unit> last = read_all(session, source, diagnostics);
  if (last && !diagnostics.has_errors()) {
    if (auto compiled = session.compile(*last, true, diagnostics))
      for (const vcode::Function& function :
           fcode_opt::optimize(std::move(compiled->program), {.level = 1}).program.functions)
        result.instructions += function.body.size();
  }
  result.messages = render(source, diagnostics);
  return result;
}

Result compile(const std::string& text) {
  Result result;
  run_with_deep_stack([&] {
    Session session;
    result = compile(session, text);
  });
  return result;
}

std::string repeated(int count, const std::function<std::string(int)>& part) {
  std::string text;
  for (int k = 0; k < count; ++k) text += part(k);
  return text;
}

// --- time: at these sizes, code quadratic in the nesting depth exceeds the limit, and cubic code times out ----------

constexpr int kDeep = 4'000;

void expect_linear(const std::string& text, int size) {
  const Result result = compile(text);
  EXPECT_EQ(result.messages, "");
  EXPECT_GT(result.instructions, 0u);
  EXPECT_LT(result.instructions, 100u * static_cast<std::size_t>(size));
}

TEST(Nesting, InvariantApplyToEaches) {
  expect_linear(
      std::string(kDeep, '{') + "1" + repeated(kDeep, [](int k) { return fmt::format(" : x{} in [1]}}", k); }) + ";",
      kDeep);
}

TEST(Nesting, ApplyToEachesOverOuterVariables) {
  auto close = [](int k) {
    const int n = kDeep - 1 - k;
    return n == 0 ? std::string(" : x0 in [2, 3]}") : fmt::format(" : x{} in [x{}:x{} + 1]}}", n, n - 1, n - 1);
  };
  expect_linear(std::string(kDeep, '{') + fmt::format("x0 + x{}", kDeep - 1) + repeated(kDeep, close) + ";", kDeep);
}

TEST(Nesting, OuterVariableAtEveryNestingLevel) {
  const int levels = 1500;
  auto open = [](int k) { return std::string(k < 2 ? "sum({" : "sum({x1 + "); };
  auto close = [&](int k) {
    const int n = levels - 1 - k;
    return n == 0 ? std::string(" : x0 in [2, 3]})") : fmt::format(" : x{} in [x{}:x{} + 1]}})", n, n - 1, n - 1);
  };
  expect_linear(repeated(levels, open) + "1" + repeated(levels, close) + ";", levels);
}

TEST(Nesting, Conditionals) {
  expect_linear("{" + repeated(kDeep, [](int k) { return fmt::format("if x == {} then {} else ", k, k + 1); }) +
                    "0 : x in [1, 2]};",
                kDeep);
}

TEST(Nesting, CopiesOfDeeplyNestedSequencesHaveALimit) {
  const std::string deep = std::string(2000, '[') + "1" + std::string(2000, ']');
  const Result result = compile(
      "let a = " + deep + "; " +
      repeated(2000, [](int k) { return fmt::format("a{} = {{a : x in [1:{}]}}; ", k, k + 3); }) + "b = 1 in #a1999;");
  EXPECT_NE(result.messages.find("the program gets too large here, more than 1000000 operations"), std::string::npos)
      << result.messages;
  EXPECT_NE(result.messages.find("test:1:"), std::string::npos) << result.messages;
}

TEST(Chains, LongChainOfFunctions) {
  const int functions = 10'000;
  auto define = [](int k) {
    return k == 0 ? std::string("function f0(x) = x + 1;\n")
                  : fmt::format("function f{}(x) = if x > 100 then f{}(x - 1) else f{}(x) + 1;\n", k, k, k - 1);
  };
  expect_linear(repeated(functions, define) + fmt::format("f{}(1);", functions - 1), functions);
}

TEST(Chains, RecursiveGroupSharesGlobals) {
  // Members of a recursive group need the same globals, whichever is reached first.
  const Result result = compile(
      "a = [1]; b = [2];\n"
      "function odd(x) : int -> int;\n"
      "function even(x) = if x == 0 then sum(b) else odd(x - 1);\n"
      "function odd(x) = if x == 0 then sum(a) else even(x - 1);\n"
      "even(3) + odd(4);");
  EXPECT_EQ(result.messages, "");
}

TEST(LargeTypes, TypeOf65536Parts) {
  const int parts = 1 << 16;
  auto list = [&](const std::string& part) { return repeated(parts, [&](int k) { return (k ? ", " : "") + part; }); };
  expect_linear("function g(x, y) = (" + list("x") + ", y); g(1, 2);", parts);
}

// --- sessions -------------------------------------------------------------------------------------------------

TEST(Session, ProgramsDoNotSeeTheAuxiliaryFunctionsOfTheLibrary) {
  for (const char* use :
       {"let s = \"no\" in check(1 > 0, s);", "let c = check in c(T, \"no\");", "map(check, [(T, \"\")]);"})
    EXPECT_NE(compile(use).messages.find("error: check is undefined"), std::string::npos) << compile(use).messages;
  EXPECT_EQ(compile("function check(x) = x + 1; check(2) + trunc(sqrt(4.0));").messages, "");
}

TEST(Session, ResetKeepsOnlyThePrelude) {
  run_with_deep_stack([] {
    Session session;
    const std::size_t names = session.names().size();
    const std::size_t instructions = compile(session, "sum({x * 3 : x in index(7)});").instructions;
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(compile(session, "datatype pt(int, int); function sum(x) = pt(x, 2); y = sum(3); y;").messages, "");
      EXPECT_GT(session.names().size(), names);
      EXPECT_NE(compile(session, "function oops(x) = undefined(x);").messages, "");
      session.reset();
      EXPECT_EQ(session.names().size(), names);
      EXPECT_NE(compile(session, "y;").messages.find("undefined"), std::string::npos);
      EXPECT_EQ(compile(session, "oops(1);").messages.find("has an error"), std::string::npos);
      session.reset();
      EXPECT_EQ(compile(session, "sum({x * 3 : x in index(7)});").instructions, instructions);
      session.reset();
    }
  });
}

// --- functions applied to parameters -----------------------------------------------------------------------------

/// Result of find() as text: the type of the value and the types of the parameters, or the messages.
std::string found(Session& session, const std::string& text) {
  const base::Source& source = session.add_source("call", text);
  base::Diagnostics diagnostics;
  const std::optional<Unit> unit = session.find(source, diagnostics);
  if (!unit) return render(source, diagnostics);
  std::string result = unit->type + " <-";
  for (const ValueShape& parameter : unit->parameters) result += " " + type_text(parameter);
  const std::optional<Compiled> compiled = session.compile(*unit, false, diagnostics);
  if (!compiled) return render(source, diagnostics);
  std::size_t entries = 0;
  for (const Definition* input : compiled->inputs) entries += entry_count(shape_of(*input));
  for (const ValueShape& parameter : unit->parameters) entries += entry_count(parameter);
  EXPECT_EQ(compiled->program.functions[compiled->program.entry].parameters.size(), entries) << text;
  return result;
}

TEST(Parameters, FunctionIsCompiledForItsParameterTypes) {
  run_with_deep_stack([] {
    Session session;
    compile(session,
            "datatype point(x : float, y : float); datatype box(a) :: (a in any); scale = 2.0; a = [1, 2];"
            "function far(p) = p.x > scale; function swap(x, y) = (y, x); function sum(b) = plus_scan(b) ++ a;"
            "function wide(x, factor := 3) = x * factor;");
    EXPECT_EQ(found(session, "pi"), "float <-");
    EXPECT_EQ(found(session, "a"), "[int] <-");
    EXPECT_EQ(found(session, "plus_scan([float])"), "[float] <- [float]");
    EXPECT_EQ(found(session, "Far( Point )"), "bool <- point");
    EXPECT_EQ(found(session, "swap([(int, bool)], box([char]))"),
              "box([char]), [(int, bool)] <- [(int, bool)] box([char])");
    EXPECT_EQ(found(session, "swap((int, float, bool))"), "(float, bool), int <- (int, float, bool)");
    EXPECT_EQ(found(session, "sum([int])"), "[int] <- [int]");
    EXPECT_EQ(found(session, "wide(int)"), "int <- int");
    EXPECT_EQ(found(session, "a"), "[int] <-");  // parameters get no names that programs can use
  });
}

TEST(Parameters, FaultyTextsAreExplained) {
  run_with_deep_stack([] {
    Session session;
    compile(session, "function twice(x) = 2 * x;");
    EXPECT_EQ(found(session, "twicce(int)"),
              "call:1:1: error: twicce is undefined\n  twicce(int)\n  ^~~~~~\ncall: note: did you mean twice?\n");
    for (const char* wrong : {"", "twice(", "twice()", "twice(int", "twice(int))", "twice(int); 1", "twice(number)",
                              "twice(a)", "twice(bool)", "twice(int, int)", "twice(int -> int)",
                              "map(int -> int, [int])", "pi(int)", "1 + 1", "twice(3)", "(twice)(int)"})
      EXPECT_NE(found(session, wrong).find("error: "), std::string::npos) << wrong;
    EXPECT_EQ(found(session, "twice(int)"), "int <- int");
  });
}

TEST(Parameters, TypesAreRead) {
  run_with_deep_stack([] {
    Session session;
    compile(session, "datatype point(float, float);");
    const auto read = [&](const std::string& text) {
      const base::Source& source = session.add_source("type", text);
      base::Diagnostics diagnostics;
      const std::optional<ValueShape> shape = session.read_type(source, diagnostics);
      EXPECT_EQ(shape.has_value(), !diagnostics.has_errors());
      return shape ? type_text(*shape) : "none";
    };
    EXPECT_EQ(read("[ [int] ]"), "[[int]]");
    EXPECT_EQ(read("int, (char, bool), (float, point)"), "(int, (char, bool), float, point)");
    for (const char* wrong : {"", "[int", "int]", "integer", "point(int)", "[a]"})
      EXPECT_EQ(read(wrong), "none") << wrong;
  });
}

}  // namespace
}  // namespace nesl
