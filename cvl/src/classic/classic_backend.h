#pragma once

#include <cstdint>

#include "cvl/classic_values.h"

namespace cvl::classic {

/// The backend that the functions of cvl.h compute on. One per process, opened by the first call of start() and never
/// destroyed, because the client may call exit() at any moment.
Backend& backend();

/// Opens the backend that CVL_BACKEND names ("cuda" if unset), from the folder of this library or of the program. Stops
/// the process if the backend cannot be used.
void start();

/// Records the called function for the message of a fault that is found later: operations do not wait for the device.
void begin_call(Function function);
/// Stops the process if a fault is known, in the name of the function that caused it.
void settle();
/// Waits for all earlier calls, then does the same as settle().
void wait_and_settle();

/// Memory of the backend for the duration of a call.
class Temporary {
 public:
  explicit Temporary(std::int64_t bytes);
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  void* data() const { return data_; }

 private:
  std::size_t bytes_;
  void* data_;
};

}  // namespace cvl::classic
