#pragma once

#include <nlohmann/json.hpp>

#include "cvl/backend.h"
#include "options.h"

namespace bench::cuda {

using Json = nlohmann::ordered_json;

/// How long it takes to issue an operation, and to read a value back; and how long CUDA itself needs for both.
Json measure_latency(cvl::Backend& backend, const Options& options);

/// Runs the NESL programs in vinterp, and their hand-written peers, as long as there is time.
Json measure_programs(const Options& options);

/// Every class of operations in every size, shape and type, as long as there is time. copy_bandwidth: 0 if unknown.
Json measure_classes(cvl::Backend& backend, const Options& options, double copy_bandwidth);

/// Prints the results as tables.
void print_tables(const Json& results);

}  // namespace bench::cuda
