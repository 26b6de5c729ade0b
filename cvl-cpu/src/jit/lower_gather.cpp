#include "jit/lower_gather.h"

#include <cstdint>

#include <fmt/format.h>

#include "tuning/streaming_tuning.h"

namespace cvl::cpu {

std::string gather_bound(LlvmText& text, const std::string& elements, ElemType index) {
  const auto most = std::uint64_t{1} << (8 * elem_size(index) - 1);
  std::string bound = text.call("i64", "llvm.umin.i64", "i64, i64", fmt::format("i64 {}, i64 {}", elements, most));
  const std::string_view type = LlvmText::stored(index);
  if (index != ElemType::kI64) bound = text.define(fmt::format("trunc i64 {} to {}", bound, type));
  return text.spread(index, bound);
}

namespace {

/// Whether a masked gather is one instruction.
bool gathers_with_mask(const LlvmText& text) { return text.target().gathers_with_mask; }

}  // namespace

GatherTable gather_table(LlvmText& text, const std::string& address, const std::string& elements, ElemType index,
                         ElemType result) {
  const auto least = kFarTableBytes / static_cast<std::int64_t>(elem_size(result));
  GatherTable table{address,
                    gather_bound(text, elements, index),
                    text.define(fmt::format("icmp sge i64 {}, {}", elements, least)),
                    {}};
  if (!gathers_with_mask(text))
    table.indices = text.define(fmt::format("alloca {}, align {}", text.type(index), kLineBytes));
  return table;
}

void fetch_gathered(LlvmText& text, const GatherTable& table, ElemType result, ElemType index,
                    const std::string& address, const std::string& inside) {
  const int number = text.next_number();
  const std::string fetches = text.define(fmt::format("and i1 {}, {}", inside, table.is_far));
  text.line(fmt::format("br i1 {}, label %far.{}, label %fetched.{}", fetches, number, number));
  text.label(fmt::format("far.{}", number));
  const std::string_view type = LlvmText::stored(index);
  const std::string vector = fmt::format("<{} x {}>", text.lanes(), type);
  const std::string positions =
      text.define(fmt::format("load {}, ptr {}, align {}", vector, address, elem_size(index)));
  for (int lane = 0; lane < text.lanes(); ++lane) {
    const std::string position = text.define(fmt::format("extractelement {} {}, i64 {}", vector, positions, lane));
    const std::string element = text.define(
        fmt::format("getelementptr {}, ptr {}, {} {}", LlvmText::stored(result), table.address, type, position));
    text.call("void", "llvm.prefetch.p0", "ptr, i32, i32, i32", fmt::format("ptr {}, i32 0, i32 3, i32 1", element));
  }
  text.line(fmt::format("br label %fetched.{}", number));
  text.label(fmt::format("fetched.{}", number));
}

namespace {

/// Appends loads of the gathered elements, as they are stored. Lanes where `read` is false may get any element.
class Gathered {
 public:
  Gathered(LlvmText& text, const GatherTable& table, ElemType result, const LaneValue& index, const std::string& read)
      : text_(text),
        table_(table),
        result_(result),
        index_(index),
        read_(read),
        vector_(fmt::format("<{} x {}>", text.lanes(), LlvmText::stored(result))) {}

  /// Whether a masked gather is one instruction. Lanes that read nothing are then zero, in gathers and in loads.
  bool gathers_with_mask() const { return cpu::gathers_with_mask(text_); }

  /// Elements at indices of which neighbouring ones may differ by one of `strides`.
  std::string from_strides_or_anywhere(const Strides& strides) {
    const std::string first =
        text_.define(fmt::format("extractelement {} {}, i64 0", text_.type(index_.type), index_.text));
    const int number = text_.next_number();
    std::string ways;
    const auto take = [&](const std::string& elements) {
      ways += fmt::format("{}[ {}, %{} ]", ways.empty() ? "" : ", ", elements, text_.block());
      text_.line(fmt::format("br label %gathered.{}", number));
    };
    const auto look = [&](std::string_view way, const std::string& condition, auto read) {
      text_.line(fmt::format("br i1 {0}, label %{1}.{2}, label %not.{1}.{2}", condition, way, number));
      text_.label(fmt::format("{}.{}", way, number));
      take(read());
      text_.label(fmt::format("not.{}.{}", way, number));
    };
    if (strides.up) look("up", is_progression(first, 1), [&] { return from_run(first, 1); });
    if (strides.same) look("same", is_same(first), [&] { return from_one(first); });
    if (strides.down) look("down", is_progression(first, -1), [&] { return from_run(first, -1); });
    take(from_anywhere());
    text_.label(fmt::format("gathered.{}", number));
    return text_.define(fmt::format("phi {} {}", vector_, ways));
  }

