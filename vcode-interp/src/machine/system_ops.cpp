#include "machine/system_ops.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>

#include <fmt/format.h>

#include "base/check.h"
#include "cvl/dispatch.h"
#include "cvl/integer_at.h"
#include "io/run_error.h"
#include "io/spawn.h"
#include "io/value_text.h"
#include "ranks/rank_zero.h"

namespace interp {

using runtime::Value;
using vcode::Op;
using vcode::Suffix;

namespace {

std::string not_open(Op op, std::int64_t number) {
  return fmt::format("vinterp: line 1: illegal VCODE file descriptor for {}: {}", vcode::info(op).text, number);
}

constexpr std::int64_t kNullStream = -1;
constexpr std::size_t kLongestDate =
    4096;  // bytes allocated for the text of a date, in addition to 8 for each character of its format

}  // namespace

SystemOps::SystemOps(runtime::Evaluator& evaluator, StreamTable& streams, const RunOptions& options)
    : evaluator_(evaluator),
      streams_(streams),
      options_(options),
      value_files_(evaluator),
      rank_files_(evaluator, value_files_) {}

Value SystemOps::checked(Value value) const {
  if (value.tag() == Value::Tag::kNone)
    throw RunError(evaluator_.memory_failure("input"), RunError::Blame::kSurroundings);
  return value;
}

Value SystemOps::int_scalar(std::int64_t x) const { return checked(make_ints(evaluator_, std::array{x})); }

Value SystemOps::characters(std::string_view text) const { return checked(make_characters(evaluator_, text)); }

Value SystemOps::empty_of(Suffix type) const { return checked(make_empty(evaluator_, type)); }

std::vector<Value> SystemOps::with_status(Values values, const std::string& message) const {
  values.push_back(characters(message));
  values.push_back(Value::scalar(message.empty()));
  return values;
}

void SystemOps::require_on_host(Op op, const Value& value) const {
  if (value.length() > 0 && evaluator_.heap().host_data(value) == nullptr)
    throw RunError(evaluator_.memory_failure(vcode::info(op).text), RunError::Blame::kSurroundings);
}

std::int64_t SystemOps::integer_of(Op op, const Value& value) const {
  if (!value.is_vector() || value.kind() != vcode::Kind::kInt || value.length() == 0)
    throw RunError(fmt::format(
        "{} needs an Int scalar here, not {}", vcode::info(op).text,
        value.is_vector() && value.kind() == vcode::Kind::kInt ? "an empty vector" : vcode::kind_name(value.kind())));
  require_on_host(op, value);
  return cvl::integer_at({value.type(), value.length(), evaluator_.heap().host_data(value)}, 0);
}

void SystemOps::require_characters(Op op, const Value& value) const {
  if (!value.is_vector() || (value.kind() != vcode::Kind::kInt && value.kind() != vcode::Kind::kByte))
    throw RunError(fmt::format("{} needs characters (an Int or Byte vector) here, not {}", vcode::info(op).text,
                               vcode::kind_name(value.kind())));
  require_on_host(op, value);
}

std::string SystemOps::text_of(Op op, const Value& value) const {
  require_characters(op, value);
  return characters_of(evaluator_, value);
}

void SystemOps::note_typing(Stream& stream) const {
  if (!stream.take_typed_line()) return;
  streams_.output().note_line_ended();
  streams_.errors().note_line_ended();
}

std::vector<Value> SystemOps::read_from(Suffix type, Stream& stream) const {
  ReadOutcome outcome = read_value(evaluator_, type, stream);
  note_typing(stream);
  Values values;
  values.push_back(checked(std::move(outcome.value)));
  return with_status(std::move(values), outcome.message);
}

std::string SystemOps::write_to(Op op, Suffix type, const Value& value, Stream& stream) const {
  if (type == Suffix::kChar) {
    require_characters(op, value);
    put_characters(evaluator_, value, stream);
  } else if (!print_value(evaluator_, value, stream, {options_.shortest_floats})) {
    throw RunError(evaluator_.failure(), evaluator_.fault());
  }
  if (options_.keep_errors && &stream == &streams_.messages()) return "";  // flushed when the run has succeeded
  return stream.flush() ? "" : fmt::format("{}: {}", vcode::info(op).text, strerror(stream.error()));
}

template <>
SystemOps::Values SystemOps::run_row<Op::kRead>(Suffix suffix, Value*) {
  return read_from(suffix, *streams_.find(0));
}

template <>
SystemOps::Values SystemOps::run_row<Op::kWrite>(Suffix suffix, Value* operands) {
  return with_status({}, write_to(Op::kWrite, suffix, operands[0], streams_.messages()));
}

template <>
SystemOps::Values SystemOps::run_row<Op::kFread>(Suffix suffix, Value* operands) {
  const std::int64_t number = integer_of(Op::kFread, operands[0]);
  if (value_files_.is_open(number)) {
    ReadOutcome outcome = value_files_.take(suffix, number);
    Values taken;
    taken.push_back(checked(std::move(outcome.value)));
    return with_status(std::move(taken), outcome.message);
  }
  Stream* stream = streams_.find(number);
  if (stream != nullptr) return read_from(suffix, *stream);
  Values values;
  values.push_back(empty_of(suffix));
  return with_status(std::move(values), not_open(Op::kFread, number));
}

template <>
SystemOps::Values SystemOps::run_row<Op::kFwrite>(Suffix suffix, Value* operands) {
  const std::int64_t number = integer_of(Op::kFwrite, operands[1]);
  if (value_files_.is_open(number)) {
    const Value elements = operands[0].is_segdes() ? checked(evaluator_.lengths_of(operands[0])) : operands[0];
    require_on_host(Op::kFwrite, elements);
    return with_status({}, value_files_.add(suffix, elements, number));
  }
  Stream* stream = streams_.find(number);
  return with_status(
      {}, stream == nullptr ? not_open(Op::kFwrite, number) : write_to(Op::kFwrite, suffix, operands[0], *stream));
}

template <>
SystemOps::Values SystemOps::run_row<Op::kFreadChar>(Suffix suffix, Value* operands) {
  constexpr int kMaxReached = -2, kEndReached = -1;
  const std::string delimiters = text_of(Op::kFreadChar, operands[0]);
  const std::int64_t max = integer_of(Op::kFreadChar, operands[1]);
  Stream* stream = streams_.find(integer_of(Op::kFreadChar, operands[2]));
  Values values;
  if (stream == nullptr) {
    values.push_back(empty_of(suffix));
    values.push_back(empty_of(Suffix::kInt));
    return with_status(std::move(values), "illegal VCODE file descriptor in FREAD");
  }
  std::string text;
  std::int64_t stop = kMaxReached;
  const std::size_t most = most_elements(evaluator_, evaluator_.widths().of(vcode::suffix_kind(suffix)), sizeof(char));
  if (delimiters.empty())
    text.reserve(std::min({most, stream->bytes_to_end(), max < 0 ? most : static_cast<std::size_t>(max)}));
  while (max < 0 || static_cast<std::int64_t>(text.size()) < max) {
    std::string_view input = stream->pending_input();
    if (input.empty()) {
      stop = kEndReached;
      break;
    }
    if (max >= 0) input = input.substr(0, static_cast<std::size_t>(max) - text.size());
    const std::size_t length = std::min(input.find_first_of(delimiters), input.size());
    if (length > most - text.size()) fail_too_large();
    text.append(input, 0, length);
    stream->skip(length);
    if (length == input.size()) continue;
    stop = stream->get();
    break;
  }
  note_typing(*stream);
  values.push_back(suffix == Suffix::kByte ? checked(make_text(evaluator_, text)) : characters(text));
  values.push_back(int_scalar(stop));
  const bool failed = stop == kEndReached && stream->read_error() != 0;
  return with_status(std::move(values), failed ? "FREAD_CHAR: " + read_failure(*stream) : "");
}

template <>
SystemOps::Values SystemOps::run_row<Op::kFopen>(Suffix, Value* operands) {
  const std::string name = text_of(Op::kFopen, operands[0]);
  const std::int64_t mode = integer_of(Op::kFopen, operands[1]);
  if (mode < 1 || mode > 3)
    throw RunError(fmt::format("FOPEN: mode {} is not 1 (read), 2 (write) or 3 (append)", mode));
  if (options_.sandbox) throw RunError(fmt::format("FOPEN of '{}' is refused: the program runs with --sandbox", name));
  std::string failure;
  std::int64_t number = kNullStream;
  if (name.size() >= PATH_MAX) {
    failure = "file name too long";
  } else if (name.find('\0') != std::string::npos) {
    failure = "file name contains a NUL character";
  } else {
    constexpr int kFlags[] = {O_RDONLY, O_WRONLY | O_CREAT | O_TRUNC, O_WRONLY | O_CREAT | O_APPEND};
    const int fd = ::open(name.c_str(), kFlags[mode - 1] | O_CLOEXEC, 0666);
    if (fd < 0)
      failure = strerror(errno);
    else
      number = streams_.add(fd);
  }
  Values values;
  values.push_back(int_scalar(number));
  return with_status(std::move(values), failure);
}

template <>
SystemOps::Values SystemOps::run_row<Op::kFclose>(Suffix, Value* operands) {
  const std::int64_t number = integer_of(Op::kFclose, operands[0]);
  if (value_files_.is_open(number)) {
    try {
      value_files_.close(number);
      return with_status({}, "");
    } catch (const FileError& error) {
      return with_status({}, error.what());
    }
  }
  if (streams_.find(number) == nullptr) return with_status({}, not_open(Op::kFclose, number));
  return with_status({}, streams_.close(number) ? "" : "vinterp: FCLOSE: could not close file");
}

template <>
SystemOps::Values SystemOps::run_row<Op::kSpawn>(Suffix, Value* operands) {
  const std::string command = text_of(Op::kSpawn, operands[0]);
  std::array<std::int64_t, 3> numbers{};
  for (int k = 0; k < 3; ++k) numbers[k] = integer_of(Op::kSpawn, operands[1 + k]);
  if (options_.sandbox || !options_.allow_spawn)
    throw RunError(fmt::format("SPAWN of '{}' is refused: {}", command,
                               options_.sandbox
                                   ? "the program runs with --sandbox"
                                   : "run with --allow-spawn, or NESL_ALLOW=spawn in the environment, to permit it"));
  std::string failure;
  std::array<int, 3> descriptors{};
  for (int k = 0; k < 3; ++k) {
    Stream* stream = numbers[k] == kNullStream ? nullptr : streams_.find(numbers[k]);
    if (numbers[k] != kNullStream && stream == nullptr) {
      if (failure.empty()) failure = not_open(Op::kSpawn, numbers[k]);
      numbers[k] = -2;
    }
    descriptors[k] = stream == nullptr ? -1 : stream->fd();
  }
  if (failure.empty()) {
    streams_.flush_all();
    failure = spawn_process(command, descriptors);
    for (int k = 0; k < 3 && failure.empty(); ++k)
      if (numbers[k] == kNullStream) numbers[k] = streams_.add(descriptors[k]);
  }
  Values values;
  for (int k : {2, 1, 0}) values.push_back(int_scalar(numbers[k]));
  return with_status(std::move(values), failure);
}

template <>
SystemOps::Values SystemOps::run_row<Op::kSeedRandom>(Suffix, Value* operands) {
  evaluator_.seed(static_cast<std::uint64_t>(integer_of(Op::kSeedRandom, operands[0])));
  Values values;
  values.push_back(Value::scalar(true));
  return values;
}

template <>
SystemOps::Values SystemOps::run_row<Op::kStartTimer>(Suffix, Value*) {
  timer_ = std::chrono::steady_clock::now();
  return {};
}

template <>
SystemOps::Values SystemOps::run_row<Op::kStopTimer>(Suffix, Value*) {
  if (!timer_) throw RunError("STOP_TIMER without START_TIMER before it");
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - *timer_;
  Values values;
  values.push_back(checked(make_floats(evaluator_, std::array{elapsed.count()})));
  return values;
}

template <>
SystemOps::Values SystemOps::run_row<Op::kClock>(Suffix, Value*) {
  const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
  Values values;
  values.push_back(checked(make_floats(evaluator_, std::array{now.count()})));
  return values;
}

template <>
SystemOps::Values SystemOps::run_row<Op::kDate>(Suffix, Value* operands) {
  const std::string format = text_of(Op::kDate, operands[0]);
  if (format.find('\0') != std::string::npos) throw RunError("DATE: the format contains a NUL character");
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  // strftime returns 0 for an empty result and for one that does not fit; an additional character excludes the former.
  const std::string longer = format + '.';
  std::string text(kLongestDate + 8 * longer.size(), '\0');
  const std::size_t length = std::strftime(text.data(), text.size(), longer.c_str(), &local);
  if (length == 0) throw RunError("DATE: the text is too long");
  text.resize(length - 1);
  Values values;
  values.push_back(characters(text));
  return values;
}

FileRequest SystemOps::request_of(Value* operands) const {
  return {.name = text_of(Op::kFopenAs, operands[0]),
          .format = text_of(Op::kFopenAs, operands[1]),
          .type = text_of(Op::kFopenAs, operands[2]),
          .wide_ints = evaluator_.widths().int_type == vcode::ElemType::kI64,
          .wide_floats = evaluator_.widths().float_type == vcode::ElemType::kF64};
}

template <>
SystemOps::Values SystemOps::run_row<Op::kFopenAs>(Suffix, Value* operands) {
  FileRequest request = request_of(operands);
  const std::int64_t mode = integer_of(Op::kFopenAs, operands[3]);
  if (mode < 1 || mode > 2) throw RunError(fmt::format("FOPEN_AS: mode {} is not 1 (read) or 2 (write)", mode));
  if (options_.sandbox)
    throw RunError(fmt::format("FOPEN_AS of '{}' is refused: the program runs with --sandbox", request.name));
  std::string failure;
  std::int64_t number = kNullStream;
  try {
    number = mode == 1 ? value_files_.open_to_read(std::move(request)) : value_files_.open_to_write(std::move(request));
  } catch (const FileError& error) {
    failure = error.what();
  }
  Values values;
  values.push_back(int_scalar(number));
  return with_status(std::move(values), failure);
}

template <>
SystemOps::Values SystemOps::run_row<Op::kGetenv>(Suffix, Value* operands) {
  const std::string name = text_of(Op::kGetenv, operands[0]);
  if (options_.sandbox) throw RunError(fmt::format("GETENV of '{}' is refused: the program runs with --sandbox", name));
  if (name.find('\0') != std::string::npos) throw RunError("GETENV: the name contains a NUL character");
  const char* text = std::getenv(name.c_str());
  Values values;
  values.push_back(characters(text == nullptr ? "" : text));
  return values;
}

template <>
SystemOps::Values SystemOps::run_row<Op::kArguments>(Suffix, Value*) {
  std::string text;
  std::vector<std::int64_t> lengths;
  for (const std::string& argument : options_.arguments) {
    text += argument;
    lengths.push_back(static_cast<std::int64_t>(argument.size()));
  }
  Values values;
  values.push_back(characters(text));
  values.push_back(checked(make_ints(evaluator_, lengths)));
  return values;
}

template <>
SystemOps::Values SystemOps::run_row<Op::kExit>(Suffix, Value*) {
  VC_CHECK(!"an instruction that the machine leaves to SystemOps");
  return {};
}

SystemOps::Values SystemOps::run(Op op, Suffix suffix, Value* operands) {
  const bool is_everywhere = op == Op::kSeedRandom || op == Op::kArguments;
  Values values;
  if (options_.job == nullptr || is_everywhere) {
    values = run_here(op, suffix, operands);
  } else if (std::optional<Values> of_all = run_on_ranks(op, suffix, operands)) {
    values = std::move(*of_all);
  } else {
    const auto count = static_cast<std::size_t>(vcode::info(op).signature.operand_count);
    values = compute_on_rank_zero(*options_.job, evaluator_, {operands, count},
                                  [&] { return run_here(op, suffix, operands); });
    if (options_.job->rank() != 0) hold_as_rank_zero(op, operands, values);
  }
  // Long descriptors need the device, and so all ranks. After a failure the value is no descriptor.
  if (suffix == Suffix::kSegdes && (op == Op::kRead || op == Op::kFread) && values.back().get<bool>())
    values[0] = checked(evaluator_.make_segdes(std::move(values[0])));
  return values;
}

std::optional<SystemOps::Values> SystemOps::run_on_ranks(Op op, Suffix suffix, Value* operands) {
  const bool opens = op == Op::kFopenAs && !options_.sandbox;
  const bool reads = op == Op::kFread || op == Op::kFclose;
  std::int64_t number = kNullStream;
  if (reads || op == Op::kFwrite) number = integer_of(op, operands[reads ? 0 : 1]);
  if (!opens && !rank_files_.is_open(number)) return std::nullopt;
  if (!evaluator_.settle()) throw RunError(evaluator_.failure(), evaluator_.fault());
  cvl::RankJob& job = *options_.job;
  Values values;
  std::string message;
  try {
    if (opens) {
      const std::int64_t mode = integer_of(op, operands[3]);
      std::optional<std::int64_t> opened;
      if (mode == 1) opened = rank_files_.open_to_read(job, request_of(operands));
      if (mode == 2) opened = rank_files_.open_to_write(request_of(operands));
      if (!opened) return std::nullopt;
      number = *opened;
    } else if (op == Op::kFread) {
      ReadOutcome outcome = rank_files_.take(job, suffix, number);
      values.push_back(checked(std::move(outcome.value)));
      message = outcome.message;
    } else if (op == Op::kFwrite) {
      message = rank_files_.add(suffix, operands[0], number);
    } else {
      rank_files_.close(job, number);
    }
  } catch (const FileError& error) {
    message = error.what();
    number = kNullStream;
  }
  if (opens) values.push_back(int_scalar(number));
  return with_status(std::move(values), message);
}

void SystemOps::hold_as_rank_zero(Op op, Value* operands, const Values& results) {
  if (op == Op::kFclose) {
    held_for_files_.erase(integer_of(op, operands[0]));
  } else if (op == Op::kFwrite && results.back().get<bool>()) {
    const std::int64_t number = integer_of(op, operands[1]);
    if (number > ValueFiles::kFirst) return;  // a stream, which is written at once
    held_for_files_[number].push_back(operands[0].is_segdes() ? checked(evaluator_.lengths_of(operands[0]))
                                                              : operands[0]);
  }
}

SystemOps::Values SystemOps::run_here(Op op, Suffix suffix, Value* operands) {
  switch (op) {
#define VC_SYSTEM(Name, ...) \
  case Op::k##Name:          \
    return run_row<Op::k##Name>(suffix, operands);
#include "vcode/ops.def"
    default:
      VC_CHECK(vcode::info(op).op_class == vcode::OpClass::kSystem);
      return {};
  }
}

}  // namespace interp
