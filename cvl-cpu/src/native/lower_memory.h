#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "native/llvm_text.h"

namespace cvl::cpu {

// Elements in memory, as many as the text has lanes, stored as vectors of backends are.

/// The address of an element.
std::string element_address(LlvmText& text, ElemType type, const std::string& vector, std::string_view element);

/// Appends a load; with `mask`, unless it is empty, of these lanes only: others are ones.
LaneValue lower_load(LlvmText& text, ElemType type, const std::string& address, const std::string& mask);

/// Appends a store; with `mask`, unless it is empty, of these lanes only.
void lower_store(LlvmText& text, const LaneValue& value, const std::string& address, const std::string& mask);

/// Appends a store of numbers past the cache where the i1 `past` is true, to a multiple of what is stored; else as
/// ever.
void lower_stream_or_store(LlvmText& text, const LaneValue& value, const std::string& address, const std::string& past);

/// Has the processor load the lines that are `distance` bytes behind the elements.
void fetch_ahead(LlvmText& text, ElemType type, const std::string& address, std::int64_t distance);

}  // namespace cvl::cpu
