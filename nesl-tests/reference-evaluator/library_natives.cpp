#include <algorithm>
#include <charconv>
#include <string_view>
#include <unordered_map>

#include "element_evaluator.h"

// Functions of the prelude on text, sets and keys, written a second time, so that the prelude's versions are tested;
// and scatters, which the prelude's definitions of others use.

namespace evaluator {
namespace {

using nesl::Type;
using Int = std::int32_t;

ValuePtr pair(ValuePtr first, ValuePtr rest) { return make(std::pair(std::move(first), std::move(rest))); }

// ---- Text

ValuePtr changed_case(const ValuePtr& character, char from, char to, Int change) {
  const Int code = std::get<Character>(character->content).code;
  return make(Character{code >= from && code <= to ? code + change : code});
}

std::string lowercase(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return text;
}

ValuePtr padded(std::string text, Int width) {
  const std::size_t room = width < 0 ? 0 - static_cast<std::size_t>(width) : static_cast<std::size_t>(width);
  if (room > 100'000) throw Unsupported("a long string");
  if (text.size() < room) text.insert(width < 0 ? 0 : text.size(), room - text.size(), ' ');
  return make_string(text);
}

/// The pieces between separators, without empty ones.
ValuePtr words(const std::string& text, std::string_view separators) {
  Sequence result;
  std::string word;
  for (const char c : text + separators.front()) {
    if (separators.find(c) == std::string_view::npos) {
      word += c;
    } else if (!word.empty()) {
      result.push_back(make_string(word));
      word.clear();
    }
  }
  return make(std::move(result));
}

ValuePtr lines(const std::string& text) {
  Sequence result;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result.push_back(make_string(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return make(std::move(result));
}

ValuePtr parsed_int(const std::string& text) {
  const bool negative = text.starts_with('-');
  const std::size_t begin = negative || text.starts_with('+') ? 1 : 0;
  std::size_t end = begin;
  std::int64_t value = 0;
  bool fits = true;
  for (; end < text.size() && text[end] >= '0' && text[end] <= '9'; ++end) {
    value = value * 10 + (negative ? '0' - text[end] : text[end] - '0');
    fits = fits && value == static_cast<Int>(value);
    if (!fits) value = 0;
  }
  return pair(make(static_cast<Int>(fits ? value : 0)), make(end == text.size() && end > begin && fits));
}

ValuePtr parsed_float(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) throw Unsupported("text that is no float");
  return pair(make(value), make(true));
}

// ---- Sets and keys

/// Index of the first element that is equal to each.
std::vector<std::size_t> labels(const Sequence& elements) {
  std::vector<std::size_t> result(elements.size());
  for (std::size_t k = 0; k < elements.size(); ++k)
    while (!equal(*elements[result[k]], *elements[k])) ++result[k];
  return result;
}

ValuePtr names(const Sequence& elements) {
  Sequence result;
  for (const std::size_t label : labels(elements)) result.push_back(make(static_cast<Int>(label)));
  return make(std::move(result));
}

ValuePtr without_duplicates(Sequence elements) {
  const std::vector<std::size_t> label = labels(elements);
  Sequence result;
  for (std::size_t k = 0; k < elements.size(); ++k)
    if (label[k] == k) result.push_back(std::move(elements[k]));
  return make(std::move(result));
}

bool contains(const Sequence& elements, const ValuePtr& wanted) {
  return std::any_of(elements.begin(), elements.end(), [&](const ValuePtr& x) { return equal(*x, *wanted); });
}
/// The elements that are, or are not, in the other sequence.
Sequence common(const Sequence& elements, const Sequence& others, bool both) {
  Sequence result;
  for (const ValuePtr& element : elements)
    if (contains(others, element) == both) result.push_back(element);
  return result;
}

Sequence joined(Sequence first, const Sequence& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// The pairs' keys, each with its values in order; the keys in order of first occurrence.
Sequence collected(const Sequence& pairs) {
  Sequence keys, result;
  for (const ValuePtr& p : pairs) keys.push_back(p->first());
  const std::vector<std::size_t> label = labels(keys);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (label[k] != k) continue;
    Sequence values;
    for (std::size_t j = k; j < keys.size(); ++j)
      if (label[j] == k) values.push_back(pairs[j]->rest());
    result.push_back(pair(keys[k], make(std::move(values))));
  }
  return result;
}

ValuePtr by_ascending_keys(Sequence pairs) {
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const ValuePtr& a, const ValuePtr& b) { return a->first()->as_int() < b->first()->as_int(); });
  return make(std::move(pairs));
}

ValuePtr histogram(const Sequence& elements) {
  Sequence pairs, result;
  for (const ValuePtr& element : elements) pairs.push_back(pair(element, element));
  for (const ValuePtr& group : collected(pairs))
    result.push_back(pair(group->first(), make(static_cast<Int>(group->rest()->as_sequence().size()))));
  return make(std::move(result));
}

// ---- Scatters

/// Throws Unsupported if a place is wrong: the generator makes none.
ValuePtr put(const Sequence& values, const Sequence& places, const Sequence* flags, Sequence result) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (flags != nullptr && !(*flags)[k]->as_bool()) continue;
    const auto place = static_cast<std::size_t>(places[k]->as_int());
    if (place >= result.size()) throw Unsupported("a scatter to a place out of range");
    result[place] = values[k];
  }
  return make(std::move(result));
}

