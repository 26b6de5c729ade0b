#include "protocol_json.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace nesl_cli {

namespace {

const json& at_path(const json& object, std::initializer_list<const char*> path) {
  static const json kNothing;
  const json* at = &object;
  for (const char* name : path) {
    if (!at->is_object() || !at->contains(name)) return kNothing;
    at = &(*at)[name];
  }
  return *at;
}

}  // namespace

const json& member(const json& object, const char* name) {
  if (!object.is_object() || !object.contains(name)) throw BadParameters{fmt::format("{} is missing", name)};
  return object[name];
}

std::string string_member(const json& object, const char* name) {
  const json& value = member(object, name);
  if (!value.is_string()) throw BadParameters{fmt::format("{} is not a string", name)};
  return value.get<std::string>();
}

std::int64_t int_member(const json& object, const char* name) {
  const json& value = member(object, name);
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() ||
                     value.get<std::uint64_t>() <= std::uint64_t(std::numeric_limits<std::int64_t>::max()));
  if (!fits) throw BadParameters{fmt::format("{} is not an integer", name)};
  return value.get<std::int64_t>();
}

Position position_member(const json& object, const char* name) {
  const json& value = member(object, name);
  const auto number = [&](const char* part) {
    const std::int64_t n = int_member(value, part);
    if (n < 0) throw BadParameters{fmt::format("{} is negative", part)};
    return static_cast<std::uint32_t>(std::min<std::int64_t>(n, std::numeric_limits<std::uint32_t>::max()));
  };
  return {number("line"), number("character")};
}

Range range_member(const json& object, const char* name) {
  const json& value = member(object, name);
  return {position_member(value, "start"), position_member(value, "end")};
}

bool lists(const json& object, std::initializer_list<const char*> path, std::string_view value) {
  const json& list = at_path(object, path);
  return list.is_array() && std::find(list.begin(), list.end(), json(value)) != list.end();
}

bool is_on(const json& object, std::initializer_list<const char*> path) { return at_path(object, path) == json(true); }

json to_json(Position position) { return {{"line", position.line}, {"character", position.character}}; }

json to_json(const Range& range) { return {{"start", to_json(range.start)}, {"end", to_json(range.end)}}; }

std::string markdown_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>#|~").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace nesl_cli
