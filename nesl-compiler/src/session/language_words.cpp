#include "nesl-compiler/session.h"

namespace nesl {

const std::vector<Description>& language_words() {
  static const std::vector<Description> kWords = {
      {"bench", "a statement",
       "bench \"title\" for n in [1K, 10K, 1M] = expression; measures the expression for each size when nesl bench "
       "runs the program. After ; and before the = come values that are prepared: for n in [1K, 1M]; s = input(n) = "
       "f(s)."},
      {"closure", "((a, b) -> c, a) -> (b -> c)",
       "closure(function, value): the function of the remaining arguments that calls the given one with the value "
       "before "
       "them; x => function(value, x) is the same."},
      {"datatype", "a definition", "datatype name(type); or with fields, datatype name(x : type, y : type);"},
      {"function", "a definition",
       "function name(x, y) = expression; with types, function name(x : int) : int = expression;"},
      {"if", "(bool, a, a) -> a",
       "if condition then a else b: a if the condition holds, else b. Only one is computed."},
      {"in", "a part of let and { }", "let name = value; ... in expression, and {expression : name in sequence}."},
      {"let", "an expression", "let name = value; name = value in expression: the expression may use the names."},
      {"test", "a statement",
       "test \"title\" = condition; is checked when nesl test runs the program. test \"title\" for s : [int] = "
       "condition; "
       "is checked for random values of s, and with | condition only for those that satisfy it."},
      {"time", "a -> (a, float)",
       "time(expression): its value, and the seconds that computing it took. What the expression uses is computed "
       "before."},
  };
  return kWords;
}

}  // namespace nesl
