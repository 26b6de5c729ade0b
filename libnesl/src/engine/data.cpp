#include "data.h"

#include <algorithm>

#include <fmt/format.h>

#include "rank_parts.h"

namespace nesl_c {

using Kind = nesl::ValueShape::Kind;
using nesl::ValueShape;
using runtime::Value;

namespace {

// Deepest nesting of types; a scalar is one level.
constexpr std::size_t kDeepestShape = 1000;

[[noreturn]] void refuse_depth() {
  refuse(fmt::format("types nested more than {} levels deep cannot be used from outside of NESL", kDeepestShape));
}

/// The nesting depth of a shape, counted up to `most` + 1.
std::size_t depth_of(const ValueShape& shape, std::size_t most) {
  if (most == 0) return 1;
  std::size_t deepest = 0;
  for (const ValueShape& part : shape.parts) {
    deepest = std::max(deepest, depth_of(part, most - 1));
    if (deepest == most) break;
  }
  return deepest + 1;
}

/// Throws Failed if a shape is too deep inside of `levels_around` further levels.
void require_depth(const ValueShape& shape, std::size_t levels_around) {
  if (levels_around >= kDeepestShape || depth_of(shape, kDeepestShape - levels_around) > kDeepestShape - levels_around)
    refuse_depth();
}

// The parts are moved; an initializer list would copy them.
ValueShape pair_of(ValueShape first, ValueShape rest) {
  ValueShape pair{.kind = Kind::kPair};
  pair.parts.reserve(2);
  pair.parts.push_back(std::move(first));
  pair.parts.push_back(std::move(rest));
  return pair;
}

ValueShape sequence_of(ValueShape element) {
  ValueShape sequence{.kind = Kind::kSequence};
  sequence.parts.push_back(std::move(element));
  return sequence;
}

/// The shape of a tuple whose part k has shape(k): pairs nest to the right.
template <class Shape>
ValueShape tuple_shape(std::size_t count, Shape&& shape) {
  ValueShape tuple = shape(count - 1);
  for (std::size_t k = count - 1; k-- > 0;) tuple = pair_of(shape(k), std::move(tuple));
  return tuple;
}

void require_sequence(const Data& data, const char* what) {
  if (contents(data.shape).kind != Kind::kSequence)
    refuse(fmt::format("{} must be a sequence, but is of type {}", what, nesl::type_text(data.shape)));
}

/// Throws Failed if the shapes shape(k) are too deep for parts of a tuple inside of `levels_around` further levels.
/// Pairs nest to the right.
template <class Shape>
void require_tuple(std::size_t count, Shape&& shape, std::size_t levels_around) {
  for (std::size_t k = 0; k < count; ++k) require_depth(shape(k), levels_around + std::min(k + 1, count - 1));
}

}  // namespace

void require_shallow(const ValueShape& shape) { require_depth(shape, 0); }

void require_parts(std::size_t count) {
  if (count < 2) refuse(fmt::format("a tuple has two parts or more, not {}", count));
  if (count > kDeepestShape) refuse_depth();
}

void require_nested(const Data& data) {
  const ValueShape& sequence = contents(data.shape);
  if (sequence.kind != Kind::kSequence || contents(sequence.parts[0]).kind != Kind::kSequence)
    refuse(fmt::format("a value of type {} is no sequence of sequences", nesl::type_text(data.shape)));
}

ValueShape bare(const ValueShape& shape) {
  const ValueShape& inner = contents(shape);
  ValueShape result{.kind = inner.kind};
  for (const ValueShape& part : inner.parts) result.parts.push_back(bare(part));
  return result;
}

const ValueShape& contents(const ValueShape& shape) {
  const ValueShape* inner = &shape;
  while (inner->kind == Kind::kData) inner = inner->parts.data();
  return *inner;
}

// --- nesting ----------------------------------------------------------------------------------------------------

namespace {

/// Throws Failed unless the offsets divide `elements` elements into parts of at most `longest` elements.
void check_offsets(const std::int64_t* offsets, std::size_t length, std::int64_t elements, std::int64_t longest) {
  // Right offsets take a loop without branches. Differences that overflow are negative or too long as well.
  bool is_wrong = offsets[0] != 0 || offsets[length] != elements;
  for (std::size_t k = 1; k <= length; ++k)
    is_wrong |= offsets[k] < offsets[k - 1] ||
                static_cast<std::uint64_t>(offsets[k]) - static_cast<std::uint64_t>(offsets[k - 1]) >
                    static_cast<std::uint64_t>(longest);
  if (!is_wrong) return;
  if (offsets[0] != 0) refuse(fmt::format("offsets[0] must be 0, but is {}", offsets[0]));
  for (std::size_t k = 1; k <= length; ++k) {
    if (offsets[k] < offsets[k - 1])
      refuse(
          fmt::format("offsets[{}] is {}, less than offsets[{}], which is {}", k, offsets[k], k - 1, offsets[k - 1]));
    if (offsets[k] > elements)
      refuse(fmt::format("offsets[{}] is {}, but there are {} elements", k, offsets[k], elements));
    if (offsets[k] - offsets[k - 1] > longest)
      refuse(fmt::format("part {} has {} elements, which an int of the session cannot count", k - 1,
                         offsets[k] - offsets[k - 1]));
  }
  if (offsets[length] != elements)
    refuse(fmt::format("the last offset must be the number of elements, {}, but is {}", elements, offsets[length]));
}

}  // namespace

Data nest(Engine& engine, const Data& elements, const std::int64_t* offsets, std::size_t length) {
  require_sequence(elements, "what is nested");
  require_depth(elements.shape, 1);
  const bool wide = engine.evaluator().widths().int_type == vcode::ElemType::kI64;
  const std::int64_t longest = wide ? INT64_MAX : INT32_MAX, all = elements.entries[0].elements();
  Value count, lengths;
  if (engine.job() == nullptr) {
    check_offsets(offsets, length, all, longest);
    count = Value::single_segment(static_cast<std::int64_t>(length));
    lengths = make_lengths(engine, offsets, length);
  } else {
    if (!has_parts(contents(elements.shape).parts[0]))
      refuse(
          "ranks have no parts of sequences of strings or of nested sequences: pass numbers, or sequences of numbers");
    check_on_all(engine, [&] { check_offsets(offsets, length, offsets[length], longest); });
    if (const std::int64_t sum = sum_of_ranks(engine, offsets[length]); sum != all)
      refuse(fmt::format("the last offsets of all ranks add up to {}, but there are {} elements", sum, all));
    std::vector<std::int64_t> of_rank(length);
    for (std::size_t k = 0; k < length; ++k) of_rank[k] = offsets[k + 1] - offsets[k];
    Data counted = make_array(engine, NESL_INT64, of_rank.data(), length, std::nullopt);
    count = std::move(counted.entries[0]);
    lengths = std::move(counted.entries[1]);
  }
  Value segdes = engine.evaluator().make_segdes(std::move(lengths));
  if (segdes.tag() == Value::Tag::kNone) engine.fail_evaluation();
  Data nested{sequence_of(elements.shape), {std::move(count), std::move(segdes)}};
  nested.entries.insert(nested.entries.end(), elements.entries.begin() + 1, elements.entries.end());
  return nested;
}

Data nest_like(const Data& elements, const Data& like) {
  require_sequence(elements, "what is nested");
  require_depth(elements.shape, 1);
  require_nested(like);
  if (elements.entries[0].elements() != like.entries[1].elements())
    refuse(fmt::format("{} elements cannot be divided like {}", elements.entries[0].elements(),
                       like.entries[1].elements()));
  Data nested{sequence_of(elements.shape), {like.entries[0], like.entries[1]}};
  nested.entries.insert(nested.entries.end(), elements.entries.begin() + 1, elements.entries.end());
  return nested;
}

Data elements_of(const Data& data) {
  require_nested(data);
  Data flat{contents(contents(data.shape).parts[0]), {Value::single_segment(data.entries[1].elements())}, true};
  flat.entries.insert(flat.entries.end(), data.entries.begin() + 2, data.entries.end());
  return flat;
}

// --- tuples -----------------------------------------------------------------------------------------------------

Data tuple_of(std::span<const Data* const> parts) {
  const auto shape = [&](std::size_t k) -> const ValueShape& { return parts[k]->shape; };
  require_tuple(parts.size(), shape, 0);
  Data tuple{tuple_shape(parts.size(), shape), {}};
  for (const Data* part : parts) tuple.entries.insert(tuple.entries.end(), part->entries.begin(), part->entries.end());
  return tuple;
}

Data zip(std::span<const Data* const> parts) {
  for (const Data* part : parts) {
    require_sequence(*part, "what is zipped");
    if (part->entries[0].elements() != parts[0]->entries[0].elements())
      refuse(fmt::format("sequences of {} and of {} elements cannot be zipped", parts[0]->entries[0].elements(),
                         part->entries[0].elements()));
  }
  const auto shape = [&](std::size_t k) -> const ValueShape& { return contents(parts[k]->shape).parts[0]; };
  require_tuple(parts.size(), shape, 1);
  Data zipped{sequence_of(tuple_shape(parts.size(), shape)), {parts[0]->entries[0]}};
  for (const Data* part : parts)
    zipped.entries.insert(zipped.entries.end(), part->entries.begin() + 1, part->entries.end());
  return zipped;
}

Data retyped(const Data& data, ValueShape shape) {
  if (bare(data.shape) != bare(shape))
    refuse(fmt::format("a value of type {} cannot be one of type {}: their contents differ",
                       nesl::type_text(data.shape), nesl::type_text(shape)));
  return {std::move(shape), data.entries};
}

namespace {

/// The shape with the parts of a tuple or record, or of each element of a sequence: nested pairs, or a single part.
/// Null if there are no parts.
const ValueShape* parts_in(const Data& data) {
  const ValueShape* const whole = data.shape.kind == Kind::kSequence ? data.shape.parts.data() : &data.shape;
  if (whole->kind == Kind::kData) return whole->parts.data();
  return whole->kind == Kind::kPair ? whole : nullptr;
}

}  // namespace

std::size_t part_count(const Data& data) {
  std::size_t count = 0;
  const ValueShape* rest = parts_in(data);
  if (rest == nullptr) return 0;
  for (; rest->kind == Kind::kPair; rest = &rest->parts[1]) ++count;
  return count + 1;
}

Data part(const Data& data, std::size_t number) {
  const ValueShape* rest = parts_in(data);
  const std::size_t parts = part_count(data);
  if (rest == nullptr) refuse(fmt::format("a value of type {} has no parts", nesl::type_text(data.shape)));
  if (number >= parts)
    refuse(fmt::format("there is no part {}: a value of type {} has {}", number, nesl::type_text(data.shape), parts));
  const bool in_sequence = data.shape.kind == Kind::kSequence;
  auto first = data.entries.begin() + (in_sequence ? 1 : 0);
  for (std::size_t k = 0; k < number; ++k) {
    first += static_cast<std::ptrdiff_t>(nesl::entry_count(rest->parts[0]));
    rest = &rest->parts[1];
  }
  const ValueShape& shape = number + 1 < parts ? rest->parts[0] : *rest;
  Data found{in_sequence ? sequence_of(shape) : shape, {}, data.is_of_whole};
  if (in_sequence) found.is_of_whole = data.is_of_whole || !has_parts(data.shape.parts[0]);
  if (in_sequence) found.entries.push_back(data.entries[0]);
  found.entries.insert(found.entries.end(), first, first + static_cast<std::ptrdiff_t>(nesl::entry_count(shape)));
  return found;
}

}  // namespace nesl_c
