#include "reading.h"

#include <cstring>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "base/check.h"
#include "cvl/dispatch.h"
#include "cvl/integer_at.h"
#include "rank_parts.h"

namespace nesl_c {

using nesl::ValueShape;
using runtime::Value;
using vcode::ElemType;

namespace {

/// The elements of a vector, copied to the host if need be.
cvl::Operand on_host(Engine& engine, const Value& vector) {
  runtime::Evaluator& evaluator = engine.evaluator();
  const void* data = evaluator.heap().host_data(vector);
  if (data == nullptr && vector.length() > 0) throw Failed(NESL_ERROR_RESOURCE, evaluator.memory_failure("reading"));
  return {vector.type(), vector.length(), data};
}

/// The kind of scalars that an array element type stands for, and the element type with the same representation.
struct Wanted {
  ValueShape::Kind kind;
  ElemType type;
  const char* name;
};

Wanted wanted(nesl_element element) {
  switch (element) {
    case NESL_INT32:
      return {ValueShape::Kind::kInt, ElemType::kI32, "NESL_INT32"};
    case NESL_INT64:
      return {ValueShape::Kind::kInt, ElemType::kI64, "NESL_INT64"};
    case NESL_FLOAT32:
      return {ValueShape::Kind::kFloat, ElemType::kF32, "NESL_FLOAT32"};
    case NESL_FLOAT64:
      return {ValueShape::Kind::kFloat, ElemType::kF64, "NESL_FLOAT64"};
    case NESL_BOOL8:
      return {ValueShape::Kind::kBool, ElemType::kB8, "NESL_BOOL8"};
    case NESL_CHAR8:
      return {ValueShape::Kind::kChar, ElemType::kU8, "NESL_CHAR8"};
  }
  refuse(fmt::format("{} is no kind of elements", static_cast<int>(element)));
}

/// Converts numbers to another type. Throws Failed for an int that does not fit.
template <class To, class From>
void convert(const From* from, std::size_t length, To* to) {
  for (std::size_t k = 0; k < length; ++k) {
    if constexpr (std::is_integral_v<To> && sizeof(To) < sizeof(From))
      if (from[k] < std::numeric_limits<To>::min() || from[k] > std::numeric_limits<To>::max())
        refuse(fmt::format("element {} is {}, which does not fit in {} bits", k, from[k], 8 * sizeof(To)));
    to[k] = static_cast<To>(from[k]);
  }
}

template <class To>
std::unique_ptr<std::byte[]> converted_ints(const cvl::Operand& from) {
  const auto length = static_cast<std::size_t>(from.length);
  auto bytes = std::make_unique<std::byte[]>(length * sizeof(To));
  cvl::with_int(from.type, [&]<class From>() {
    convert(static_cast<const From*>(from.data), length, reinterpret_cast<To*>(bytes.get()));
  });
  return bytes;
}

std::unique_ptr<std::byte[]> converted(const cvl::Operand& from, nesl_element element) {
  const auto length = static_cast<std::size_t>(from.length);
  switch (element) {
    case NESL_INT32:
      return converted_ints<std::int32_t>(from);
    case NESL_INT64:
      return converted_ints<std::int64_t>(from);
    case NESL_FLOAT32: {
      auto bytes = std::make_unique<std::byte[]>(length * sizeof(float));
      convert(static_cast<const double*>(from.data), length, reinterpret_cast<float*>(bytes.get()));
      return bytes;
    }
    case NESL_FLOAT64: {
      auto bytes = std::make_unique<std::byte[]>(length * sizeof(double));
      convert(static_cast<const float*>(from.data), length, reinterpret_cast<double*>(bytes.get()));
      return bytes;
    }
    case NESL_BOOL8:
    case NESL_CHAR8:
      break;
  }
  VC_CHECK(!"elements that are no bytes");
  return nullptr;
}

/// The entry of a scalar of a kind. Throws Failed for other values.
const Value& scalar(const Data& data, ValueShape::Kind kind, const char* name) {
  if (contents(data.shape).kind != kind)
    refuse(fmt::format("a value of type {} is no {}", nesl::type_text(data.shape), name));
  return data.entries[0];
}

/// The scalars that `element` stands for. Throws Failed unless the data are a sequence of such scalars.
Wanted wanted_of(const Data& data, nesl_element element) {
  const Wanted as = wanted(element);
  const ValueShape& sequence = contents(data.shape);
  if (sequence.kind != ValueShape::Kind::kSequence || contents(sequence.parts[0]).kind != as.kind)
    refuse(fmt::format("a value of type {} has no elements of the kind {}", nesl::type_text(data.shape), as.name));
  return as;
}

/// A vector with the scalar as its element.
Value vector_of(Engine& engine, const Value& scalar) {
  runtime::Heap& heap = engine.evaluator().heap();
  runtime::VectorObject* const vector = heap.make_vector(scalar.type(), 1);
  if (vector == nullptr) throw Failed(NESL_ERROR_RESOURCE, engine.evaluator().memory_failure("reading"));
  std::memcpy(vector->host, scalar.scalar_data(), vcode::elem_size(scalar.type()));
  return Value::adopt(vector);
}

}  // namespace

Elements read_elements(Engine& engine, const Data& data, nesl_element element) {
  const Wanted as = wanted_of(data, element);
  Elements elements;
  cvl::Operand from;
  RankPart part;  // outlives the conversion
  if (engine.job() != nullptr && !data.is_of_whole && has_parts(contents(data.shape).parts[0])) {
    part = part_of_rank(engine, data.entries[1]);
    from = {data.entries[1].type(), part.length, part.elements.get()};
    if (from.type == as.type) elements.converted = std::move(part.elements);
  } else {
    from = on_host(engine, data.entries[1]);
  }
  elements.data = from.data;
  elements.length = static_cast<std::size_t>(from.length);
  if (from.type == as.type) return elements;
  elements.converted = converted(from, element);
  elements.data = elements.converted.get();
  return elements;
}

ElementsOnDevice read_on_device(Engine& engine, const Data& data, nesl_element element) {
  const Wanted as = wanted_of(data, element);
  (void)engine.shared_device();
  const Value& elements = data.entries[1];
  if (elements.type() != as.type) refuse("elements in memory of a device have the width of the session's");
  runtime::Evaluator& evaluator = engine.evaluator();
  ElementsOnDevice found{elements.is_scalar() ? vector_of(engine, elements) : elements, element};
  found.length = static_cast<std::size_t>(elements.length());
  found.data = evaluator.heap().device_data(found.vector);
  if (found.data == nullptr && found.length > 0) throw Failed(NESL_ERROR_RESOURCE, evaluator.memory_failure("reading"));
  if (!evaluator.settle()) engine.fail_evaluation();
  return found;
}

Offsets read_offsets(Engine& engine, const Data& data) {
  require_nested(data);
  const Value& parts = data.entries[1];
  const auto length = static_cast<std::size_t>(parts.segments());
  if (parts.tag() == Value::Tag::kSegdes && parts.segdes()->offsets.tag() != Value::Tag::kNone)
    return {static_cast<const std::int64_t*>(on_host(engine, parts.segdes()->offsets).data), length};
  auto offsets = std::make_unique_for_overwrite<std::int64_t[]>(length + 1);
  offsets[0] = 0;
  const std::int64_t* const begin = offsets.get();
  if (parts.tag() == Value::Tag::kSingle) {
    offsets[1] = parts.elements();
    return {begin, length, std::move(offsets)};
  }
  const Value lengths = engine.evaluator().lengths_of(parts);
  if (lengths.tag() == Value::Tag::kNone) engine.fail_evaluation();
  const cvl::Operand from = on_host(engine, lengths);
  cvl::with_int(from.type, [&]<class Int>() {
    const auto* const of = static_cast<const Int*>(from.data);
    for (std::size_t k = 0; k < length; ++k) offsets[k + 1] = offsets[k] + of[k];
  });
  return {begin, length, std::move(offsets)};
}

std::int64_t read_int(Engine& engine, const Data& data) {
  return cvl::integer_at(on_host(engine, scalar(data, ValueShape::Kind::kInt, "int")), 0);
}

double read_float(Engine& engine, const Data& data) {
  const cvl::Operand from = on_host(engine, scalar(data, ValueShape::Kind::kFloat, "float"));
  if (from.type == ElemType::kF64) return *static_cast<const double*>(from.data);
  return static_cast<double>(*static_cast<const float*>(from.data));
}

bool read_bool(Engine& engine, const Data& data) {
  return *static_cast<const bool*>(on_host(engine, scalar(data, ValueShape::Kind::kBool, "bool")).data);
}

unsigned char read_char(Engine& engine, const Data& data) {
  return *static_cast<const unsigned char*>(on_host(engine, scalar(data, ValueShape::Kind::kChar, "char")).data);
}

}  // namespace nesl_c
