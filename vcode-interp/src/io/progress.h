#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace interp {

/// How far a run has come, as far as that can be said.
struct ProgressState {
  std::string function;       ///< name in the source; empty: none
  std::uint64_t level = 0;    ///< calls of the function inside each other, if it is recursive; else 0
  std::uint64_t rounds = 0;   ///< tail calls of the function in a row, which do not nest
  std::int64_t elements = 0;  ///< of the longest operand of the present operation; 0: unknown
  std::size_t bytes = 0;      ///< memory of the program's vectors
};

/// The line that is shown, as in "quicksort: level 17, 1.2M elements, 340 MB, 8 s".
std::string progress_text(const ProgressState& state, double seconds);

/// Shows on a terminal how far a run has come, on a line that is overwritten and disappears at the end. A thread of its
/// own draws the line, first after two seconds, and from time to time requests the state of the run, which the running
/// program gives when it comes by.
class Progress {
 public:
  /// Draws on a file descriptor; if that is no terminal, each text is a line that stays.
  explicit Progress(int descriptor);
  /// Removes the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Whether the state of the run is requested. Any thread may call this often: it reads one variable.
  bool is_requested() const { return requested_.load(std::memory_order_relaxed); }
  /// Takes the request upon oneself; false if another thread has it.
  bool take_request() { return requested_.exchange(false, std::memory_order_relaxed); }
  /// Gives the state of the run.
  void answer(ProgressState state);

  /// Keeps the terminal free for others, as long as it exists: removes the line and draws none.
  class Pause {
   public:
    /// Null: there is no progress line.
    explicit Pause(Progress* progress);
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    /// The output now ends within a line of the terminal, which must not be overwritten, or at the end of one.
    void leave(bool within_line) const;

   private:
    Progress* const progress_;
  };

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  void draw();
  void clear();
  void write(const std::string& text) const;

  const int descriptor_;
  const bool is_terminal_;
  const Clock::time_point start_ = Clock::now();
  std::atomic<bool> requested_{false};
  std::mutex mutex_;  ///< of the members below, and of the terminal
  std::condition_variable ended_;
  bool end_ = false;
  bool is_shown_ = false, within_line_ = false;
  ProgressState state_;
  std::thread thread_;
};

}  // namespace interp
