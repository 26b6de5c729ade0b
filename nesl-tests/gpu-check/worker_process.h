#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A process that answers questions: it reads lines from its standard input, and writes a reply to each by send_reply()
/// to its standard output, until its input ends. It shares the standard error of this process.
class WorkerProcess {
 public:
  /// Starts command[0] (a path). Throws std::system_error if it cannot be started.
  explicit WorkerProcess(const std::vector<std::string>& command);
  /// Kills the process if it has not ended.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// The answer to a line. If the process ends, or does not answer within `seconds`, it is no longer usable, and
  /// `failure` says how it ended: "killed by signal 11 (Segmentation fault)".
  std::optional<std::string> ask(const std::string& line, double seconds, std::string& failure);

 private:
  std::string end();

  pid_t process_ = 0;
  int questions_ = -1, answers_ = -1;  ///< our ends of its pipes
};

/// Called in the worker: writes a reply, its length on a line before it. False if the asking process is gone.
bool send_reply(std::string_view reply);
