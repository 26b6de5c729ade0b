#pragma once

#include <nesl.h>

namespace nesl_python {

/// While an object exists, Ctrl-C cancels the run of a session and calls Python's own handler. Python raises
/// KeyboardInterrupt only between two of its own instructions, which would be after the run. Has no effect on threads
/// other than the main thread, which Python does not interrupt either. Must be made and destroyed by a thread that
/// holds the interpreter's lock, or has released it only for the call between.
class KeyboardInterrupt {
 public:
  explicit KeyboardInterrupt(nesl_session* session);
  ~KeyboardInterrupt();
  KeyboardInterrupt(const KeyboardInterrupt&) = delete;

  /// Whether Ctrl-C has been pressed during the lifetime of the object.
  bool pressed() const;

 private:
  bool active_ = false;
};

/// Must be called by the main thread, before any KeyboardInterrupt is made.
void note_main_thread();

}  // namespace nesl_python
