#include "native/lower_gather.h"

#include <cstdint>

#include <fmt/format.h>

#include "base/tuning.h"

namespace cvl::cpu {

std::string gather_bound(LlvmText& text, const std::string& elements, ElemType index) {
  const auto most = std::uint64_t{1} << (8 * elem_size(index) - 1);
  std::string bound = text.call("i64", "llvm.umin.i64", "i64, i64", fmt::format("i64 {}, i64 {}", elements, most));
  const std::string_view type = LlvmText::stored(index);
  if (index != ElemType::kI64) bound = text.define(fmt::format("trunc i64 {} to {}", bound, type));
  return text.spread(index, bound);
}

std::string gather_is_far(LlvmText& text, const std::string& elements, ElemType result) {
  const auto least = kFarTableBytes / static_cast<std::int64_t>(elem_size(result));
  return text.define(fmt::format("icmp sge i64 {}, {}", elements, least));
}

void fetch_gathered(LlvmText& text, const GatherTable& table, ElemType result, ElemType index,
                    const std::string& address, const std::string& inside) {
  const int number = text.next_number();
  const std::string fetches = text.define(fmt::format("and i1 {}, {}", inside, table.is_far));
  text.line(fmt::format("br i1 {}, label %far.{}, label %fetched.{}", fetches, number, number));
  text.label(fmt::format("far.{}", number));
  const std::string_view type = LlvmText::stored(index);
  const std::string vector = fmt::format("<{} x {}>", text.lanes(), type);
  const std::string places = text.define(fmt::format("load {}, ptr {}, align {}", vector, address, elem_size(index)));
  for (int lane = 0; lane < text.lanes(); ++lane) {
    const std::string place = text.define(fmt::format("extractelement {} {}, i64 {}", vector, places, lane));
    const std::string element = text.define(
        fmt::format("getelementptr {}, ptr {}, {} {}", LlvmText::stored(result), table.address, type, place));
    text.call("void", "llvm.prefetch.p0", "ptr, i32, i32, i32", fmt::format("ptr {}, i32 0, i32 3, i32 1", element));
  }
  text.line(fmt::format("br label %fetched.{}", number));
  text.label(fmt::format("fetched.{}", number));
}

namespace {

/// The elements that are gathered, as they are stored; any where `read` is false.
class Gathered {
 public:
  Gathered(LlvmText& text, const GatherTable& table, ElemType result, const LaneValue& index, const std::string& read)
      : text_(text),
        table_(table),
        result_(result),
        index_(index),
        read_(read),
        vector_(fmt::format("<{} x {}>", text.lanes(), LlvmText::stored(result))) {}

  /// Whether there are zeros where nothing is read, in either way.
  bool gathers_with_mask() const { return text_.target().gathers_with_mask && result_ != ElemType::kB8; }

  /// From places that may follow each other. `present` is as for lower_gather().
  std::string from_run_or_anywhere(const std::string& present) {
    const std::string first =
        text_.define(fmt::format("extractelement {} {}, i64 0", text_.type(index_.type), index_.text));
    const int number = text_.next_number();
    text_.line(fmt::format("br i1 {}, label %run.{}, label %places.{}", is_run(first, present), number, number));
    text_.label(fmt::format("run.{}", number));
    const std::string run = from_run(first);
    text_.line(fmt::format("br label %gathered.{}", number));
    text_.label(fmt::format("places.{}", number));
    const std::string places = from_anywhere();
    text_.line(fmt::format("br label %gathered.{}", number));
    text_.label(fmt::format("gathered.{}", number));
    return text_.define(
        fmt::format("phi {} [ {}, %run.{} ], [ {}, %places.{} ]", vector_, run, number, places, number));
  }

  /// From places anywhere. Where nothing is read, the first element, unless the target gathers with a mask.
  std::string from_anywhere() {
    const bool masked = gathers_with_mask();
    const std::string indices = text_.type(index_.type);
    const std::string places = masked ? index_.text
                                      : text_.define(fmt::format("select {} {}, {} {}, {} zeroinitializer", bits(),
                                                                 read_, indices, index_.text, indices));
    const int n = text_.lanes();
    const std::string name = fmt::format("llvm.masked.gather.{}.v{}p0", text_.stored_overload(result_), n);
    return text_.call(vector_, name, fmt::format("<{} x ptr>, i32, {}, {}", n, bits(), vector_),
                      fmt::format("<{} x ptr> {}, i32 {}, {} {}, {} zeroinitializer", n, address(indices, places),
                                  elem_size(result_), bits(), masked ? read_ : "splat (i1 true)", vector_));
  }

