#include "main_call.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "vcode/decimal.h"

namespace nesl_cli {

namespace {

/// Parses a whole text as a number.
template <class T>
std::optional<T> number_in(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  T x{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return x;
}

/// A type that a parameter of main may have.
struct ArgumentType {
  std::string_view name;
  bool (*fits)(const std::string& text, bool wide_ints);
  std::string_view parsed;  ///< NESL expression for the pair of the argument's value and whether the argument fits
};
constexpr ArgumentType kArgumentTypes[] = {
    {"int",
     [](const std::string& text, bool wide_ints) {
       return wide_ints ? number_in<std::int64_t>(text).has_value() : number_in<std::int32_t>(text).has_value();
     },
     "parse_int({0})"},
    {"float",
     [](const std::string& text, bool) {
       double x;
       return vcode::parse_float(text, x);
     },
     "parse_float({0})"},
    {"bool", [](const std::string& text, bool) { return text == "t" || text == "f"; },
     "({0} == \"t\", {0} == \"t\" or {0} == \"f\")"},
    {"char", [](const std::string& text, bool) { return text.size() == 1; }, "(({0} ++ \" \")[0], #{0} == 1)"},
    {"[char]", [](const std::string&, bool) { return true; }, "({0}, t)"},
};

bool takes_all(const std::vector<nesl::Parameter>& parameters) {
  return parameters.size() == 1 && parameters[0].type == "[[char]]";
}

/// Finds the types of the parameters. Returns an error message, or an empty string.
std::string find_types(const std::vector<nesl::Parameter>& parameters, std::vector<const ArgumentType*>& types) {
  for (const nesl::Parameter& parameter : parameters) {
    types.push_back(std::find_if(std::begin(kArgumentTypes), std::end(kArgumentTypes),
                                 [&](const ArgumentType& type) { return type.name == parameter.type; }));
    if (types.back() == std::end(kArgumentTypes))
      return fmt::format(
          "the parameter {} of main has type {}, which no argument can have: only int, float, bool, char, [char], or "
          "[[char]] for all of them",
          parameter.name, parameter.type);
  }
  return "";
}

std::string argument(std::size_t k) { return fmt::format("args[{}]", k); }

/// The NESL expression that parses argument k.
std::string parsed(const ArgumentType& type, std::size_t k) {
  return fmt::format(fmt::runtime(type.parsed), argument(k));
}

}  // namespace

MainCall main_call(const std::vector<nesl::Parameter>& parameters) {
  if (takes_all(parameters)) return {"main(args)", ""};
  std::vector<const ArgumentType*> types;
  if (std::string error = find_types(parameters, types); !error.empty()) return {"", std::move(error)};
  std::string call;
  for (std::size_t k = 0; k < parameters.size(); ++k)
    call += fmt::format("{}first({})", k == 0 ? "main(" : ", ", parsed(*types[k], k));
  return {call + ")", ""};
}

std::string check_arguments(const std::vector<nesl::Parameter>& parameters, const std::vector<std::string>& arguments,
                            bool wide_ints) {
  if (takes_all(parameters)) return "";
  std::vector<const ArgumentType*> types;
  find_types(parameters, types);
  if (arguments.size() != parameters.size())
    return fmt::format("main has {} parameter{}, but there {} {} argument{}", parameters.size(),
                       parameters.size() == 1 ? "" : "s", arguments.size() == 1 ? "is" : "are", arguments.size(),
                       arguments.size() == 1 ? "" : "s");
  for (std::size_t k = 0; k < parameters.size(); ++k)
    if (!types[k]->fits(arguments[k], wide_ints))
      return fmt::format("the argument {} of main is of type {}, which '{}' is not", parameters[k].name,
                         parameters[k].type, arguments[k]);
  return "";
}

MainCall checking_main_call(const std::vector<nesl::Parameter>& parameters) {
  if (takes_all(parameters)) return {"main(args)", ""};
  std::vector<const ArgumentType*> types;
  if (std::string error = find_types(parameters, types); !error.empty()) return {"", std::move(error)};
  std::string text = fmt::format(
      "let counted = if #args == {} then t else error(\"the arguments of main are{}, but there are \" ++ "
      "string(#args))",
      parameters.size(), usage_of_main(parameters));
  std::string values;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    text += fmt::format(
        "; (value_{0}, fits_{0}) = {1}; checked_{0} = if fits_{0} then t else "
        "error(\"the argument {2} of main is of type {3}, which '\" ++ {4} ++ \"' is not\")",
        k, parsed(*types[k], k), parameters[k].name, parameters[k].type, argument(k));
    values += fmt::format("{}value_{}", k == 0 ? "" : ", ", k);
  }
  return {fmt::format("{} in main({})", text, values), ""};
}

std::string usage_of_main(const std::vector<nesl::Parameter>& parameters) {
  std::string usage;
  for (const nesl::Parameter& parameter : parameters) usage += fmt::format(" {}:{}", parameter.name, parameter.type);
  return usage;
}

}  // namespace nesl_cli
