#pragma once

#include <cstdint>

#include "cvl/classic_values.h"

namespace cvl::classic {

/// The backend that the functions of cvl.h compute on; there is one for the process, opened by the first call of
/// start() and never destroyed: the client may end by exit() at any moment.
Backend& backend();

/// Opens the backend that CVL_BACKEND names, "cuda" unless it is set, from the folder of this library or of the
/// program. Stops if it cannot be used.
void start();

/// Names the function that is called, for faults that are found later: operations do not wait for the device.
void begin_call(Function function);
/// Stops, in the name of the function that it is of, for a fault that is known.
void settle();
/// The same after waiting for everything that was called before.
void wait_and_settle();

/// Memory of the backend for the length of a call.
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
