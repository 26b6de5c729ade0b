#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "vcode/program.h"

namespace interp {

/// The cost of one kind of instruction, or of one function.
struct ProfileRow {
  std::uint64_t count = 0;
  std::uint64_t elements = 0;  ///< of the longest result, or operand that is gone through, of each instruction
  std::uint64_t bytes = 0;     ///< of all of these, and those that gathers read: a lower bound of the memory traffic
  double seconds = 0;
};

/// Collects where a run spends its time.
class Profile {
 public:
  explicit Profile(bool keep_events) : keep_events_(keep_events) {}

  struct Event {
    std::string name;
    double begin, duration;  ///< seconds since the start of the run
    std::uint64_t elements, bytes;
  };

  /// One instruction, of a function, has run.
  void record(const std::string& instruction, const std::string& function, double begin, double duration,
              std::uint64_t elements, std::uint64_t bytes);
  void record_call(const std::string& function) { ++functions_[function].count; }
  /// A function was entered at `begin` and left `duration` seconds later.
  void record_span(const std::string& function, double begin, double duration);

  /// Adds what has been recorded of a part of the run, without its events.
  void add(const Profile& part);

  /// What became of compiling a kernel to machine code.
  void note_kernel(const std::string& instruction, std::string native_code) {
    kernels_[instruction] = std::move(native_code);
  }

  /// Tables per instruction and per function (its own instructions, not those of its callees), the most expensive
  /// first; then the kernels that ran, if any is noted.
  std::string table() const;
  /// The events in the JSON format that chrome://tracing and Perfetto read.
  std::string chrome_trace() const;

  const std::map<std::string, ProfileRow>& instructions() const { return instructions_; }
  const std::map<std::string, ProfileRow>& functions() const { return functions_; }

 private:
  void keep(Event event);

  // More events than viewers cope with are counted, not kept.
  static constexpr std::size_t kMaxEvents = 1'000'000;
  const bool keep_events_;
  std::uint64_t dropped_ = 0;
  std::map<std::string, ProfileRow> instructions_, functions_;
  std::map<std::string, std::string> kernels_;
  std::vector<Event> events_;
};

}  // namespace interp
