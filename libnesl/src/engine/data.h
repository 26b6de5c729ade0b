#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine.h"

namespace nesl_c {

/// A value: what nesl::ValueShape says is on the stack for it.
struct Data {
  nesl::ValueShape shape;
  std::vector<runtime::Value> entries;
};

/// The shape without the names of datatypes.
nesl::ValueShape bare(const nesl::ValueShape& shape);
/// The contents of a value of a datatype, and of datatypes in it; any other shape itself.
const nesl::ValueShape& contents(const nesl::ValueShape& shape);

/// Throws Failed for types nested deeper than callers are promised, on whose stacks shapes are compared and copied.
void require_shallow(const nesl::ValueShape& shape);
/// Throws Failed unless a tuple may have so many parts.
void require_parts(std::size_t count);

// All of these throw Failed: NESL_ERROR_ARGUMENT for what is wrong with their arguments, NESL_ERROR_RESOURCE if memory
// runs out.

/// Elements that the caller lends.
struct Lent {
  void (*release)(void*);
  void* owner;
};

/// A sequence of scalars. If they are lent, and not used where they are, `release` is called.
Data make_array(Engine& engine, nesl_element element, const void* data, std::size_t length, std::optional<Lent> lent);
Data make_int(Engine& engine, std::int64_t number);
Data make_float(Engine& engine, double number);
Data make_bool(bool truth);
Data make_char(Engine& engine, unsigned char character);

/// The sequence of the parts of a sequence, which has `length` + 1 offsets.
Data nest(Engine& engine, const Data& elements, const std::int64_t* offsets, std::size_t length);
/// Of as many parts as require_parts() allows, and so the next.
Data tuple_of(std::span<const Data* const> parts);
/// A sequence of tuples from sequences.
Data zip(std::span<const Data* const> parts);
/// The same value as one of a type with the same contents.
Data retyped(const Data& data, nesl::ValueShape shape);

/// The parts of a tuple, or of each tuple in a sequence; 0 if it is something else.
std::size_t part_count(const Data& data);
Data part(const Data& data, std::size_t number);
/// The elements of all parts of a sequence of sequences.
Data elements_of(const Data& data);

}  // namespace nesl_c
