#pragma once

#include "cvl/backend.h"

namespace cvl::cpu {

/// Whether to write a result by non-temporal stores, past the cache: a long one that begins with a cache line, as whole
/// vectors do.
bool stream_result(const Result& result);

}  // namespace cvl::cpu
