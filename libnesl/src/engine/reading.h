#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data.h"

namespace nesl_c {

/// Elements of a value as an array of the caller's choice.
struct Elements {
  const void* data = nullptr;
  std::size_t length = 0;
  std::unique_ptr<std::byte[]> converted = {};  ///< where `data` is if it is not that of the value itself
};

// All throw Failed, as the functions of data.h.

/// The elements of a sequence of scalars, as long as the value lives.
Elements read_elements(Engine& engine, const Data& data, nesl_element element);
/// The offsets of a sequence of sequences, one more than it has parts.
std::vector<std::int64_t> read_offsets(Engine& engine, const Data& data);

std::int64_t read_int(Engine& engine, const Data& data);
double read_float(Engine& engine, const Data& data);
bool read_bool(Engine& engine, const Data& data);
unsigned char read_char(Engine& engine, const Data& data);

}  // namespace nesl_c
