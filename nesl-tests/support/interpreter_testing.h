#pragma once

/// Help for the tests of the interpreter: streams over temporary files, and programs run in this process.

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>

#include "cvl/loader.h"
#include "vcode-interp/run.h"
#include "vcode/reader.h"
#include "vcode/validator.h"

namespace interp::testing {

/// An unnamed file with some text, closed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text = "") {
    char name[] = "/tmp/vinterp-test-XXXXXX";
    fd_ = mkstemp(name);
    unlink(name);
    if (write(fd_, text.data(), text.size()) == static_cast<ssize_t>(text.size())) lseek(fd_, 0, SEEK_SET);
  }
  ~TemporaryFile() { close(fd_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int fd() const { return fd_; }
  /// Everything in the file.
  std::string text() const {
    std::string all;
    char buffer[4096];
    off_t at = 0;
    for (ssize_t n; (n = pread(fd_, buffer, sizeof buffer, at)) > 0; at += n)
      all.append(buffer, static_cast<std::size_t>(n));
    return all;
  }

 private:
  int fd_;
};

struct Outcome {
  int status;
  std::string out, errors;
};

/// Runs a program in this process on a backend.
inline Outcome run_text(const std::string& text, cvl::Backend& backend, RunOptions options = {},
                        const std::string& input = "") {
  const TemporaryFile in(input), out, errors;
  options.standard_files = {in.fd(), out.fd(), errors.fd()};
  const vcode::Source source("p.vcode", text);
  vcode::Diagnostics diagnostics;
  const std::optional<vcode::Program> program = vcode::parse_vcode(source, diagnostics);
  if (program) vcode::validate(*program, options.widths, options.strict, diagnostics);
  if (!program || diagnostics.has_errors()) return {1, "", vcode::render(source, diagnostics)};
  const int status = run_program(source, *program, backend, options);
  return {status, out.text(), errors.text()};
}

}  // namespace interp::testing