 private:
  /// Defines whether from_run() reads the same.
  std::string is_run(const std::string& first, const std::string& present) {
    const std::string indices = text_.type(index_.type);
    std::string numbers;
    for (int lane = 0; lane < text_.lanes(); ++lane)
      numbers += fmt::format("{}{} {}", lane > 0 ? ", " : "", LlvmText::stored(index_.type), lane);
    const std::string run =
        text_.define(fmt::format("add {} {}, <{}>", indices, text_.spread(index_.type, first), numbers));
    std::string fits = text_.define(fmt::format("icmp eq {} {}, {}", indices, index_.text, run));
    if (!loads_with_mask()) {
      fits = text_.define(fmt::format("and {} {}, {}", bits(), fits, read_));
    } else if (!present.empty()) {
      const std::string absent = text_.define(fmt::format("xor {} {}, splat (i1 true)", bits(), present));
      fits = text_.define(fmt::format("or {} {}, {}", bits(), fits, absent));
    }
    return text_.call("i1", fmt::format("llvm.vector.reduce.and.v{}i1", text_.lanes()), bits(),
                      fmt::format("{} {}", bits(), fits));
  }

  /// From places behind each other, of which `first` is that of the first lane.
  std::string from_run(const std::string& first) {
    const std::string from = address(LlvmText::stored(index_.type), first);
    if (!loads_with_mask())
      return text_.define(fmt::format("load {}, ptr {}, align {}", vector_, from, elem_size(result_)));
    return text_.call(
        vector_, fmt::format("llvm.masked.load.{}.p0", text_.stored_overload(result_)),
        fmt::format("ptr, i32, {}, {}", bits(), vector_),
        fmt::format("ptr {}, i32 {}, {} {}, {} zeroinitializer", from, elem_size(result_), bits(), read_, vector_));
  }

  std::string bits() const { return text_.type(ElemType::kB8); }
  bool loads_with_mask() const {
    const NativeTarget& target = text_.target();
    return result_ == ElemType::kB8 ? target.loads_truth_with_mask : target.loads_numbers_with_mask;
  }
  std::string address(std::string_view type, const std::string& places) {
    return text_.define(
        fmt::format("getelementptr {}, ptr {}, {} {}", LlvmText::stored(result_), table_.address, type, places));
  }

  LlvmText& text_;
  const GatherTable& table_;
  ElemType result_;
  const LaneValue& index_;
  const std::string& read_;
  std::string vector_;
};

}  // namespace

LoweredOperation lower_gather(LlvmText& text, const GatherTable& table, ElemType result, const LaneValue& index,
                              const LaneValue* flags, const std::string& present, bool may_be_run) {
  const std::string bits = text.type(ElemType::kB8), indices = text.type(index.type);
  const auto both = [&](const std::string& x, const std::string& y) {
    return text.define(fmt::format("and {} {}, {}", bits, x, y));
  };
  // Taken as unsigned, negative indices are out of range, too.
  LoweredOperation lowered;
  lowered.faults = text.define(fmt::format("icmp uge {} {}, {}", indices, index.text, table.bound));
  std::string read = text.define(fmt::format("icmp ult {} {}, {}", indices, index.text, table.bound));
  if (flags != nullptr) {
    lowered.faults = both(lowered.faults, flags->text);
    read = both(read, flags->text);
  }
  if (!present.empty()) read = both(read, present);

  Gathered gathered(text, table, result, index, read);
  const std::string value = may_be_run ? gathered.from_run_or_anywhere(present) : gathered.from_anywhere();
  lowered.value = text.from_stored(result, value);
  if (flags != nullptr && !gathered.gathers_with_mask()) {
    const std::string type = text.type(result);
    lowered.value = text.define(result, fmt::format("select {} {}, {} {}, {} zeroinitializer", bits, flags->text, type,
                                                    lowered.value.text, type));
  }
  return lowered;
}

}  // namespace cvl::cpu
