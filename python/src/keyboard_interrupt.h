#pragma once

#include <nesl.h>

namespace nesl_python {

/// While one exists, Ctrl-C stops what runs in a session; Python's own handler is called too. Python raises
/// KeyboardInterrupt only between two instructions of its own, so it would wait for the end of the run. Does nothing
/// on threads other than the main one, which are not interrupted in Python either. To be made and destroyed by a
/// thread that holds the interpreter's lock or has given it up for the call between.
class KeyboardInterrupt {
 public:
  explicit KeyboardInterrupt(nesl_session* session);
  ~KeyboardInterrupt();
  KeyboardInterrupt(const KeyboardInterrupt&) = delete;

  /// Whether Ctrl-C has been pressed since this was made.
  bool pressed() const;

 private:
  bool active_ = false;
};

/// To be called by the main thread, before anything else here.
void note_main_thread();

}  // namespace nesl_python
