#include "analysis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "library/prelude.h"
#include "syntax/parser.h"
#include "typed_tree_check.h"

namespace nesl {
namespace {

constexpr const char* kPrelude = R"(
primitive + : (a, a) -> a :: (a in number);
primitive - : (a, a) -> a :: (a in number);
primitive * : (a, a) -> a :: (a in number);
primitive / : (a, a) -> a :: (a in number);
primitive negate : a -> a :: (a in number);
primitive < : (a, a) -> bool :: (a in ordinal);
primitive == : (a, a) -> bool :: (a in any);
primitive and : (a, a) -> a :: (a in logical);
primitive # : [a] -> int :: (a in any);
primitive elt : ([a], int) -> a :: (a in any);
primitive iseq : (int, int, int) -> [int];
primitive ++ : ([a], [a]) -> [a] :: (a in any);
primitive select : (bool, a, a) -> a :: (a in any);
primitive dist : (a, int) -> [a] :: (a in any);
primitive float : int -> float;
primitive sin : float -> float "sine";
primitive cos : float -> float;
primitive serial seed : int -> bool;
function sum(v) : [a] -> a :: (a in number) = v[0];
function first(x, y) = x;
specialize first(x, y) : ([b], c) -> [b] :: (b in any; c in any) = x ++ ([] b);
pi = 3.141592653589793;
max_int = 2147483647;
datatype stream int "a file";
)";

class AnalysisTest : public testing::Test {
 protected:
  AnalysisTest() {
    environment.set_loading_prelude(true);
    EXPECT_EQ(read(kPrelude, true), "");
    environment.set_loading_prelude(false);
  }

  /// Reads statements. Returns the messages with their classes, one a line.
  std::string read(const std::string& text, bool prelude = false) {
    const base::Source& source = environment.add_source(std::make_unique<base::Source>("test", text));
    base::Diagnostics diagnostics;
    for (Statement& statement : parse(source, {.prelude = prelude}, diagnostics)) {
      if (std::holds_alternative<CommandStatement>(statement.node)) continue;
      last = analyze(std::move(statement), source, environment, types, diagnostics);
      if (!last) continue;
      EXPECT_EQ(last->statement ? check_typed_tree(*last->statement) : check_typed_tree(*last->definition), "")
          << source.text();
      if (last->statement) environment.commit(last->statement);
    }
    std::string messages;
    for (const base::Diagnostic& diagnostic : diagnostics.all()) {
      bool error = diagnostic.severity == base::Severity::kError;
      messages += (error ? diagnostic.code : "warning") + " '" + std::string(source.text(diagnostic.span)) +
                  "': " + diagnostic.message + "\n";
    }
    return messages;
  }
  /// The class and location of the only error of a text.
  std::string error(const std::string& text) {
    std::string messages = read(text);
    return messages.substr(0, messages.find("': ") + 1);
  }
  /// The type of a name after reading a text.
  std::string type(const std::string& text, const std::string& name = "it") {
    std::string messages = read(text);
    return messages.empty() ? to_text(environment.find(name)->scheme) : messages;
  }

