#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "editing/text_document.h"

namespace nesl_cli {

using nlohmann::json;

/// Parameters of a message that are not as the protocol wants them.
struct BadParameters {
  std::string message;
};
/// A request that cannot be fulfilled, and the reason for the user.
struct RequestFailure {
  std::string message;
};

// Members of parameters. They throw BadParameters if the member is missing or of another type.
const json& member(const json& object, const char* name);
std::string string_member(const json& object, const char* name);
std::int64_t int_member(const json& object, const char* name);
Position position_member(const json& object, const char* name);
Range range_member(const json& object, const char* name);

/// Whether a list of strings at a path of members, such as {"general", "positionEncodings"}, has a value. A path of
/// which a part is missing has none.
bool lists(const json& object, std::initializer_list<const char*> path, std::string_view value);
/// Whether a truth value at a path of members is true.
bool is_on(const json& object, std::initializer_list<const char*> path);

json to_json(Position position);
json to_json(const Range& range);
/// A text with those characters escaped that Markdown would take for markup.
std::string markdown_escaped(std::string_view text);

}  // namespace nesl_cli