  /// Elements at any indices. Where nothing is read, the first element, unless the target has a masked gather.
  std::string from_anywhere() {
    const std::string indices = text_.type(index_.type);
    const int n = text_.lanes();
    if (gathers_with_mask()) {
      if (elem_size(result_) == 1) return from_words();
      const std::string name = fmt::format("llvm.masked.gather.{}.v{}p0", text_.stored_overload(result_), n);
      return text_.call(vector_, name, fmt::format("<{} x ptr>, i32, {}, {}", n, bits(), vector_),
                        fmt::format("<{} x ptr> {}, i32 {}, {} {}, {} zeroinitializer", n,
                                    address(indices, index_.text), elem_size(result_), bits(), read_, vector_));
    }
    const std::string positions = text_.define(
        fmt::format("select {} {}, {} {}, {} zeroinitializer", bits(), read_, indices, index_.text, indices));
    text_.line(fmt::format("store {} {}, ptr {}, align {}", indices, positions, table_.indices, kLineBytes));
    const std::string_view index = LlvmText::stored(index_.type), element = LlvmText::stored(result_);
    std::string elements = "poison";
    for (int lane = 0; lane < n; ++lane) {
      const std::string at = text_.define(fmt::format("getelementptr {}, ptr {}, i64 {}", index, table_.indices, lane));
      const std::string position = text_.define(fmt::format("load {}, ptr {}", index, at));
      const std::string one = text_.define(fmt::format("load {}, ptr {}", element, address(index, position)));
      elements = text_.define(fmt::format("insertelement {} {}, {} {}, i64 {}", vector_, elements, element, one, lane));
    }
    return elements;
  }

 private:
  /// Whether from_run() reads the elements.
  std::string is_progression(const std::string& first, int stride) {
    const std::string indices = text_.type(index_.type);
    std::string numbers;
    for (int lane = 0; lane < text_.lanes(); ++lane)
      numbers += fmt::format("{}{} {}", lane > 0 ? ", " : "", LlvmText::stored(index_.type), stride * lane);
    const std::string run =
        text_.define(fmt::format("add {} {}, <{}>", indices, text_.spread(index_.type, first), numbers));
    return are_all(loads_with_mask() ? unless_read(equal(run))
                                     : text_.define(fmt::format("and {} {}, {}", bits(), equal(run), read_)));
  }

  /// Whether from_one() reads the elements: the first lane reads, and all lanes that read have its index.
  std::string is_same(const std::string& first) {
    const std::string all = are_all(unless_read(equal(text_.spread(index_.type, first))));
    const std::string reads = text_.define(fmt::format("extractelement {} {}, i64 0", bits(), read_));
    return text_.define(fmt::format("and i1 {}, {}", all, reads));
  }

  std::string equal(const std::string& positions) {
    return text_.define(fmt::format("icmp eq {} {}, {}", text_.type(index_.type), index_.text, positions));
  }
  /// Lanes, and those that read nothing.
  std::string unless_read(const std::string& lanes) {
    const std::string others = text_.define(fmt::format("xor {} {}, splat (i1 true)", bits(), read_));
    return text_.define(fmt::format("or {} {}, {}", bits(), lanes, others));
  }
  std::string are_all(const std::string& lanes) {
    return text_.call("i1", fmt::format("llvm.vector.reduce.and.v{}i1", text_.lanes()), bits(),
                      fmt::format("{} {}", bits(), lanes));
  }

  /// Elements at consecutive indices, ascending or, with a stride of -1, descending. `first` is the index in the first
  /// lane.
  std::string from_run(const std::string& first, int stride) {
    const std::string_view type = LlvmText::stored(index_.type);
    std::string lowest = first, read = read_;
    if (stride < 0) {
      lowest = text_.define(fmt::format("sub {} {}, {}", type, first, text_.lanes() - 1));
      read = reversed(bits(), read_);
    }
    const std::string from = address(type, lowest);
    std::string run;
    if (loads_with_mask())
      run = text_.call(
          vector_, fmt::format("llvm.masked.load.{}.p0", text_.stored_overload(result_)),
          fmt::format("ptr, i32, {}, {}", bits(), vector_),
          fmt::format("ptr {}, i32 {}, {} {}, {} zeroinitializer", from, elem_size(result_), bits(), read, vector_));
    else
      run = text_.define(fmt::format("load {}, ptr {}, align {}", vector_, from, elem_size(result_)));
    return stride < 0 ? reversed(vector_, run) : run;
  }
  std::string reversed(const std::string& type, const std::string& vector) {
    std::string lanes;
    for (int lane = text_.lanes() - 1; lane >= 0; --lane)
      lanes += fmt::format("{}i32 {}", lanes.empty() ? "" : ", ", lane);
    return text_.define(
        fmt::format("shufflevector {0} {1}, {0} poison, <{2} x i32> <{3}>", type, vector, text_.lanes(), lanes));
  }

