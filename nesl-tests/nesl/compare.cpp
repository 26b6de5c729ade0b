#include "compare.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <vector>

namespace nesl_cases {
namespace {

/// The tokens of a value line: words, numbers, strings, characters, runs of blanks and single marks.
using Tokens = std::vector<std::string>;

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '~'; }

/// End of the number at `begin`: digits, a point, an exponent.
std::size_t number_end(const std::string& line, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < line.size()) {
    const bool exponent_sign = (line[end] == '-' || line[end] == '+') && (line[end - 1] == 'E' || line[end - 1] == 'e');
    if (!exponent_sign && line[end] != '.' && std::isalnum(static_cast<unsigned char>(line[end])) == 0) break;
    ++end;
  }
  return end;
}

std::size_t string_end(const std::string& line, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < line.size() && line[end] != '"') end += line[end] == '\\' ? 2 : 1;
  return std::min(end + 1, line.size());
}

std::size_t token_end(const std::string& line, std::size_t begin) {
  const char c = line[begin];
  if (c == '"') return string_end(line, begin);
  if (c == '`') return std::min(begin + 2, line.size());
  if (std::isdigit(static_cast<unsigned char>(c)) != 0) return number_end(line, begin);
  if (line.compare(begin, 2, "::") == 0 || line.compare(begin, 2, "->") == 0) return begin + 2;
  const bool word = is_word_character(c);
  if (!word && c != ' ') return begin + 1;
  std::size_t end = begin + 1;
  while (end < line.size() && (word ? is_word_character(line[end]) : line[end] == ' ')) ++end;
  return end;
}

Tokens tokens_of(const std::string& line) {
  Tokens tokens;
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = token_end(line, begin);
    tokens.push_back(line.substr(begin, end - begin));
    begin = end;
  }
  return tokens;
}

/// The parts of "name = value : type :: (a in number; …)".
struct ValueLine {
  Tokens value;  ///< includes the name
  Tokens type;
  std::map<std::string, std::string> context;  ///< class of each type variable
};

ValueLine split(const std::string& line) {
  const Tokens tokens = tokens_of(line);
  const auto colon = std::find(tokens.begin(), tokens.end(), ":");
  const auto colons = std::find(colon, tokens.end(), "::");
  ValueLine result{Tokens(tokens.begin(), colon), Tokens(colon, colons), {}};
  while (!result.type.empty() && result.type.back() == " ") result.type.pop_back();
  for (auto token = colons; token != tokens.end() && token + 4 < tokens.end(); ++token) {
    if (*(token + 2) == "in") result.context[*token] = *(token + 4);
  }
  return result;
}

bool is_float(const std::string& token) {
  return std::isdigit(static_cast<unsigned char>(token[0])) != 0 && token.find('.') != std::string::npos;
}

bool same_float(const std::string& a, const std::string& b) {
  const double x = std::strtod(a.c_str(), nullptr), y = std::strtod(b.c_str(), nullptr);
  if (x == y) return true;
  const double unit = std::pow(10.0, std::floor(std::log10(std::max(std::abs(x), std::abs(y)))) - 14.0);
  return std::abs(x - y) <= 1.5 * unit;
}

bool same_value(const Tokens& expected, const Tokens& actual) {
  return std::equal(expected.begin(), expected.end(), actual.begin(), actual.end(),
                    [](const std::string& a, const std::string& b) {
                      return a == b || (is_float(a) && is_float(b) && same_float(a, b));
                    });
}

bool same_type(const ValueLine& expected, const ValueLine& actual) {
  if (expected.type.size() != actual.type.size()) return false;
  std::map<std::string, std::string> there, back;
  for (std::size_t k = 0; k < expected.type.size(); ++k) {
    const std::string &a = expected.type[k], &b = actual.type[k];
    const auto a_class = expected.context.find(a), b_class = actual.context.find(b);
    const bool a_variable = a_class != expected.context.end(), b_variable = b_class != actual.context.end();
    if (a_variable != b_variable) return false;
    if (!a_variable) {
      if (a != b) return false;
      continue;
    }
    if (a_class->second != b_class->second) return false;
    if (there.emplace(a, b).first->second != b || back.emplace(b, a).first->second != a) return false;
  }
  return true;
}

bool same_line(const std::string& expected, const std::string& actual) {
  if (expected == actual) return true;
  const ValueLine a = split(expected), b = split(actual);
  return same_value(a.value, b.value) && same_type(a, b);
}

/// The text without blanks at the ends of its lines and without empty lines at its end.
std::string trimmed(const std::string& text) {
  std::string result;
  for (char c : text) {
    if (c == '\n') result.erase(result.find_last_not_of(' ') + 1);
    result += c;
  }
  result.erase(result.find_last_not_of(" \n") + 1);
  return result;
}

std::string shown(const std::string& what, const std::string& expected, const std::string& actual) {
  return what + "\n  expected: " + expected + "\n  found:    " + actual + "\n";
}

}  // namespace

std::string difference(const Reply& expected, const Reply& actual) {
  std::string result;
  if (expected.error_class != actual.error_class) {
    result += shown("the class of the error", expected.error_class, actual.error_class + " " + actual.error_text);
  } else if (!expected.error_text.empty() && expected.error_text != actual.error_text) {
    result += shown("the error's text", expected.error_text, actual.error_text);
  } else if (!expected.error_details.empty() && expected.error_details != actual.error_details) {
    result += shown("the error's details", expected.error_details, actual.error_details);
  }
  if (!same_line(expected.value, actual.value)) result += shown("the reply", expected.value, actual.value);
  if (trimmed(expected.printed) != trimmed(actual.printed)) {
    result += shown("the printed text", expected.printed, actual.printed);
  }
  return result;
}

}  // namespace nesl_cases
