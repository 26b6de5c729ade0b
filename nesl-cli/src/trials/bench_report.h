#pragma once

#include <string>
#include <vector>

#include "bench_runner.h"

namespace nesl_cli {

/// Measurements as JSON, which read_measurements() reads.
std::string json_text(const std::vector<Measurement>& measurements);
/// Reads a file with the JSON of earlier measurements. False with a message in `error` on failure.
bool read_measurements(const std::string& file, std::vector<Measurement>& measurements, std::string& error);

/// The heading of a benchmark's table: its place, its title and the names of the columns.
std::string heading_text(const Measurement& measurement, bool compares);
/// A line of the table. With an earlier measurement of the same title and size, or null, the line ends with its median
/// and the change: "slower" or "faster" only if the quartiles of both are apart.
std::string line_text(const Measurement& measurement, bool compares, const Measurement* earlier);
/// The measurement with the same title and size among earlier ones, in a file of the same name if there are several;
/// null if there is none.
const Measurement* find_same(const Measurement& measurement, const std::vector<Measurement>& earlier);

}  // namespace nesl_cli