  /// Truth values or bytes at any indices, from words that are gathered: instructions do not gather bytes. A word is
  /// aligned, so that it is in the memory of the vector.
  std::string from_words() {
    const int n = text_.lanes();
    const std::string indices = text_.type(index_.type), numbers = fmt::format("<{} x i32>", n);
    const auto spread = [&](int number) { return LlvmText::splat_int(index_.type, number).text; };
    const std::string begin = text_.define(fmt::format("ptrtoint ptr {} to i64", table_.address));
    std::string bytes = text_.define(fmt::format("and i64 {}, 3", begin));  // in front of the vector in its first word
    const std::string back = text_.define(fmt::format("sub i64 0, {}", bytes));
    const std::string first = text_.define(fmt::format("getelementptr i8, ptr {}, i64 {}", table_.address, back));
    if (index_.type == ElemType::kI32) bytes = text_.define(fmt::format("trunc i64 {} to i32", bytes));
    const std::string byte =
        text_.define(fmt::format("add {} {}, {}", indices, index_.text, text_.spread(index_.type, bytes)));
    const std::string word = text_.define(fmt::format("lshr {} {}, {}", indices, byte, spread(2)));
    const std::string from = text_.define(fmt::format("getelementptr i32, ptr {}, {} {}", first, indices, word));
    const std::string words =
        text_.call(numbers, fmt::format("llvm.masked.gather.v{}i32.v{}p0", n, n),
                   fmt::format("<{} x ptr>, i32, {}, {}", n, bits(), numbers),
                   fmt::format("<{} x ptr> {}, i32 4, {} {}, {} zeroinitializer", n, from, bits(), read_, numbers));
    const std::string in_word = text_.define(fmt::format("and {} {}, {}", indices, byte, spread(3)));
    std::string shift = text_.define(fmt::format("shl {} {}, {}", indices, in_word, spread(3)));
    if (index_.type == ElemType::kI64) shift = text_.define(fmt::format("trunc {} {} to {}", indices, shift, numbers));
    const std::string shifted = text_.define(fmt::format("lshr {} {}, {}", numbers, words, shift));
    return text_.define(fmt::format("trunc {} {} to {}", numbers, shifted, vector_));
  }

  /// The element at the index in the first lane, for all lanes.
  std::string from_one(const std::string& first) {
    const std::string_view type = LlvmText::stored(result_);
    const std::string element = text_.define(fmt::format(
        "load {}, ptr {}, align {}", type, address(LlvmText::stored(index_.type), first), elem_size(result_)));
    const std::string all = text_.spread(result_, element);
    return text_.define(fmt::format("select {} {}, {} {}, {} zeroinitializer", bits(), read_, vector_, all, vector_));
  }

  std::string bits() const { return text_.type(ElemType::kB8); }
  bool loads_with_mask() const {
    const NativeTarget& target = text_.target();
    return elem_size(result_) == 1 ? target.loads_bytes_with_mask : target.loads_numbers_with_mask;
  }
  std::string address(std::string_view type, const std::string& positions) {
    return text_.define(
        fmt::format("getelementptr {}, ptr {}, {} {}", LlvmText::stored(result_), table_.address, type, positions));
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
                              const LaneValue* flags, const std::string& present, const Strides& strides) {
  const std::string bits = text.type(ElemType::kB8), indices = text.type(index.type);
  const auto both = [&](const std::string& x, const std::string& y) {
    return text.define(fmt::format("and {} {}, {}", bits, x, y));
  };
  // Compare as unsigned, so that negative indices are out of range, too.
  LoweredOperation lowered;
  lowered.faults = text.define(fmt::format("icmp uge {} {}, {}", indices, index.text, table.bound));
  std::string read = text.define(fmt::format("icmp ult {} {}, {}", indices, index.text, table.bound));
  if (flags != nullptr) {
    lowered.faults = both(lowered.faults, flags->text);
    read = both(read, flags->text);
  }
  if (!present.empty()) read = both(read, present);

  Gathered gathered(text, table, result, index, read);
  const std::string value = strides.any() ? gathered.from_strides_or_anywhere(strides) : gathered.from_anywhere();
  lowered.value = text.from_stored(result, value);
  if (flags != nullptr && !gathered.gathers_with_mask()) {
    const std::string type = text.type(result);
    lowered.value = text.define(result, fmt::format("select {} {}, {} {}, {} zeroinitializer", bits, flags->text, type,
                                                    lowered.value.text, type));
  }
  return lowered;
}

}  // namespace cvl::cpu
