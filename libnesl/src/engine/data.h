#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine.h"

namespace nesl_c {

/// A value as the stack entries that nesl::ValueShape describes.
struct Data {
  nesl::ValueShape shape;
  std::vector<runtime::Value> entries;
  /// Whether the value is a part of one that is whole on every rank (rank_parts.h), so that the part is whole, too.
  bool is_of_whole = false;
};

/// The shape without the names of datatypes.
nesl::ValueShape bare(const nesl::ValueShape& shape);
/// The contents of a datatype, of a datatype in a datatype and so on; any other shape is returned unchanged.
const nesl::ValueShape& contents(const nesl::ValueShape& shape);

/// Throws Failed for types nested beyond the documented depth: shapes are compared and copied recursively, on the stack
/// of the caller.
void require_shallow(const nesl::ValueShape& shape);
/// Throws Failed if a value is no sequence of sequences.
void require_nested(const Data& data);
/// Throws Failed if a tuple cannot have `count` parts.
void require_parts(std::size_t count);

// All functions below throw Failed: NESL_ERROR_ARGUMENT for invalid arguments, NESL_ERROR_RESOURCE if memory runs out.

/// Owner of elements that the caller lends; see nesl_borrow().
struct Lent {
  void (*release)(void*);
  void* owner;
};

/// Makes a sequence of scalars. Lent elements are borrowed if possible; otherwise they are copied and `release` is
/// called. In a session of several ranks, the elements of all ranks follow one another, but for characters.
Data make_array(Engine& engine, nesl_element element, const void* data, std::size_t length, std::optional<Lent> lent);
/// As make_array() with lent elements in memory of the device, which have the width of the session.
Data make_array_on_device(Engine& engine, nesl_element element, const void* data, std::size_t length, const Lent& lent);
/// The vector of the lengths of `length` parts, by `length` + 1 offsets.
runtime::Value make_lengths(Engine& engine, const std::int64_t* offsets, std::size_t length);
Data make_int(Engine& engine, std::int64_t number);
Data make_float(Engine& engine, double number);
Data make_bool(bool truth);
Data make_char(Engine& engine, unsigned char character);

/// Divides a sequence into `length` sequences, by `length` + 1 offsets; in a session of several ranks, this rank's part
/// of the sequence.
Data nest(Engine& engine, const Data& elements, const std::int64_t* offsets, std::size_t length);
/// Divides a sequence as another one is divided, which has as many elements in its sequences. They share the
/// descriptor.
Data nest_like(const Data& elements, const Data& like);
/// Makes a tuple. require_parts() must allow the number of parts.
Data tuple_of(std::span<const Data* const> parts);
/// Makes a sequence of tuples from sequences. require_parts() must allow the number of parts.
Data zip(std::span<const Data* const> parts);
/// The value converted to a type with the same contents.
Data retyped(const Data& data, nesl::ValueShape shape);

/// Number of parts of a tuple, or of each tuple of a sequence; 0 for other values.
std::size_t part_count(const Data& data);
Data part(const Data& data, std::size_t number);
/// The concatenated inner sequences of a sequence of sequences.
Data elements_of(const Data& data);

}  // namespace nesl_c
