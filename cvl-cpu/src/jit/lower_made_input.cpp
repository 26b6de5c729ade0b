#include "jit/lower_made_input.h"

#include <fmt/format.h>

#include "base/check.h"

namespace cvl::cpu {

void MadeInputWriter::enter_function(LlvmText& text) {
  if (!input_.is_constant) return;
  element_ = text.define(fmt::format("load {}, ptr {}", LlvmText::stored(segments_type_), members_.segments));
  spread_ = text.from_stored(type_, text.spread(type_, element_));
}

std::string MadeInputWriter::enter_segment(LlvmText& text, const std::string& k, const std::string& start,
                                           const std::string& begin, const std::string& end) {
  if (input_.is_constant) return "";
  const std::string number = text.define(fmt::format("mul i64 {}, {}", k, members_.step));
  const std::string first = text.define(fmt::format("mul i64 {}, {}", start, members_.step));
  const auto load = [&](ElemType type, const std::string& vector) {
    const std::string_view stored = LlvmText::stored(type);
    const std::string address = text.define(fmt::format("getelementptr {}, ptr {}, i64 {}", stored, vector, number));
    return text.define(fmt::format("load {}, ptr {}", stored, address));
  };
  const auto resize = [&](const std::string& integer, ElemType from, ElemType to) {
    if (from == to) return integer;
    const std::string_view how = elem_size(from) < elem_size(to) ? "sext" : "trunc";
    return text.define(fmt::format("{} {} {} to {}", how, LlvmText::stored(from), integer, LlvmText::stored(to)));
  };
  const std::string element = load(segments_type_, members_.segments);
  switch (input_.access) {
    case Loop::Access::kSpread:
      element_ = element;
      spread_ = text.from_stored(type_, text.spread(type_, element));
      return "";
    case Loop::Access::kProgression: {
      const std::string_view stored = LlvmText::stored(type_);
      stride_ = load(type_, members_.stride);
      const std::string before =
          text.define(fmt::format("mul {} {}, {}", stored, stride_, resize(first, ElemType::kI64, type_)));
      start_ = text.define(fmt::format("sub {} {}, {}", stored, element, before));
      std::string numbers;
      for (int lane = 0; lane < text.lanes(); ++lane)
        numbers += fmt::format("{}{} {}", lane > 0 ? ", " : "", stored, lane);
      const std::string strides = text.spread(type_, stride_);
      multiples_ = text.define(fmt::format("mul {} {}, <{}>", text.type(type_), strides, numbers));
      return "";
    }
    default: {
      VC_CHECK(input_.access == Loop::Access::kSlice);
      const std::string from = resize(element, segments_type_, ElemType::kI64);
      const std::string least = text.define(fmt::format("sub i64 {}, {}", first, begin));
      const std::string used = text.define(fmt::format("sub i64 {}, {}", end, first));
      const std::string most = text.define(fmt::format("sub i64 {}, {}", members_.length, used));
      const std::string low = text.define(fmt::format("icmp sge i64 {}, {}", from, least));
      const std::string high = text.define(fmt::format("icmp sle i64 {}, {}", from, most));
      const std::string origin = text.define(fmt::format("sub i64 {}, {}", from, first));
      address_ =
          text.define(fmt::format("getelementptr {}, ptr {}, i64 {}", LlvmText::stored(type_), members_.table, origin));
      return text.define(fmt::format("and i1 {}, {}", low, high));
    }
  }
}

LaneValue MadeInputWriter::elements(LlvmText& text, std::string_view e) const {
  if (input_.access == Loop::Access::kSpread) return spread_;
  return text.define(type_,
                     fmt::format("add {} {}, {}", text.type(type_), text.spread(type_, at(text, e)), multiples_));
}

std::string MadeInputWriter::element(LlvmText& text, std::string_view e) const {
  const std::string number = input_.access == Loop::Access::kSpread ? element_ : at(text, e);
  if (type_ == ElemType::kI64) return number;
  return text.define(fmt::format("sext {} {} to i64", LlvmText::stored(type_), number));
}

/// Element `e` of an INDEX.
std::string MadeInputWriter::at(LlvmText& text, std::string_view e) const {
  VC_CHECK(input_.access == Loop::Access::kProgression);
  const std::string_view stored = LlvmText::stored(type_);
  std::string position(e);
  if (type_ != ElemType::kI64) position = text.define(fmt::format("trunc i64 {} to {}", e, stored));
  const std::string steps = text.define(fmt::format("mul {} {}, {}", stored, stride_, position));
  return text.define(fmt::format("add {} {}, {}", stored, start_, steps));
}

}  // namespace cvl::cpu
