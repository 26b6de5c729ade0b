#include "main_call.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace nesl_cli {

namespace {

/// All of the text as a number.
template <class T>
std::optional<T> number_in(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  T x{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return x;
}

bool is_int(const std::string& text, bool wide) {
  return wide ? number_in<std::int64_t>(text).has_value() : number_in<std::int32_t>(text).has_value();
}

bool is_float(const std::string& text) {
  const std::optional<double> x = number_in<double>(text);
  return x && std::isfinite(*x) && text.find('E') == std::string::npos;  // as parse_float has it
}

/// The value of argument number k, or nothing if it is none of that type.
std::optional<std::string> value_of(const std::string& type, const std::string& text, std::size_t k, bool wide_ints) {
  if (type == "[char]") return fmt::format("args[{}]", k);
  if (type == "char" && text.size() == 1) return fmt::format("args[{}][0]", k);
  if (type == "bool" && (text == "t" || text == "f")) return fmt::format("args[{}] == \"t\"", k);
  if (type == "int" && is_int(text, wide_ints)) return fmt::format("first(parse_int(args[{}]))", k);
  if (type == "float" && is_float(text)) return fmt::format("first(parse_float(args[{}]))", k);
  return std::nullopt;
}

bool is_known(const std::string& type) {
  return type == "[char]" || type == "char" || type == "bool" || type == "int" || type == "float";
}

}  // namespace

MainCall main_call(const std::vector<nesl::Parameter>& parameters, const std::vector<std::string>& arguments,
                   bool wide_ints) {
  if (parameters.size() == 1 && parameters[0].type == "[[char]]") return {"main(args)", ""};
  for (const nesl::Parameter& parameter : parameters)
    if (!is_known(parameter.type))
      return {"",
              fmt::format("the parameter {} of main has type {}, which no argument can have: only int, float, bool, "
                          "char, [char], or [[char]] for all of them",
                          parameter.name, parameter.type)};
  if (arguments.size() != parameters.size())
    return {"", fmt::format("main has {} parameter{}, but there {} {} argument{}", parameters.size(),
                            parameters.size() == 1 ? "" : "s", arguments.size() == 1 ? "is" : "are", arguments.size(),
                            arguments.size() == 1 ? "" : "s")};
  std::string call;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const auto value = value_of(parameters[k].type, arguments[k], k, wide_ints);
    if (!value)
      return {"", fmt::format("the argument {} of main is of type {}, which '{}' is not", parameters[k].name,
                              parameters[k].type, arguments[k])};
    call += (k == 0 ? "main(" : ", ") + *value;
  }
  return {call + ")", ""};
}

std::string usage_of_main(const std::vector<nesl::Parameter>& parameters) {
  std::string usage;
  for (const nesl::Parameter& parameter : parameters) usage += fmt::format(" {}:{}", parameter.name, parameter.type);
  return usage;
}

}  // namespace nesl_cli
