#include "files/value_files.h"

#include <algorithm>
#include <utility>

#include "cvl/dispatch.h"
#include "files/file_formats.h"

namespace interp {

using runtime::Value;
using vcode::ElemType;
using vcode::Suffix;

ValueFiles::ValueFiles(runtime::Evaluator& evaluator)
    : evaluator_(evaluator), memory_(std::make_shared<FileMemory>(evaluator.heap().device())) {}

template <class T>
Value ValueFiles::lent(FileElements<T>& elements, ElemType type) {
  runtime::Heap& heap = evaluator_.heap();
  // A borrowed vector keeps its spare capacity, so vectors with much of it are copied.
  const bool fits = elements.capacity() - elements.size() <= elements.size() / 8;
  if (!fits || !heap.can_borrow(static_cast<std::int64_t>(elements.size()))) return Value();
  struct Owner {
    std::shared_ptr<FileMemory> memory;
    FileElements<T> elements;
  };
  std::unique_ptr<Owner> owner(new Owner{memory_, std::move(elements)});
  const auto give_back = [](void* returned) { delete static_cast<Owner*>(returned); };
  runtime::VectorObject* const vector = heap.borrow(type, static_cast<std::int64_t>(owner->elements.size()),
                                                    owner->elements.data(), {give_back, owner.get()});
  if (vector == nullptr) {
    elements = std::move(owner->elements);
    return Value();
  }
  owner.release();
  return Value::adopt(vector);
}

ReadOutcome ValueFiles::outcome(FileVector vector) {
  const vcode::Widths widths = evaluator_.widths();
  Value elements;
  if (vector.kind == Suffix::kFloat) {
    if (widths.float_type == ElemType::kF64) elements = lent(vector.floats, widths.float_type);
    if (elements.tag() == Value::Tag::kNone) elements = make_floats(evaluator_, vector.floats);
  } else if (vector.kind == Suffix::kBool) {
    elements = lent(vector.bytes, ElemType::kB8);
    if (elements.tag() == Value::Tag::kNone) elements = make_bools(evaluator_, vector.bytes);
  } else if (vector.kind == Suffix::kByte) {
    elements = lent(vector.bytes, ElemType::kU8);
    if (elements.tag() == Value::Tag::kNone)
      elements = make_text(evaluator_, {reinterpret_cast<const char*>(vector.bytes.data()), vector.bytes.size()});
  } else {
    if (widths.int_type == ElemType::kI64) elements = lent(vector.ints, widths.int_type);
    if (elements.tag() == Value::Tag::kNone) elements = make_ints(evaluator_, vector.ints);
  }
  return {std::move(elements), ""};
}

void ValueFiles::take_names(FileRequest& request) {
  std::size_t at = request.format.find('\n');
  const std::string lines = std::exchange(request.format, request.format.substr(0, at));
  while (at < lines.size()) {
    const std::size_t begin = at + 1;
    at = std::min(lines.find('\n', begin), lines.size());
    request.names.push_back(lines.substr(begin, at - begin));
  }
}

std::int64_t ValueFiles::open(Open file) {
  std::int64_t number = kFirst;
  while (files_.contains(number)) --number;
  files_.emplace(number, std::move(file));
  return number;
}

std::int64_t ValueFiles::open_to_read(FileRequest request) {
  request.memory = memory_.get();
  take_names(request);
  FileValue value = read_file_value(request);
  return open({.request = std::move(request), .read = std::move(value)});
}

std::int64_t ValueFiles::open_to_write(FileRequest request) {
  take_names(request);
  return open({.request = std::move(request), .to_write = true});
}

ReadOutcome ValueFiles::take(Suffix type, std::int64_t number) {
  Open& file = files_.at(number);
  if (file.to_write || file.read.empty() || !file.read.front().is_for(type))
    return {outcome(FileVector(type, *memory_)).value, "input error: the file has no such vector next"};
  FileVector vector = std::move(file.read.front());
  file.read.pop_front();
  vector.become(type);
  return outcome(std::move(vector));
}

std::string ValueFiles::add(Suffix type, const Value& elements, std::int64_t number) {
  Open& file = files_.at(number);
  if (!file.to_write) return "the file is not open for writing";
  file.written.push_back({type, elements});
  return "";
}

void ValueFiles::write(const Open& file) {
  FileColumns columns;
  std::deque<std::vector<std::int64_t>> ints;  // copies of vectors that the program has in other widths
  std::deque<std::vector<double>> floats;
  for (const Written& written : file.written) {
    FileColumn column;
    const auto length = static_cast<std::size_t>(written.elements.length());
    cvl::with_type(written.elements.type(), [&]<class T>() {
      const std::span from(static_cast<const T*>(evaluator_.heap().host_data(written.elements)), length);
      column.kind = written.kind == Suffix::kSegdes   ? Suffix::kSegdes
                    : std::is_same_v<T, bool>         ? Suffix::kBool
                    : std::is_same_v<T, std::uint8_t> ? Suffix::kByte
                    : std::is_floating_point_v<T>     ? Suffix::kFloat
                                                      : Suffix::kInt;
      if constexpr (sizeof(T) == 1)
        column.bytes = {reinterpret_cast<const std::uint8_t*>(from.data()), length};
      else if constexpr (std::is_same_v<T, double>)
        column.floats = from;
      else if constexpr (std::is_same_v<T, std::int64_t>)
        column.ints = from;
      else if constexpr (std::is_floating_point_v<T>)
        column.floats = floats.emplace_back(from.begin(), from.end());
      else
        column.ints = ints.emplace_back(from.begin(), from.end());
    });
    columns.push_back(column);
  }
  write_file_value(file.request, columns);
}

void ValueFiles::close(std::int64_t number) {
  const Open file = std::move(files_.at(number));
  files_.erase(number);
  if (file.to_write) write(file);
}

}  // namespace interp