  TypeStore types;
  Environment environment;
  std::optional<Analyzed> last;
};

TEST_F(AnalysisTest, Literals) {
  EXPECT_EQ(type("(1, 2.5, t, `a, \"b\", [[1]], [] float);"), "int, float, bool, char, [char], [[int]], [float]");
}

TEST_F(AnalysisTest, FunctionsAreGeneralized) {
  EXPECT_EQ(type("function swap(x, y) = (y, x);", "swap"), "(a, b) -> (b, a) :: (a in any; b in any)");
  EXPECT_EQ(type("function twice(x) = x + x;", "twice"), "a -> a :: (a in number)");
  EXPECT_EQ(type("(twice(1), twice(2.0), swap(t, \"a\"));"), "int, float, [char], bool");
  EXPECT_EQ(type("function ap(g, a) = {g(x) : x in a};", "ap"), "(a -> b, [a]) -> [b] :: (a in any; b in any)");
}

TEST_F(AnalysisTest, LetBoundFunctionsAreNotGeneralized) {
  EXPECT_EQ(error("let i = (x => x) in (i(1), i(\"a\"));"), "type '\"a\"'");
}

TEST_F(AnalysisTest, RecursionIsMonomorphic) {
  EXPECT_EQ(type("function fact(n) = if n == 0 then 1 else n * fact(n - 1);", "fact"), "int -> int");
  EXPECT_TRUE(last->definition->recursive);
  EXPECT_EQ(error("function p(n, x) = if n == 0 then 0 else p(n - 1, (x, x));"), "type 'x, x'");
}

TEST_F(AnalysisTest, Classes) {
  EXPECT_EQ(type("function both(x) = x + (x and x);", "both"), "int -> int");
  EXPECT_EQ(error("sum([t]);"), "type '[t]'");
  EXPECT_EQ(error("1 < 2 < 3;"), "type '1 < 2'");
}

TEST_F(AnalysisTest, DeclaredTypes) {
  EXPECT_EQ(type("function g(x) : int -> float = float(x);", "g"), "int -> float");
  EXPECT_EQ(type("function g(x) : a -> a :: (a in logical) = x;", "g"), "a -> a :: (a in logical)");
  EXPECT_EQ(type("function g(x) : a -> a :: (a in float) = x;", "g"), "float -> float");
  EXPECT_EQ(error("function g(x) : int -> float = x + 1;"), "type 'x + 1'");
  EXPECT_EQ(type("function h(x) : a -> [a] :: (a in any) = [x] ++ [] a;", "h"), "a -> [a] :: (a in any)");
}

TEST_F(AnalysisTest, TooGeneralSignatureIsNarrowedWithWarning) {
  EXPECT_EQ(read("function g(x) : a -> a :: (a in ordinal) = x + x;"),
            "warning 'a -> a': g is less general than declared: its type is a -> a :: (a in number)\n");
  EXPECT_EQ(to_text(environment.find("g")->scheme), "a -> a :: (a in number)");
}

TEST_F(AnalysisTest, TypeVariableWithoutClassMatchesNoType) {
  EXPECT_EQ(read("function g(x) : a -> a = x;").substr(0, 12), "warning 'a':");
  EXPECT_EQ(to_text(environment.find("g")->scheme), "a -> a");
  EXPECT_EQ(error("g(1);"), "type '1'");
  EXPECT_EQ(error("function g(x) : tree -> tree = x;"), "unbound-type 'tree'");
}

TEST_F(AnalysisTest, UndeterminedTypeVariablesAreInt) {
  EXPECT_EQ(type("function g(x) : a -> int :: (a in any; b in any) = #([] b);", "g"), "a -> int :: (a in any)");
  const Definition* g = environment.find("g");
  EXPECT_EQ(to_text(std::get<Call>(g->body->node).argument->type), "[int]");
}

TEST_F(AnalysisTest, LocalVariablesAreNumbered) {
  EXPECT_EQ(read("function g(x, y) = let (a, b) = (y, x) in {a + b + c : c in [1]};"), "");
  const Definition* g = environment.find("g");
  EXPECT_EQ(g->locals, 5u);
  EXPECT_EQ(g->parameter->parts[0]->local, 0u);
  EXPECT_EQ(g->parameter->parts[1]->local, 1u);
  const Let& let = std::get<Let>(g->body->node);
  EXPECT_EQ(std::get<Name>(std::get<Pair>(let.bindings[0].second->node).first->node).local, 1u);
  EXPECT_EQ(std::get<Each>(let.body->node).bindings[0].first->local, 4u);
}

TEST_F(AnalysisTest, LocalsHideGlobalsButNotSyntax) {
  EXPECT_EQ(type("let sum = 3 in sum + 1;"), "int");
  EXPECT_EQ(type("let elt = 3; iseq = 4; negate = 5 in ([elt][0], [0:3], -iseq);"), "int, [int], int");
  EXPECT_EQ(type("let x = 1; x = [x] in x;"), "[int]");
  EXPECT_EQ(type("let x = [1] in {x : x in x};"), "[int]");
}

TEST_F(AnalysisTest, InstantiationsAreRecorded) {
  EXPECT_EQ(read("function g(n, x) = if n == 0 then x else g(n - 1, x);"), "");
  const Definition* g = environment.find("g");
  const If& body = std::get<If>(g->body->node);
  const Name& self = std::get<Name>(std::get<Call>(body.else_branch->node).function->node);
  EXPECT_EQ(self.definition, g);
  EXPECT_EQ(self.instantiation, g->scheme.quantified) << "in its own body it is not instantiated";
  EXPECT_EQ(read("g(1, [2.5]);"), "");
  const Name& callee = std::get<Name>(std::get<Call>(last->statement->value->node).function->node);
  EXPECT_EQ(callee.definition, g);
  ASSERT_EQ(callee.instantiation.size(), 1u);
  EXPECT_EQ(to_text(callee.instantiation[0]), "[float]");
}

TEST_F(AnalysisTest, Patterns) {
  EXPECT_EQ(error("let (x, x) = (1, 2) in x;").substr(0, 7), "pattern");
  EXPECT_EQ(error("let (x, y) = 1 in x;"), "type 'x, y'");
  EXPECT_EQ(error("x, y = 3;"), "type 'x, y'");
  EXPECT_EQ(type("(x, (y, z)) = (1, (2.0, t)); (z, x);"), "bool, int");
}

TEST_F(AnalysisTest, Datatypes) {
  EXPECT_EQ(type("datatype point(int, int);", "point"), "(int, int) -> point");
  EXPECT_EQ(type("function px(point(a, b)) = a;", "px"), "point -> int");
  EXPECT_EQ(type("datatype box(a) :: (a in number);", "box"), "a -> box(a) :: (a in number)");
  EXPECT_EQ(type("(box(1), [] box(float), {b : box(b) in [box(2)]});"), "box(int), [box(float)], [int]");
  EXPECT_EQ(error("box(t);"), "type 't'");
  EXPECT_EQ(error("[] box([int]);"), "type 'box([int])'");
  EXPECT_EQ(error("[] box;"), "type 'box'");
  EXPECT_EQ(error("let point(a, b) = 3 in a;"), "type 'point(a, b)'");
  EXPECT_EQ(error("let nosuch(a, b) = 3 in a;"), "unbound-type 'nosuch(a, b)'");
  EXPECT_EQ(error("datatype tree(int, [tree]);"), "unbound-type 'tree'");
  EXPECT_EQ(error("datatype other(a);"), "unbound-type 'a'");
  EXPECT_EQ(error("datatype int(float);"), "reserved 'int'");
  EXPECT_EQ(type("datatype stream(float);", "stream"), "float -> stream");
}

TEST_F(AnalysisTest, EqualRedefinitionKeepsTheDatatype) {
  EXPECT_EQ(read("datatype point(int, int); p = point(1, 2);"), "");
  EXPECT_EQ(type("datatype point(int, int); [p, point(3, 4)];"), "[point]");
  EXPECT_EQ(error("datatype point(int, float); [p, point(3, 4.0)];"), "type 'point(3, 4.0)'");
}

TEST_F(AnalysisTest, OptionalArguments) {
  EXPECT_EQ(type("function df(x, y := 3, z := 4) = x + y * z;", "df"), "(a, a, a) -> a :: (a in number)");
  EXPECT_EQ(type("(df(1), df(1, z := 5), df(1, z := 5, y := 6));"), "int, int, int");
  const Call& call = std::get<Call>(std::get<Pair>(last->statement->value->node).first->node);
  const Pair& arguments = std::get<Pair>(call.argument->node);
  const Pair& defaults = std::get<Pair>(arguments.rest->node);
  EXPECT_EQ(std::get<IntLiteral>(arguments.first->node).digits, "1");
  EXPECT_EQ(std::get<IntLiteral>(defaults.first->node).digits, "3");
  EXPECT_EQ(std::get<IntLiteral>(defaults.rest->node).digits, "4");
  EXPECT_EQ(error("df(1, 2);"), "type '1, 2'");
  EXPECT_EQ(error("df(1, q := 2);"), "unbound 'q := 2'");
  EXPECT_EQ(error("df(1, y := 2, y := 2);"), "type 'y := 2'");
  EXPECT_EQ(error("sum(y := 2);"), "type 'y := 2'");
  EXPECT_EQ(error("function dg(x, y := nosuch) = x;"), "unbound 'nosuch'");
  // The names in a default refer to definitions at the definition of the function.
  EXPECT_EQ(type("k = 1; function dk(x, y := k) = (x, y); let k = t in dk(2);"), "int, int");
}

TEST_F(AnalysisTest, ChoiceBetweenFunctionsIsRejected) {
  EXPECT_EQ(error("if t then sin else cos;"), "type 'cos'");
  EXPECT_EQ(error("[sin, cos];"), "type 'cos'");
  EXPECT_EQ(error("sin == cos;"), "type 'cos'");
  EXPECT_EQ(error("select(t, (sin, 1), (cos, 2));"), "type 'cos, 2'");
  EXPECT_EQ(type("((if t then sin else sin), [sin, sin], dist(sin, 3));"),
            "float -> float, [float -> float], [float -> float]");
}

TEST_F(AnalysisTest, GlobalFunctionsKeepTheirVariables) {
  EXPECT_EQ(type("id = (x => x); (id(1), id(t));"), "int, bool");
  EXPECT_EQ(environment.find("id")->scheme.quantified.size(), 1u);
}

TEST_F(AnalysisTest, InfiniteTypes) {
  EXPECT_EQ(error("function u(x) = x(x);"), "type 'x'");
  EXPECT_EQ(error("function u(x) = [x, [x]];"), "type '[x]'");
}

TEST_F(AnalysisTest, OnlyIndependentErrorsAreReported) {
  EXPECT_EQ(read("(1 + xx, yy * 2.0, (#\"a\" + 2.0) * t, xx);"),
            "unbound 'xx': xx is undefined\n"
            "unbound 'yy': yy is undefined\n"
            "type '2.0': the right operand of + must be int, but is float\n"
            "type 't': the right operand of * must be a number (int or float), but is bool\n");
  EXPECT_EQ(read("let (a, b) = nosuch in {a + x : x in b | t};"), "unbound 'nosuch': nosuch is undefined\n");
}

TEST_F(AnalysisTest, StopsAfterManyErrors) {
  std::string text = "(u0";
  for (int i = 1; i < 1000; ++i) text += ", u" + std::to_string(i);
  std::string messages = read(text + "); also_undefined;");
  EXPECT_EQ(std::count(messages.begin(), messages.end(), '\n'), 101);
  EXPECT_NE(messages.find("too many errors; the rest is not looked at"), std::string::npos);
}

TEST_F(AnalysisTest, NothingIsDefinedAfterAnError) {
  EXPECT_EQ(read("x = 1;"), "");
  EXPECT_EQ(error("x = nosuch;"), "unbound 'nosuch'");
  EXPECT_EQ(error("function g(a) = nosuch;"), "unbound 'nosuch'");
  EXPECT_EQ(type("", "x"), "int");
  EXPECT_EQ(environment.find("g"), nullptr);
}

TEST_F(AnalysisTest, ValuesAreDefinedWhenTheyAreCommitted) {
  const base::Source& source = environment.add_source(std::make_unique<base::Source>("test", "y = 1;"));
  base::Diagnostics diagnostics;
  std::vector<Statement> statements = parse(source, {}, diagnostics);
  auto analyzed = analyze(std::move(statements[0]), source, environment, types, diagnostics);
  ASSERT_TRUE(analyzed);
  EXPECT_EQ(environment.find("y"), nullptr);
  environment.commit(analyzed->statement);
  ASSERT_EQ(analyzed->statement->globals.size(), 1u);
  EXPECT_EQ(environment.find("y"), analyzed->statement->globals[0]);
}

TEST_F(AnalysisTest, RedefinitionWithSameTypeChangesEarlierCallers) {
  read("function g1(x) = x + 1; function g2(x) = g1(x);");
  Definition* before = environment.find("g1");
  const Expr* body = before->body.get();
  EXPECT_EQ(read("function g1(x) = x + 100;"), "");
  EXPECT_EQ(environment.find("g1"), before);
  EXPECT_NE(before->body.get(), body);
  EXPECT_EQ(read("a = 5; a = 6;"), "");
  EXPECT_EQ(environment.find("a")->statement, last->statement);
}

TEST_F(AnalysisTest, RedefinitionWithOtherTypeKeepsEarlierCallers) {
  read("function g1(x) = x + 1; function g2(x) = g1(x); a = 5;");
  Definition* before = environment.find("g1");
  EXPECT_EQ(read("function g1(x) = x + 1.0;"),
            "warning 'g1': g1 gets another type; g2, defined before, keeps using the old one, of type int -> int\n");
  EXPECT_NE(environment.find("g1"), before);
  EXPECT_EQ(type("g2(1);"), "int");
  Definition* global = environment.find("a");
  EXPECT_EQ(read("a = t;"), "") << "nothing has used it";
  EXPECT_NE(environment.find("a"), global);
}

TEST_F(AnalysisTest, BuiltInNames) {
  EXPECT_EQ(error("function + (x, y) = x;").substr(0, 8), "reserved");
  EXPECT_EQ(type("pi = 3;", "pi"), "int");
  EXPECT_EQ(type("function sin(x) = x;", "sin"), "a -> a :: (a in any)");
  Definition* before = environment.find("sum");
  EXPECT_EQ(type("function sum(v) : [a] -> a :: (a in number) = v[0];", "sum"), "[a] -> a :: (a in number)");
  EXPECT_NE(environment.find("sum"), before) << "the library goes on using its own";
  EXPECT_EQ(type("max_int = 5;", "max_int"), "int");
}

TEST_F(AnalysisTest, SyntaxCallsTheLibrary) {
  read("function elt(a, i) = t; function negate(x) = t; function iseq(a, b, c) = t;");
  EXPECT_EQ(type("([1, 2][0], -3, [0:3], elt([1], 0), negate(3));"), "int, int, [int], bool, bool");
  EXPECT_EQ(type("function g(a, i := negate(1)) = i;", "g"), "(a, b) -> b :: (a in any; b in any)");
  EXPECT_EQ(type("g(1);"), "bool") << "the default is a call by name";
}

TEST_F(AnalysisTest, Fields) {
  read(
      "datatype point(x : float, y : float); datatype box(value : a) :: (a in any); datatype three(a : int, b : bool, "
      "c : char);");
  EXPECT_EQ(type("p = point(1.0, 2.0);", "p"), "point");
  EXPECT_EQ(type("p.x;"), "float");
  EXPECT_EQ(type("(three(1, t, `a).a, three(1, t, `a).b, three(1, t, `a).c);"), "int, bool, char");
  EXPECT_EQ(type("{q.y : q in [p]};"), "[float]");
  EXPECT_EQ(type("box((1, p)).value;"), "int, point");
  EXPECT_EQ(type("box(p).value.x;"), "float");
  EXPECT_EQ(type("function norm(q) = q.x + q.y;", "norm"), "point -> float");
  EXPECT_EQ(type("function open(b) = b.value;", "open"), "box(a) -> a :: (a in any)");
  EXPECT_EQ(error("p.z;"), "unbound 'z'");
  EXPECT_EQ(error("[p].x;"), "type '[p]'");
  EXPECT_EQ(error("function g(q) = q.nosuch;"), "unbound 'nosuch'");
  EXPECT_EQ(error("datatype twice(x : int, x : int);"), "pattern 'x'");
  EXPECT_EQ(error("function g(q) = q.x and t;"), "type 'q.x'");
}

TEST_F(AnalysisTest, FieldsOfSeveralDatatypes) {
  read("datatype point(x : float, y : float); datatype cell(x : int, y : int);");
  EXPECT_EQ(error("function g(q) = q.x;"), "type 'x'");
  EXPECT_EQ(type("function g(q : cell) = q.x;", "g"), "cell -> int");
  EXPECT_EQ(type("function g(q) : point -> float = q.x;", "g"), "point -> float");
  EXPECT_EQ(type("function g(q) = let x = q.x; point(a, b) = q in x;", "g"), "point -> float") << "found out later";
  EXPECT_EQ(type("datatype cell(x : int, z : int); cell(1, 2).z;"), "int") << "other names, another datatype";
}

TEST_F(AnalysisTest, TypesOfParameters) {
  EXPECT_EQ(type("function g(x : int, s : [float]) = s;", "g"), "(int, [float]) -> [float]");
  EXPECT_EQ(type("function g(x : int, y) : int = x;", "g"), "(int, a) -> int :: (a in any)");
  EXPECT_EQ(read("function g(x : a, s : [a]) : [a] :: (a in number) = s ++ [x + x];"), "");
  EXPECT_EQ(type("g(1.0, []);"), "[float]");
  EXPECT_EQ(type("function declared(x : int) : bool; function h(x) = declared(x);", "h"), "int -> bool");
  EXPECT_EQ(type("function k((a, b) : (int, bool), w : float := 1.0) = (a, w);", "k"),
            "((int, bool), float) -> (int, float)");
  EXPECT_EQ(error("function g(x : int) = x + 1.0;"), "type '1.0'");
  EXPECT_EQ(error("function g(x : int) : float = x;"), "type 'x'");
  EXPECT_EQ(error("function g(x : nosuch) = x;"), "unbound-type 'nosuch'");
  EXPECT_EQ(read("function l(x : a, y : b) :: (a in any; b in any) = [x, y];").substr(0, 11), "warning 'l'");
}

TEST_F(AnalysisTest, EmptySequencesWithoutType) {
  EXPECT_EQ(type("[] ++ [1];"), "[int]");
  EXPECT_EQ(type("if t then [] else [[`a]];"), "[[char]]");
  EXPECT_EQ(type("#[];"), "int");
  EXPECT_EQ(type("function none(x) = [];", "none"), "a -> [b] :: (a in any; b in any)");
  EXPECT_EQ(error("[];"), "type '[]'");
  EXPECT_EQ(error("x = (1, []);"), "type '[]'");
  EXPECT_EQ(type("function g(x) = if t then [] else [x];", "g"), "a -> [a] :: (a in any)");
}

TEST_F(AnalysisTest, TruthValuesAsVariables) {
  EXPECT_EQ(type("function apply(f, x) = f(x);", "apply"), "(a -> b, a) -> b :: (a in any; b in any)");
  EXPECT_EQ(type("let f = 3 in (f, t);"), "int, bool");
  EXPECT_EQ(type("({T + 1 : t in [1]}, t);"), "[int], bool");
  EXPECT_EQ(type("function g(x, f := t) = f; g(1);"), "bool");
  EXPECT_EQ(type("(t => (f => t))(2.0)(3);"), "float");
}

TEST_F(AnalysisTest, IntsThatDoNotFit) {
  EXPECT_EQ(type("(2147483647, -2147483648);"), "int, int");
  EXPECT_EQ(error("2147483648;"), "type '2147483648'");
  EXPECT_EQ(error("-2147483649;"), "type '2147483649'");
  EXPECT_EQ(error("99999999999999999999;"), "type '99999999999999999999'");
  environment.set_wide_ints(true);
  EXPECT_EQ(type("(9223372036854775807, -9223372036854775808);"), "int, int");
  EXPECT_EQ(error("9223372036854775808;"), "type '9223372036854775808'");
}

TEST_F(AnalysisTest, MutualRecursion) {
  EXPECT_EQ(read("function ev(n) : int -> bool; function od(n) = if n == 0 then f else ev(n - 1);"), "");
  EXPECT_EQ(error("od(1);"), "no-body 'od'");
  EXPECT_FALSE(environment.find("od")->recursive);
  Definition* stub = environment.find("ev");
  EXPECT_EQ(read("function ev(n) = if n == 0 then t else od(n - 1);"), "");
  EXPECT_EQ(environment.find("ev"), stub);
  EXPECT_EQ(type("od(1);"), "bool");
  EXPECT_TRUE(environment.find("ev")->recursive);
  EXPECT_TRUE(environment.find("od")->recursive);
  EXPECT_EQ(read("function ev(n) = n == 0; od(1);"), "");
  EXPECT_FALSE(environment.find("od")->recursive);
  EXPECT_EQ(read("function ev(n) : int -> bool;"), "");
  EXPECT_NE(environment.find("ev")->body, nullptr) << "to declare it again is harmless";
}

TEST_F(AnalysisTest, DefinitionHasTheDeclaredType) {
  EXPECT_EQ(read("function g(n) : int -> int;"), "");
  EXPECT_EQ(error("g(1);"), "no-body 'g'");
  EXPECT_EQ(error("function g(n) = n + 1.0;"), "type 'g'");
}

TEST_F(AnalysisTest, SerialOnly) {
  EXPECT_EQ(error("{seed(x) : x in [1]};"), "serial-only 'seed'");
  EXPECT_EQ(error("{x in [1] | seed(x)};"), "serial-only 'seed'");
  EXPECT_EQ(type("{* seed(x) : x in [1]};"), "[bool]");
  EXPECT_EQ(type("{x : x in [seed(1)]};"), "[bool]");
  EXPECT_EQ(read("function s1(x) = seed(x); function s2(x) = (s1(x), 1);"), "");
  EXPECT_TRUE(environment.find("s2")->serial_only);
  EXPECT_EQ(error("function s3(v) = {s2(x) : x in v};"), "serial-only 's2'");
  EXPECT_EQ(error("{* {s2(x) : x in v} : v in [[1]]};"), "serial-only 's2'");
  EXPECT_EQ(error("function s4(n) = if n == 0 then seed(n) else {s4(x) : x in [1]}[0];"), "serial-only 's4'");
}

TEST_F(AnalysisTest, SerialOnlyThroughADeclaredFunction) {
  EXPECT_EQ(read("function st(n) : int -> bool; function user(v) = {st(x) : x in v};"), "");
  EXPECT_EQ(read("function st(n) = seed(n);"), "");
  EXPECT_EQ(error("user([1]);"), "serial-only 'user'");
  EXPECT_TRUE(environment.find("st")->serial_only);
  EXPECT_EQ(error("function other(v) = {st(x) : x in v};"), "serial-only 'st'");
}

TEST_F(AnalysisTest, SpecializationsBelongToTheGenericFunction) {
  const Definition* first = environment.find("first");
  ASSERT_EQ(first->specializations.size(), 1u);
  EXPECT_EQ(to_text(first->specializations[0]->scheme), "([a], b) -> [a] :: (a in any; b in any)");
  environment.set_loading_prelude(true);
  EXPECT_EQ(read("specialize first(x, y) : (a, b) -> a :: (a in any; b in any) = y;", true).substr(0, 6), "type '");
  EXPECT_EQ(read("specialize first(x, y) : (a, b) -> b :: (a in any; b in any) = y;", true).substr(0, 6), "type '");
  // A specialization may call the function at other types, also in polymorphic recursion.
  EXPECT_EQ(read("specialize first((p, q), y) : ((a, b), c) -> (a, b) :: (a in any; b in any; c in any) ="
                 " (first(p, y), first(q, [y]));",
                 true),
            "");
  environment.set_loading_prelude(false);
  EXPECT_EQ(first->specializations.size(), 2u);
  EXPECT_FALSE(first->specializations[1]->recursive);
}

TEST_F(AnalysisTest, MisspeltNames) {
  const base::Source& source =
      environment.add_source(std::make_unique<base::Source>("test", "let total = 1 in totla;"));
  base::Diagnostics diagnostics;
  std::vector<Statement> statements = parse(source, {}, diagnostics);
  analyze(std::move(statements[0]), source, environment, types, diagnostics);
  EXPECT_EQ(render(source, diagnostics),
            "test:1:18: error: totla is undefined\n"
            "  let total = 1 in totla;\n"
            "                   ^~~~~\n"
            "test: note: did you mean total?\n");
}

// Checks the trees of the whole prelude, and of every statement of the case file, analysed on top of the prelude.
TEST(AnalysisOfCases, TypesAreWrittenIntoTheTrees) {
  TypeStore types;
  Environment environment;
  auto read = [&](std::string text, bool prelude) {
    const base::Source& source = environment.add_source(std::make_unique<base::Source>("test", std::move(text)));
    base::Diagnostics diagnostics;
    for (Statement& statement : parse(source, {.prelude = prelude}, diagnostics)) {
      if (std::holds_alternative<CommandStatement>(statement.node)) continue;
      auto analyzed = analyze(std::move(statement), source, environment, types, diagnostics);
      if (!analyzed) continue;
      EXPECT_EQ(analyzed->statement ? check_typed_tree(*analyzed->statement) : check_typed_tree(*analyzed->definition),
                "")
          << source.text();
      if (analyzed->statement) environment.commit(analyzed->statement);
    }
    EXPECT_FALSE(prelude && !diagnostics.all().empty()) << render(source, diagnostics);
  };
  environment.set_loading_prelude(true);
  for (const PreludeFile& file : prelude_files()) read(std::string(file.text), true);
  environment.set_loading_prelude(false);
  std::ifstream cases(NESL_CASES);
  ASSERT_TRUE(cases);
  std::size_t statements = 0;
  for (std::string line; std::getline(cases, line);) {
    if (!line.starts_with("> ")) continue;
    read(line.substr(2), false);
    ++statements;
  }
  EXPECT_GT(statements, 1000u);
}

}  // namespace
}  // namespace nesl
