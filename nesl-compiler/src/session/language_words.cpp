#include "nesl-compiler/session.h"

namespace nesl {

const std::vector<Description>& language_words() {
  static const std::vector<Description> kWords = {
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
      {"time", "a -> (a, float)",
       "time(expression): its value, and the seconds that computing it took. What the expression uses is computed "
       "before."},
  };
  return kWords;
}

}  // namespace nesl