ValuePtr rep(Sequence result, const ValuePtr& value, Int place) {
  return put({value}, {make(place)}, nullptr, std::move(result));
}

// Shorthand for the table: x the argument.
#define NATIVE(name, ...)                                                                    \
  {                                                                                          \
    name, [](Evaluator&, const ValuePtr& x, const Type&) -> ValuePtr { return __VA_ARGS__; } \
  }

const std::unordered_map<std::string, Native>& natives() {
  static const std::unordered_map<std::string, Native> table = {
      NATIVE("lowercase", changed_case(x, 'A', 'Z', 32)),
      NATIVE("uppercase", changed_case(x, 'a', 'z', -32)),
      NATIVE("string_eql", make(lowercase(string_of(*x->first())) == lowercase(string_of(*x->rest())))),
      NATIVE("int_string", make_string(std::to_string(x->as_int()))),
      NATIVE("||", padded(string_of(*x->first()), x->rest()->as_int())),
      NATIVE("wordify", words(string_of(*x), " \t\n")),
      NATIVE("linify", lines(string_of(*x))),
      NATIVE("parse_int", parsed_int(string_of(*x))),
      NATIVE("parse_float", parsed_float(string_of(*x))),
      NATIVE("name", names(x->as_sequence())),
      NATIVE("unique", without_duplicates(x->as_sequence())),
      NATIVE("union", without_duplicates(joined(x->first()->as_sequence(), x->rest()->as_sequence()))),
      NATIVE("intersection", without_duplicates(common(x->first()->as_sequence(), x->rest()->as_sequence(), true))),
      NATIVE("set_difference", make(common(x->first()->as_sequence(), x->rest()->as_sequence(), false))),
      NATIVE("collect", make(collected(x->as_sequence()))),
      NATIVE("int_collect", by_ascending_keys(collected(x->as_sequence()))),
      NATIVE("histogram", histogram(x->as_sequence())),
      NATIVE("put", put(x->first()->as_sequence(), x->rest()->first()->as_sequence(), nullptr,
                        x->rest()->rest()->as_sequence())),
      NATIVE("cond_put", put(x->first()->as_sequence(), x->rest()->first()->as_sequence(),
                             &x->rest()->rest()->first()->as_sequence(), x->rest()->rest()->rest()->as_sequence())),
      NATIVE("rep", rep(x->first()->as_sequence(), x->rest()->first(), x->rest()->rest()->as_int())),
  };
  return table;
}

#undef NATIVE

}  // namespace

Native find_library_native(const std::string& name) {
  const auto found = natives().find(name);
  return found == natives().end() ? nullptr : found->second;
}

}  // namespace evaluator
