#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "vcode/program.h"

namespace interp {

/// The cost of one kind of instruction, or of one function.
struct ProfileRow {
  std::uint64_t count = 0;
  std::uint64_t elements = 0;  ///< sum, over the instructions, of the longest result or operand that is traversed
  std::uint64_t bytes = 0;     ///< of results, traversed operands and gathered elements: a lower bound of the traffic
  double seconds = 0;
};

/// Counts and times of the instructions and functions of a run.
class Profile {
 public:
  explicit Profile(bool keep_events) : keep_events_(keep_events) {}

  struct Event {
    std::string name;
    double begin, duration;  ///< seconds since the start of the run
    std::uint64_t elements, bytes;
  };

  /// Adds one run of an instruction in a function. Times are in seconds since the start of the run.
  void record(const std::string& instruction, const std::string& function, double begin, double duration,
              std::uint64_t elements, std::uint64_t bytes);
  void record_call(const std::string& function) { ++functions_[function].count; }
  /// Adds one call of a function, entered at `begin` and left `duration` seconds later.
  void record_span(const std::string& function, double begin, double duration);

  /// Notes how many bytes of vectors exist between two instructions.
  void note_memory(std::size_t bytes) { most_memory_ = std::max(most_memory_, bytes); }

  /// Adds the figures of a part of the run that was recorded separately, without its events.
  void add(const Profile& part);

  /// Sets the outcome of compiling a kernel to machine code.
  void note_kernel(const std::string& instruction, std::string native_code) {
    kernels_[instruction] = std::move(native_code);
  }

  /// Tables per instruction and per function (without the instructions of callees), the most expensive row first; then
  /// the kernels of note_kernel().
  std::string table() const;
  /// The events in the JSON format that chrome://tracing and Perfetto read.
  std::string chrome_trace() const;

  const std::map<std::string, ProfileRow>& instructions() const { return instructions_; }
  const std::map<std::string, ProfileRow>& functions() const { return functions_; }
  /// Most bytes of vectors that existed between two instructions; of a part that ran beside others, its own alone.
  std::size_t most_memory() const { return most_memory_; }

 private:
  void keep(Event event);

  // Viewers fail beyond this number; further events are only counted.
  static constexpr std::size_t kMaxEvents = 1'000'000;
  const bool keep_events_;
  std::uint64_t dropped_ = 0;
  std::size_t most_memory_ = 0;
  std::map<std::string, ProfileRow> instructions_, functions_;
  std::map<std::string, std::string> kernels_;
  std::vector<Event> events_;
};

}  // namespace interp
