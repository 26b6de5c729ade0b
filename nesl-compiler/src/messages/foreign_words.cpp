#include "foreign_words.h"

#include <algorithm>
#include <iterator>

namespace nesl {

namespace {

struct ForeignWord {
  std::string_view name;
  const char* hint;
  bool begins_form = false;
};

constexpr const char* kFunction = "a function is defined by function name(x) = expression";
constexpr const char* kLambda = "a function without a name is written x => expression";
constexpr const char* kEach = "an apply-to-each is written {expression : x in sequence}";
constexpr const char* kLoop =
    "NESL has no loops: {expression : x in sequence} does something with each element, and functions can call "
    "themselves";
constexpr const char* kReturn = "the value of a function is that of the expression behind its =";
constexpr const char* kVariable =
    "a variable is defined by name = value, or within an expression by let name = value in";
constexpr const char* kElse = "it is written else if ... then ... else ...";
constexpr const char* kAppend = "++ appends one sequence to another";

constexpr const char* kPrefixSums =
    "plus_scan(s) has for each element the sum of those before it, prefix_sums(s) at last the sum of all, too";
constexpr const char* kSearch =
    "lower_bound(s, v) counts the elements of a sequence in order that are less than v, upper_bound(s, v) those that "
    "are not greater";
constexpr const char* kLength = "#s is the length of the sequence s";
constexpr const char* kToInt = "round(x), trunc(x), floor(x) and ceil(x) make an int of a float";
constexpr const char* kToFloat = "float(i) makes a float of an int";
constexpr const char* kToBool = "i /= 0 is t unless i is 0";
constexpr const char* kLeave = "a session is left by exit; or by Ctrl-D";

constexpr ForeignWord kWords[] = {
    {"accumulate", kPrefixSums},
    {"append", kAppend},
    {"bench", "a benchmark is written bench \"name\" for n in [1K, 1M] = expression"},
    {"bincount", "int_histogram(s, n) counts how often each of the ints from 0 to n - 1 occurs in s"},
    {"bisect", kSearch},
    {"bool", kToBool},
    {"char", "code_char(i) is the character with the code i, and char_code(c) the code of c"},
    {"concat", kAppend},
    {"const", kVariable, true},
    {"cumsum", kPrefixSums},
    {"def", kFunction, true},
    {"define", kFunction, true},
    {"defun", kFunction, true},
    {"double", kToFloat},
    {"elif", kElse, true},
    {"elseif", kElse, true},
    {"elsif", kElse, true},
    {"fn", kLambda, true},
    {"for", kEach, true},
    {"forall", kEach, true},
    {"foreach", kEach, true},
    {"fun", kFunction, true},
    {"func", kFunction, true},
    {"int", kToInt},
    {"integer", kToInt},
    {"lambda", kLambda, true},
    {"len", kLength},
    {"null", "an empty sequence is written []"},
    {"nil", "an empty sequence is written []"},
    {"proc", kFunction, true},
    {"quit", kLeave},
    {"range", "[0:n] has the ints from 0 up to n - 1, and [a:b:d] those from a in steps of d, before b"},
    {"repeat", kLoop, true},
    {"return", kReturn, true},
    {"searchsorted", kSearch},
    {"size", kLength},
    {"str", "string(x), or @x, is the text of a value"},
    {"test", "a test is written test \"name\" = condition, or test \"name\" for s : [int] = condition"},
    {"val", kVariable, true},
    {"var", kVariable, true},
    {"while", kLoop, true},
};

constexpr ForeignWord kTypes[] = {
    {"boolean", "truth values have the type bool"},
    {"character", "characters have the type char"},
    {"double", "all floats have the type float"},
    {"integer", "integers have the type int"},
    {"real", "all floats have the type float"},
    {"str", "a string is a sequence of characters, [char]"},
    {"string", "a string is a sequence of characters, [char]"},
};

template <class Table>
const ForeignWord* find(const Table& table, std::string_view name) {
  const auto at =
      std::find_if(std::begin(table), std::end(table), [&](const ForeignWord& w) { return w.name == name; });
  return at == std::end(table) ? nullptr : at;
}

}  // namespace

const char* hint_for_word(std::string_view name) {
  const ForeignWord* word = find(kWords, name);
  return word == nullptr ? nullptr : word->hint;
}

const char* hint_for_type(std::string_view name) {
  const ForeignWord* type = find(kTypes, name);
  return type == nullptr ? nullptr : type->hint;
}

bool begins_foreign_form(std::string_view name) {
  const ForeignWord* word = find(kWords, name);
  return word != nullptr && word->begins_form;
}

}  // namespace nesl
