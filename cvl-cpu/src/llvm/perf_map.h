#pragma once

#include <string>

#include "llvm/native_code.h"

namespace cvl::cpu {

/// The file in which perf looks for the names of code that a process has made while it ran, /tmp/perf-PID.map: a line
/// for each function.
class PerfMap {
 public:
  /// That of this process. What a process that had the same number before has left in it is removed. Null, with a
  /// sentence in `error`, if it cannot be written.
  static const PerfMap* of_this_process(std::string& error);

  /// Adds a function. Any thread may call it.
  void add(const NativeSymbol& symbol) const;

 private:
  PerfMap();
  int file_;           ///< negative: it cannot be written
  std::string error_;  ///< why
};

}  // namespace cvl::cpu
