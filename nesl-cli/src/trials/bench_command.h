#pragma once

#include <string>
#include <vector>

#include "program/flags.h"

namespace nesl_cli {

/// The command-line options of `nesl bench` beside those about optimizing and running.
struct BenchFlags {
  std::vector<std::string> names;  ///< files and folders; empty: the current folder
  std::string filter;              ///< only benchmarks whose title contains this
  std::string json;                ///< name of a file for the measurements; empty: none
  std::string compare;             ///< name of a file with earlier measurements; empty: none
  double seconds = 0.5;            ///< that runs are measured for each size
};

/// Measures the benchmarks in files and prints tables. Returns 1 if one fails, a file has errors, or there are no
/// benchmarks, and 130 after an interrupt.
int run_benchmarks(const BenchFlags& bench_flags, const Flags& flags);

}  // namespace nesl_cli
