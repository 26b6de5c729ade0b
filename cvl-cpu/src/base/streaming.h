#pragma once

#include <cstdint>

#include "cvl/backend.h"

namespace cvl::cpu {

/// Bytes from which on a vector that is written is not expected in the cache when it is read, on this machine.
std::int64_t stream_bytes();

/// Whether to write a result by non-temporal stores, past the cache: a long one that begins with a cache line, as whole
/// vectors do.
bool stream_result(const Result& result);

}  // namespace cvl::cpu
