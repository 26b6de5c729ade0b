#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// A new directory, removed with all its contents by the destructor.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The exit status and output of a finished process.
struct ProcessResult {
  int exit_status = 0;  ///< 128 + N if signal N killed it
  std::string output;
  std::string errors;
};

/// Runs command[0] (a path) in `directory`, with `input` as standard input and `environment` ("NAME=VALUE") added to
/// that of this process, and waits for its end. Throws std::system_error if it cannot be started.
ProcessResult run_process(const std::vector<std::string>& command, const std::filesystem::path& directory,
                          const std::string& input, const std::vector<std::string>& environment);
