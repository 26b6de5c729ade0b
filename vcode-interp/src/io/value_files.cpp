#include "io/value_files.h"

#include <algorithm>

#include "cvl/dispatch.h"
#include "io/file_formats.h"

namespace interp {

using runtime::Value;
using vcode::Suffix;

namespace {

ReadOutcome outcome(runtime::Evaluator& evaluator, const FileVector& vector) {
  switch (vector.kind) {
    case Suffix::kFloat:
      return {make_floats(evaluator, vector.floats), ""};
    case Suffix::kBool:
      return {make_bools(evaluator, vector.bools), ""};
    case Suffix::kSegdes: {
      Value lengths = make_ints(evaluator, vector.ints);
      if (lengths.tag() == Value::Tag::kNone) return {Value(), ""};
      return {evaluator.make_segdes(std::move(lengths)), ""};
    }
    default:
      return {make_ints(evaluator, vector.ints), ""};
  }
}

}  // namespace

std::int64_t ValueFiles::open(Open file) {
  std::int64_t number = kFirst;
  while (files_.contains(number)) --number;
  files_.emplace(number, std::move(file));
  return number;
}

std::int64_t ValueFiles::open_to_read(FileRequest request) {
  FileValue value = read_file_value(request);
  return open({.request = std::move(request), .value = std::move(value)});
}

std::int64_t ValueFiles::open_to_write(FileRequest request) {
  return open({.request = std::move(request), .to_write = true});
}

ReadOutcome ValueFiles::take(runtime::Evaluator& evaluator, Suffix type, std::int64_t number) {
  Open& file = files_.at(number);
  if (file.to_write || file.taken == file.value.size() || file.value[file.taken].kind != type)
    return {outcome(evaluator, {.kind = type}).value, "input error: the file has no such vector next"};
  // Each vector is taken once, so that its memory is free for the next.
  const FileVector vector = std::move(file.value[file.taken++]);
  return outcome(evaluator, vector);
}

std::string ValueFiles::add(runtime::Evaluator& evaluator, Suffix type, const Value& elements, std::int64_t number) {
  Open& file = files_.at(number);
  if (!file.to_write) return "the file is not open for writing";
  FileVector vector{.kind = type};
  cvl::with_type(elements.type(), [&]<class T>() {
    const T* from = static_cast<const T*>(evaluator.heap().host_data(elements));
    const auto copy = [&](auto& to) { to.assign(from, from + elements.length()); };
    if constexpr (std::is_same_v<T, bool>)
      copy(vector.bools);
    else if constexpr (std::is_floating_point_v<T>)
      copy(vector.floats);
    else
      copy(vector.ints);
  });
  file.value.push_back(std::move(vector));
  return "";
}

void ValueFiles::close(std::int64_t number) {
  const Open file = std::move(files_.at(number));
  files_.erase(number);
  if (file.to_write) write_file_value(file.request, file.value);
}

}  // namespace interp
