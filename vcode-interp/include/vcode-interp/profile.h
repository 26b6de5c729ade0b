#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"

namespace interp {

/// The cost of one kind of instruction, of one function, or of one line.
struct ProfileRow {
  std::uint64_t count = 0;
  std::uint64_t elements = 0;  ///< sum, over the instructions, of the longest result or operand that is traversed
  std::uint64_t bytes = 0;     ///< of results, traversed operands and gathered elements: a lower bound of the traffic
  double seconds = 0;          ///< sum over all threads

  ProfileRow& operator+=(const ProfileRow& other);
};

/// Counts and times of the instructions, functions and source lines of one or several runs. Each thread of a run has a
/// profile of its own, which is added to that of the run at its end.
class Profile {
 public:
  /// A row and its name: the instruction or function.
  using NamedRow = std::pair<const std::string, ProfileRow>;
  /// A kernel, among those of a line.
  struct Kernel {
    ProfileRow row;
    std::vector<std::uint32_t> lines;  ///< all lines of the file that its operations come from, in ascending order
  };
  /// A line of the source, and the kernels whose last operation with a place is in it. `all` has their cost, too; its
  /// count is that of operations and kernels.
  struct Line {
    std::string file;  ///< empty: the place is unknown
    std::uint32_t number = 0;
    ProfileRow all;
    std::map<std::string, Kernel> kernels;  ///< by instruction
  };
  /// The rows in which an instruction of the present program counts.
  struct Rows {
    NamedRow* instruction = nullptr;  ///< null: the rows have not been looked up
    NamedRow* function = nullptr;     ///< the function of the source that the instruction comes from
    Line* line = nullptr;             ///< null: the line of the call that led to the instruction
    Kernel* kernel = nullptr;         ///< null: an instruction without kernel
    bool is_operation = false;        ///< an operation or a kernel; false: control, or moves of values on the stack
  };
  /// A part of the run for a trace.
  struct Event {
    enum class Kind : std::uint8_t { kOperation, kFunction, kPiece };
    Kind kind;
    int thread;  ///< 0: the thread of the program
    const std::string* name;
    const Line* line;        ///< of a function: that of the call; may be null
    double begin, duration;  ///< seconds since the start of the profile
    std::uint64_t elements = 0, bytes = 0;
  };

  /// With `keep_events`, events are kept for a trace, and when these are very many, the longest.
  explicit Profile(bool keep_events) : keep_events_(keep_events) {}
  /// The profile of a further thread of the run that `run` records. `thread` is at least 1, and `title` names the
  /// thread in a trace.
  Profile(const Profile& run, int thread, std::string title);
  Profile(const Profile&) = delete;

  /// Seconds since the start of the profile, or of the profile of the run.
  double now() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

  /// Begins the run of a program of so many instructions and functions. `text` is its own text if that is its source;
  /// null if the program has places in a source, or has no text. It must outlive the run.
  void begin_run(std::size_t instructions, std::size_t functions, const base::Source* text);
  const base::Source* text() const { return text_; }
  /// The rows of an instruction of the present program, to be looked up once.
  Rows& rows(std::size_t instruction) { return rows_[instruction]; }
  /// The row of a function of the present program; null until it is set.
  NamedRow*& function_row(std::size_t function) { return function_rows_[function]; }

  // Rows by name, made where there are none. They stay where they are.
  NamedRow& instruction(const std::string& name) { return *instructions_.try_emplace(name).first; }
  NamedRow& function(const std::string& name) { return *functions_.try_emplace(name).first; }
  Line& line(const std::string& file, std::uint32_t number);

  /// The run of an instruction.
  struct Step {
    double begin, duration;  ///< as in Event
    double own;              ///< seconds of the duration that no other step reports
    std::uint64_t elements, bytes;
  };
  /// Adds a step of the instruction with these rows, whose line is `line`.
  void record(Rows& rows, Line& line, const Step& step);
  /// Adds a call of a function, or its run on a piece, to the trace.
  void record_span(Event::Kind kind, const std::string& function, const Line* line, double begin, double duration);

  /// Notes how many bytes of vectors exist between two instructions.
  void note_memory(std::size_t bytes) { most_memory_ = std::max(most_memory_, bytes); }

  /// Adds the figures and events of another thread of the run.
  void add(const Profile& part);

  /// Sets the outcome of compiling a kernel to machine code.
  void note_kernel(const std::string& instruction, std::string native_code) {
    kernels_[instruction] = std::move(native_code);
  }

  const std::map<std::string, ProfileRow>& instructions() const { return instructions_; }
  const std::map<std::string, ProfileRow>& functions() const { return functions_; }  ///< without their callees
  using Lines = std::map<std::pair<std::string, std::uint32_t>, Line>;
  const Lines& lines() const { return lines_; }
  /// The outcome of compiling each kernel.
  const std::map<std::string, std::string>& kernels() const { return kernels_; }
  const std::vector<Event>& events() const { return events_; }
  /// The name of a thread with events.
  const std::string& title(int thread) const { return titles_.at(thread); }
  std::uint64_t events_not_kept() const { return dropped_; }
  /// Most bytes of vectors that existed between two instructions; of a part that ran beside others, its own alone.
  std::size_t most_memory() const { return most_memory_; }

 private:
  void keep(const Event& event);

  // Viewers fail beyond this number.
  static constexpr std::size_t kMostEvents = 1'000'000;
  const bool keep_events_;
  const int thread_ = 0;
  std::map<int, std::string> titles_ = {{0, "program"}};  ///< of this thread, and of those that add() has added
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::map<std::string, ProfileRow> instructions_, functions_;
  Lines lines_;
  std::map<std::string, std::string> kernels_;
  std::vector<Event> events_;
  double shortest_kept_ = 0;  ///< seconds; shorter events are dropped
  std::uint64_t dropped_ = 0;
  std::size_t most_memory_ = 0;
  const base::Source* text_ = nullptr;
  std::vector<Rows> rows_;                ///< by instruction
  std::vector<NamedRow*> function_rows_;  ///< by function
};

}  // namespace interp
