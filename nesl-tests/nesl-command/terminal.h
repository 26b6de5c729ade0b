#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

/// A process at a terminal of its own, whose keys the test presses.
class Terminal {
 public:
  Terminal(const std::vector<std::string>& command, const std::filesystem::path& directory,
           const char* locale = "C.UTF-8");
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void type(const std::string& keys);
  /// Waits until the text has been shown since the last wait, and returns all text shown since then. Throws
  /// std::runtime_error, with that text, after ten seconds or at the end of the process.
  std::string wait_for(const std::string& text);
  /// Waits for the end of the process, at most ten seconds, and otherwise throws std::runtime_error. Returns the exit
  /// status; 128 + N if signal N ended the process.
  int wait();

 private:
  int descriptor_ = -1;
  pid_t process_ = -1;
  std::string unread_;
};
