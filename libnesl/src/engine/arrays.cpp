// Vectors of the run time from the caller's arrays and numbers.

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "base/check.h"
#include "cvl/dispatch.h"
#include "data.h"
#include "rank_parts.h"

namespace nesl_c {

using nesl::ValueShape;
using runtime::Value;
using vcode::ElemType;

namespace {

/// The type of array elements in NESL and in the run time.
struct ElementType {
  ValueShape::Kind kind;
  ElemType type;         ///< element type of the vector in this session
  bool is_same = false;  ///< array and vector have the same representation
};

ElementType element_type(nesl_element element, vcode::Widths widths) {
  switch (element) {
    case NESL_INT32:
      return {ValueShape::Kind::kInt, widths.int_type, widths.int_type == ElemType::kI32};
    case NESL_INT64:
      return {ValueShape::Kind::kInt, widths.int_type, widths.int_type == ElemType::kI64};
    case NESL_FLOAT32:
      return {ValueShape::Kind::kFloat, widths.float_type, widths.float_type == ElemType::kF32};
    case NESL_FLOAT64:
      return {ValueShape::Kind::kFloat, widths.float_type, widths.float_type == ElemType::kF64};
    case NESL_BOOL8:
      return {ValueShape::Kind::kBool, ElemType::kB8, true};
    case NESL_CHAR8:
      return {ValueShape::Kind::kChar, ElemType::kU8, true};
  }
  refuse(fmt::format("{} is no kind of elements", static_cast<int>(element)));
}

/// Size of an array element in bytes.
std::size_t bytes_of(nesl_element element) {
  switch (element) {
    case NESL_INT32:
    case NESL_FLOAT32:
      return 4;
    case NESL_INT64:
    case NESL_FLOAT64:
      return 8;
    case NESL_BOOL8:
    case NESL_CHAR8:
      break;
  }
  return 1;
}

/// Converts a number to an int of the session. Throws Failed if it does not fit.
template <class Int, class From>
Int checked(From number, std::size_t location) {
  if constexpr (sizeof(From) > sizeof(Int))
    if (number < std::numeric_limits<Int>::min() || number > std::numeric_limits<Int>::max())
      refuse(fmt::format("element {} is {}, which does not fit in an int of 32 bits: open the session with int_bits 64",
                         location, number));
  return static_cast<Int>(number);
}

/// Element k of an array, which need not be aligned.
template <class T>
T element_at(const void* array, std::size_t k) {
  T element;
  std::memcpy(&element, static_cast<const std::byte*>(array) + k * sizeof(T), sizeof(T));
  return element;
}

template <class From>
void convert_ints(const void* from, std::size_t length, void* to, ElemType type) {
  cvl::with_int(type, [&]<class Int>() {
    for (std::size_t k = 0; k < length; ++k) static_cast<Int*>(to)[k] = checked<Int>(element_at<From>(from, k), k);
  });
}

template <class From, class To>
void convert_floats(const void* from, std::size_t length, void* to) {
  for (std::size_t k = 0; k < length; ++k) static_cast<To*>(to)[k] = static_cast<To>(element_at<From>(from, k));
}

template <class From>
void convert_floats(const void* from, std::size_t length, void* to, ElemType type) {
  if (type == ElemType::kF32)
    convert_floats<From, float>(from, length, to);
  else
    convert_floats<From, double>(from, length, to);
}

void convert(nesl_element element, const void* from, std::size_t length, void* to, ElemType type) {
  switch (element) {
    case NESL_INT32:
      return convert_ints<std::int32_t>(from, length, to, type);
    case NESL_INT64:
      return convert_ints<std::int64_t>(from, length, to, type);
    case NESL_FLOAT32:
      return convert_floats<float>(from, length, to, type);
    case NESL_FLOAT64:
      return convert_floats<double>(from, length, to, type);
    case NESL_BOOL8: {
      const auto* bytes = static_cast<const std::uint8_t*>(from);
      std::transform(bytes, bytes + length, static_cast<bool*>(to), [](std::uint8_t byte) { return byte != 0; });
      return;
    }
    case NESL_CHAR8:
      std::memcpy(to, from, length);
      return;
  }
}

/// Makes a vector and calls `fill(address)` to set its elements.
template <class Fill>
Value make_vector(Engine& engine, ElemType type, std::size_t length, Fill&& fill) {
  runtime::Evaluator& evaluator = engine.evaluator();
  runtime::Heap& heap = evaluator.heap();
  const auto elements = static_cast<std::int64_t>(length);
  if (length == 1) {
    return cvl::with_type(type, [&]<class T>() {
      // As large as any element: the compiler cannot know that the fill writes elements of this type.
      alignas(std::int64_t) std::byte storage[sizeof(std::int64_t)] = {};
      fill(storage);
      return Value::scalar(element_at<T>(storage, 0));
    });
  }
  const bool on_host = evaluator.makes_on_host(elements);
  runtime::VectorObject* vector = on_host ? heap.make_vector(type, elements) : heap.make_device_vector(type, elements);
  if (vector == nullptr) throw Failed(NESL_ERROR_RESOURCE, evaluator.memory_failure("the array"));
  Value value = Value::adopt(vector);
  if (length == 0) return value;
  if (on_host) {
    fill(vector->host);
  } else {
    std::vector<std::byte> staged(length * vcode::elem_size(type));
    fill(staged.data());
    heap.device().upload(vector->device, staged.data(), staged.size());
  }
  return value;
}

/// Makes a vector that refers to lent elements; kNone if that is impossible.
Value borrow(Engine& engine, nesl_element element, const ElementType& type, const void* data, std::size_t length,
             const Lent& lent) {
  runtime::Heap& heap = engine.evaluator().heap();
  if (!type.is_same || !heap.can_borrow(static_cast<std::int64_t>(length))) return {};
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  if (element == NESL_BOOL8 && std::any_of(bytes, bytes + length, [](std::uint8_t byte) { return byte > 1; }))
    return {};
  if (reinterpret_cast<std::uintptr_t>(data) % vcode::elem_size(type.type) != 0) return {};
  const runtime::Loan loan = engine.loan(lent.release, lent.owner);
  runtime::VectorObject* vector = heap.borrow(type.type, static_cast<std::int64_t>(length), data, loan);
  if (vector != nullptr) return Value::adopt(vector);
  delete static_cast<UserLoan*>(loan.owner);
  throw Failed(NESL_ERROR_RESOURCE, engine.evaluator().memory_failure("the array"));
}

/// The number of bytes of an array. Throws Failed if they do not fit behind `data`.
std::size_t bytes_at(nesl_element element, const void* data, std::size_t length) {
  const std::size_t bytes = bytes_of(element);
  if (length > static_cast<std::size_t>(PTRDIFF_MAX) / bytes ||
      length * bytes > UINTPTR_MAX - reinterpret_cast<std::uintptr_t>(data))
    refuse(fmt::format("memory has no addresses for {} elements of {} bytes at that place", length, bytes));
  return length * bytes;
}

void end_loan(Engine& engine, const Lent& lent) {
  const runtime::Loan loan = engine.loan(lent.release, lent.owner);
  if (loan.give_back != nullptr) loan.give_back(loan.owner);
}

Data sequence(ValueShape::Kind kind, std::size_t length, Value vector) {
  return {{.kind = ValueShape::Kind::kSequence, .parts = {{.kind = kind}}},
          {Value::single_segment(static_cast<std::int64_t>(length)), std::move(vector)}};
}

/// Makes a vector of more than Heap::kInlineLimit elements in memory of the device: lent, or copied there if their
/// alignment is less than that of the backend's own memory.
Value vector_on_device(Engine& engine, ElemType type, const void* data, std::size_t length, const Lent& lent) {
  constexpr std::uintptr_t kAlignment = 64;
  runtime::Heap& heap = engine.evaluator().heap();
  const auto elements = static_cast<std::int64_t>(length);
  if (reinterpret_cast<std::uintptr_t>(data) % kAlignment == 0) {
    const runtime::Loan loan = engine.loan(lent.release, lent.owner);
    if (runtime::VectorObject* vector = heap.borrow_on_device(type, elements, data, loan)) return Value::adopt(vector);
    delete static_cast<UserLoan*>(loan.owner);
  } else if (runtime::VectorObject* vector = heap.make_device_vector(type, elements)) {
    Value copied = Value::adopt(vector);
    engine.shared_device().copy(vector->device, data, length * vcode::elem_size(type));
    end_loan(engine, lent);
    return copied;
  }
  throw Failed(NESL_ERROR_RESOURCE, engine.evaluator().memory_failure("the array"));
}

Data scalar(ValueShape::Kind kind, Value value) { return {{.kind = kind}, {std::move(value)}}; }

}  // namespace

Data make_array(Engine& engine, nesl_element element, const void* data, std::size_t length, std::optional<Lent> lent) {
  const ElementType type = element_type(element, engine.evaluator().widths());
  (void)bytes_at(element, data, length);
  if (engine.job() != nullptr && element == NESL_CHAR8) check_on_all(engine, [] {});
  if (engine.job() != nullptr && element != NESL_CHAR8) {
    std::vector<std::byte> staged(length * vcode::elem_size(type.type));
    check_on_all(engine, [&] { convert(element, data, length, staged.data(), type.type); });
    Value joined = join_parts(engine, type.type, staged.data(), length);
    const runtime::Loan loan = lent ? engine.loan(lent->release, lent->owner) : runtime::Loan();
    if (loan.give_back != nullptr) loan.give_back(loan.owner);
    return {{.kind = ValueShape::Kind::kSequence, .parts = {{.kind = type.kind}}},
            {Value::single_segment(joined.length()), std::move(joined)}};
  }
  Value vector = lent && length > 0 ? borrow(engine, element, type, data, length, *lent) : Value();
  if (vector.tag() == Value::Tag::kNone) {
    vector = make_vector(engine, type.type, length, [&](void* to) { convert(element, data, length, to, type.type); });
    if (lent) end_loan(engine, *lent);
  }
  return sequence(type.kind, length, std::move(vector));
}

Data make_array_on_device(Engine& engine, nesl_element element, const void* data, std::size_t length,
                          const Lent& lent) {
  const ElementType type = element_type(element, engine.evaluator().widths());
  const std::size_t bytes = bytes_at(element, data, length);
  if (!type.is_same) refuse("elements in memory of a device must have the width of the session's");
  if (length > 0 && !engine.shared_device().can_read(data))
    refuse("the address is not in memory of the device of the session");
  if (static_cast<std::int64_t>(length) > runtime::Heap::kInlineLimit)
    return sequence(type.kind, length, vector_on_device(engine, type.type, data, length, lent));
  std::vector<std::byte> copied(bytes);
  if (length > 0) engine.evaluator().heap().device().download(copied.data(), data, bytes);
  return make_array(engine, element, copied.data(), length, lent);
}

Value make_lengths(Engine& engine, const std::int64_t* offsets, std::size_t length) {
  const ElemType type = engine.evaluator().widths().int_type;
  return make_vector(engine, type, length, [&](void* to) {
    cvl::with_int(type, [&]<class Int>() {
      for (std::size_t k = 0; k < length; ++k) static_cast<Int*>(to)[k] = static_cast<Int>(offsets[k + 1] - offsets[k]);
    });
  });
}

Data make_int(Engine& engine, std::int64_t number) {
  if (engine.job() != nullptr) require_same(engine, number, "number");
  if (engine.evaluator().widths().int_type == ElemType::kI64)
    return scalar(ValueShape::Kind::kInt, Value::scalar(number));
  if (number < INT32_MIN || number > INT32_MAX)
    refuse(fmt::format("{} does not fit in an int of 32 bits: open the session with int_bits 64", number));
  return scalar(ValueShape::Kind::kInt, Value::scalar(static_cast<std::int32_t>(number)));
}

Data make_float(Engine& engine, double number) {
  if (engine.job() != nullptr) require_same(engine, std::bit_cast<std::int64_t>(number), "number");
  if (engine.evaluator().widths().float_type == ElemType::kF64)
    return scalar(ValueShape::Kind::kFloat, Value::scalar(number));
  return scalar(ValueShape::Kind::kFloat, Value::scalar(static_cast<float>(number)));
}

Data make_bool(bool truth) { return scalar(ValueShape::Kind::kBool, Value::scalar(truth)); }

Data make_char(Engine& engine, unsigned char character) {
  if (engine.job() != nullptr) require_same(engine, character, "character");
  return scalar(ValueShape::Kind::kChar, Value::scalar(character));
}

}  // namespace nesl_c
