#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data.h"

namespace nesl_c {

/// The elements of a value as an array.
struct Elements {
  const void* data = nullptr;
  std::size_t length = 0;
  std::unique_ptr<std::byte[]> converted = {};  ///< owner of `data`; null if that belongs to the value
};

// All functions below throw Failed, like those of data.h.

/// The elements of a sequence of scalars; in a session of several ranks, those of this rank. Valid as long as the
/// value.
Elements read_elements(Engine& engine, const Data& data, nesl_element element);
/// The offsets of a sequence of sequences: one more than there are inner sequences.
std::vector<std::int64_t> read_offsets(Engine& engine, const Data& data);

std::int64_t read_int(Engine& engine, const Data& data);
double read_float(Engine& engine, const Data& data);
bool read_bool(Engine& engine, const Data& data);
unsigned char read_char(Engine& engine, const Data& data);

}  // namespace nesl_c
