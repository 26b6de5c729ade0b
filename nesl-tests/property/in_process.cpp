#include "in_process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "vcode-interp/run.h"
#include "vcode/reader.h"
#include "vcode/validator.h"

namespace property {

namespace {

/// A file without a name that collects what is written to it.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("captured", MFD_CLOEXEC)) {
    if (descriptor_ < 0) std::abort();
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return descriptor_; }
  std::string content() const {
    std::string text(static_cast<std::size_t>(lseek(descriptor_, 0, SEEK_END)), '\0');
    for (std::size_t at = 0; at < text.size();) {
      ssize_t n = pread(descriptor_, text.data() + at, text.size() - at, static_cast<off_t>(at));
      if (n <= 0) std::abort();
      at += static_cast<std::size_t>(n);
    }
    return text;
  }

 private:
  int descriptor_;
};

}  // namespace

RunResult run_text(const std::string& text, cvl::Backend& backend, vcode::Widths widths, std::uint64_t seed) {
  const vcode::Source source("random", text);
  vcode::Diagnostics diagnostics;
  std::optional<vcode::Program> program = vcode::parse_vcode(source, diagnostics);
  if (program) vcode::validate(*program, widths, false, diagnostics);
  if (!program || diagnostics.has_errors()) return {1, "", "rejected: " + vcode::render(source, diagnostics)};
  MemoryFile input, output, errors;
  interp::RunOptions options;
  options.widths = widths;
  options.seed = seed;
  options.sandbox = true;
  options.standard_files = {input.descriptor(), output.descriptor(), errors.descriptor()};
  const int status = interp::run_program(source, *program, backend, options);
  return {status, output.content(), errors.content()};
}

}  // namespace property
