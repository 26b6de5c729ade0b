#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <vector>

#include "files/value_files.h"
#include "io/streams.h"
#include "ranks/rank_files.h"
#include "runtime/evaluator.h"
#include "vcode-interp/run_options.h"

namespace interp {

/// Runs the instructions of class VC_SYSTEM except EXIT: input, output, processes, timers, seeds.
class SystemOps {
 public:
  SystemOps(runtime::Evaluator& evaluator, StreamTable& streams, const RunOptions& options);

  /// Runs an instruction on its operands (deepest first) and returns the results. Throws RunError if the run cannot go
  /// on; a failure that programs can handle sets the results `message` and `ok` of the instruction.
  std::vector<runtime::Value> run(vcode::Op op, vcode::Suffix suffix, runtime::Value* operands);

  StreamTable& streams() { return streams_; }

 private:
  using Values = std::vector<runtime::Value>;

  /// run() by this process alone; READ and FREAD of a descriptor give its lengths.
  Values run_here(vcode::Op op, vcode::Suffix suffix, runtime::Value* operands);
  /// Runs instructions on files that all ranks of a job read or write; nothing for all others.
  std::optional<Values> run_on_ranks(vcode::Op op, vcode::Suffix suffix, runtime::Value* operands);
  FileRequest request_of(runtime::Value* operands) const;
  /// Of several ranks, rank 0 alone keeps the vectors of a file until it writes them. The others keep them, too, so
  /// that all ranks have the same memory left, and take the same way when there is too little.
  void hold_as_rank_zero(vcode::Op op, runtime::Value* operands, const Values& results);
  /// Runs the system row `op`; specialized for each row.
  template <vcode::Op op>
  Values run_row(vcode::Suffix suffix, runtime::Value* operands);

  runtime::Value checked(runtime::Value value) const;
  runtime::Value int_scalar(std::int64_t x) const;
  runtime::Value characters(std::string_view text) const;
  runtime::Value empty_of(vcode::Suffix type) const;
  /// Appends the message and ok results.
  Values with_status(Values values, const std::string& message) const;
  /// Throws if there is no memory to copy the elements of a vector to the host.
  void require_on_host(vcode::Op op, const runtime::Value& value) const;
  std::int64_t integer_of(vcode::Op op, const runtime::Value& value) const;
  /// Throws if a value is no vector of characters, and as require_on_host().
  void require_characters(vcode::Op op, const runtime::Value& value) const;
  std::string text_of(vcode::Op op, const runtime::Value& value) const;
  Values read_from(vcode::Suffix type, Stream& stream) const;
  /// Updates the output streams after a read: the echo of typed input may have ended the line on the terminal.
  void note_typing(Stream& stream) const;
  /// Writes and flushes. Returns an error message, or an empty string.
  std::string write_to(vcode::Op op, vcode::Suffix type, const runtime::Value& value, Stream& stream) const;

  runtime::Evaluator& evaluator_;
  StreamTable& streams_;
  const RunOptions& options_;
  ValueFiles value_files_;
  RankFiles rank_files_;
  std::map<std::int64_t, Values> held_for_files_;  ///< on other ranks than rank 0, by number of the file
  std::optional<std::chrono::steady_clock::time_point> timer_;
};

}  // namespace interp
