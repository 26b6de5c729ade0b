#pragma once

#include "vcode-interp/interrupt.h"

namespace nesl_c {

/// While an object exists, the compiler on this thread, and vector libraries while this thread waits for them, read the
/// flag to decide whether to stop.
class StopFlag {
 public:
  explicit StopFlag(const interp::InterruptFlag& flag);
  ~StopFlag();
  StopFlag(const StopFlag&) = delete;

  /// Whether the flag of the calling thread, if it has one, is set.
  static bool is_set();

 private:
  const interp::InterruptFlag* const before_;
};

}  // namespace nesl_c
