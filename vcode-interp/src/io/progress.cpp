#include "io/progress.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostics.h"

namespace interp {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kFirst = 2s, kNextOnTerminal = 500ms, kNextLine = 5s;
/// Time between the request for a state and the moment when it is shown.
constexpr std::chrono::milliseconds kAhead = 100ms;
constexpr const char* kErase = "\r\033[K";
constexpr std::size_t kUsualColumns = 80;

/// A number with three digits and K, M, G or T, and in front of that a separator.
std::string short_number(double number, const char* separator) {
  constexpr std::string_view kUnits = " KMGT";
  std::size_t unit = 0;
  for (; number >= 999.5 && unit + 1 < kUnits.size(); number /= 1000) ++unit;
  const std::string digits = fmt::format("{:.{}f}", number, unit > 0 && number < 9.95 ? 1 : 0);
  return unit == 0 ? digits + separator : digits + separator + kUnits[unit];
}

std::string time_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds + 0.05);
  if (whole < 120) return fmt::format("{} s", whole);
  if (whole < 7200) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::size_t columns_of(int descriptor) {
  winsize size = {};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualColumns;
}

}  // namespace

std::string progress_text(const ProgressState& state, double seconds) {
  std::string text;
  if (!state.function.empty()) text = base::printable(state.function) + ": ";
  if (state.level > 1 || (state.level == 1 && state.rounds == 0)) text += fmt::format("level {}, ", state.level);
  if (state.rounds > 0) text += fmt::format("round {}, ", short_number(static_cast<double>(state.rounds), ""));
  if (state.elements > 1) text += short_number(static_cast<double>(state.elements), "") + " elements, ";
  if (state.bytes > 0) text += short_number(static_cast<double>(state.bytes), " ") + "B, ";
  return text + time_text(seconds);
}

Progress::Progress(int descriptor) : descriptor_(descriptor), is_terminal_(isatty(descriptor) == 1) {
  // Signals are for the threads of the program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    // Without threads to spare there is no line.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
    clear();
  }
  ended_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Progress::answer(ProgressState state) {
  const std::lock_guard lock(mutex_);
  state_ = std::move(state);
}

void Progress::run() {
  std::unique_lock lock(mutex_);
  Clock::time_point next = start_ + kFirst;
  const auto ends_before = [&](Clock::time_point time) {
    return ended_.wait_until(lock, time, [this] { return end_; });
  };
  for (;; next += is_terminal_ ? kNextOnTerminal : kNextLine) {
    if (ends_before(next - kAhead)) return;
    requested_ = true;
    if (ends_before(next)) return;
    draw();
  }
}

void Progress::draw() {
  if (within_line_) return;
  const std::string text = progress_text(state_, std::chrono::duration<double>(Clock::now() - start_).count());
  if (!is_terminal_) return write(text + "\n");
  write(fmt::format("\r{}\033[K", base::cut_text(text, columns_of(descriptor_) - 1)));
  is_shown_ = true;
}

void Progress::clear() {
  if (std::exchange(is_shown_, false)) write(kErase);
}

void Progress::write(const std::string& text) const {
  // A line that cannot be shown is no reason to fail.
  [[maybe_unused]] const ssize_t written = ::write(descriptor_, text.data(), text.size());
}

Progress::Pause::Pause(Progress* progress) : progress_(progress) {
  if (progress_ == nullptr) return;
  progress_->mutex_.lock();
  progress_->clear();
}

Progress::Pause::~Pause() {
  if (progress_ != nullptr) progress_->mutex_.unlock();
}

void Progress::Pause::leave(bool within_line) const {
  if (progress_ != nullptr) progress_->within_line_ = within_line;
}

}  // namespace interp
