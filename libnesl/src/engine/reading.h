#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "data.h"

namespace nesl_c {

/// The elements of a value as an array.
struct Elements {
  const void* data = nullptr;
  std::size_t length = 0;
  std::unique_ptr<std::byte[]> converted = {};  ///< owner of `data`; null if that belongs to the value
};

/// The offsets of a sequence of `length` sequences: one more than these.
struct Offsets {
  const std::int64_t* data = nullptr;
  std::size_t length = 0;
  std::unique_ptr<std::int64_t[]> made = {};  ///< owner of `data`; null if that belongs to the value
};

// All functions below throw Failed, like those of data.h.

/// The elements of a sequence of scalars; in a session of several ranks, those of this rank. Valid as long as the
/// value.
Elements read_elements(Engine& engine, const Data& data, nesl_element element);
/// The elements of a sequence of scalars in memory of the device, complete for all users of the device, and the vector
/// that has them. They are not converted.
struct ElementsOnDevice {
  runtime::Value vector;
  nesl_element element = NESL_INT64;
  const void* data = nullptr;
  std::size_t length = 0;
};
ElementsOnDevice read_on_device(Engine& engine, const Data& data, nesl_element element);
/// The offsets of a sequence of sequences. Valid as long as the value.
Offsets read_offsets(Engine& engine, const Data& data);

std::int64_t read_int(Engine& engine, const Data& data);
double read_float(Engine& engine, const Data& data);
bool read_bool(Engine& engine, const Data& data);
unsigned char read_char(Engine& engine, const Data& data);

}  // namespace nesl_c
