#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <array>

#include "line_source.h"
#include "vcode-interp/interrupt.h"

namespace nesl_cli {

namespace {

class PlainLines final : public LineSource {
 public:
  explicit PlainLines(int descriptor) : descriptor_(descriptor) {}

  Event next(const std::string&, std::string& line) override {
    line.clear();
    for (;;) {
      const std::size_t end = buffered_.find('\n', at_);
      if (end != std::string::npos) {
        line.append(buffered_, at_, end - at_);
        at_ = end + 1;
        return Event::kLine;
      }
      line.append(buffered_, at_);
      at_ = 0;
      buffered_.resize(kBuffer);
      const interp::Polling polling;
      const bool ready = interp::wait_for_input(descriptor_);
      const ssize_t n = ready ? ::read(descriptor_, buffered_.data(), kBuffer) : 0;
      buffered_.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
      if (n < 0) failure_ = strerror(errno);
      if (!ready) return Event::kInterrupt;
      if (n <= 0) return line.empty() ? Event::kEnd : Event::kLine;
    }
  }
  bool is_interactive() const override { return false; }
  std::string failure() const override { return failure_; }

 private:
  static constexpr std::size_t kBuffer = 1 << 16;
  const int descriptor_;
  std::string buffered_, failure_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<LineSource> plain_lines(int descriptor) { return std::make_unique<PlainLines>(descriptor); }

}  // namespace nesl_cli
