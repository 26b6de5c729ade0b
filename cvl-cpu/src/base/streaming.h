#pragma once

#include "cvl/backend.h"

namespace cvl::cpu {

/// Whether to write a result by non-temporal stores, past the cache.
bool stream_result(const Result& result);

}  // namespace cvl::cpu
