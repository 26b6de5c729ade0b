#pragma once

#include <nlohmann/json.hpp>

#include "cvl/backend.h"
#include "options.h"

namespace bench::cuda {

using Json = nlohmann::ordered_json;

/// Times of issuing an operation and of reading a value back, by the library and by CUDA alone.
Json measure_latency(cvl::Backend& backend, const Options& options);

/// Runs the NESL programs in vinterp, and their hand-written peers, until the time is used up.
Json measure_programs(const Options& options);

/// Measures every class of operations in every size, shape and type, until the time is used up. copy_bandwidth: 0 if
/// unknown.
Json measure_classes(cvl::Backend& backend, const Options& options, double copy_bandwidth);

/// Measures reductions, scans and ranks over segments of equal and of skewed lengths, beside CUB's, until the time is
/// used up. copy_bandwidth: 0 if unknown.
Json measure_skew(cvl::Backend& backend, const Options& options, double copy_bandwidth);

/// Prints the results as tables.
void print_tables(const Json& results);

}  // namespace bench::cuda
