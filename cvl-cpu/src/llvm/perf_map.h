#pragma once

#include <string>

#include "llvm/native_code.h"

namespace cvl::cpu {

/// The file in which perf looks for the names of code generated at run time, /tmp/perf-PID.map: one line per function.
class PerfMap {
 public:
  /// The file of this process. Replaces a file that an earlier process with the same number has left. Null, with a
  /// sentence in `error`, if the file cannot be written.
  static const PerfMap* of_this_process(std::string& error);

  /// Adds a function. Any thread may call it.
  void add(const NativeSymbol& symbol) const;

 private:
  PerfMap();
  int file_;           ///< negative: the file cannot be written
  std::string error_;  ///< the cause if the file cannot be written
};

}  // namespace cvl::cpu
