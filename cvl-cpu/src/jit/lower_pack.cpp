#include "jit/lower_pack.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace cvl::cpu {

namespace {

/// Compression table: for each set of flags, the numbers of the 32-bit lanes of a register that are kept, a byte each;
/// an element is `width` such lanes.
std::string compress_table(int flags, int width) {
  std::string entries;
  for (int set = 0; set < 1 << flags; ++set) {
    std::uint64_t lanes = 0;
    int at = 0;
    for (int flag = 0; flag < flags; ++flag)
      for (int part = 0; part < width && (set >> flag & 1) != 0; ++part)
        lanes |= static_cast<std::uint64_t>(flag * width + part) << 8 * at++;
    entries += fmt::format("{}i64 {}", set > 0 ? ", " : "", lanes);
  }
  return fmt::format("@compress.{} = private unnamed_addr constant [{} x i64] [{}]", flags, 1 << flags, entries);
}

/// Type of the lanes of which instructions move the kept ones to the front: none move bytes. The lanes fill a register.
ElemType moved_as(ElemType type, const LlvmText& text) {
  if (type != ElemType::kU8) return type;
  return 4 * text.lanes() < text.target().register_bytes ? ElemType::kI64 : ElemType::kI32;
}

}  // namespace

void PackWriter::load_members() {
  for (const Loop::Pack& pack : loop_.packs) {
    Members& members = members_.emplace_back();
    members.result = load_member(text_, loop_.arguments, pack.result);
    members.position = load_member(text_, loop_.arguments, pack.position);
    members.room = load_member(text_, loop_.arguments, pack.room);
    if (!by_segments_ || !pack.counts) continue;
    members.lengths = load_member(text_, loop_.arguments, pack.lengths);
    members.distance = load_member(text_, loop_.arguments, pack.distance);
  }
}

std::vector<LaneValue> PackWriter::initial() {
  std::vector<LaneValue> positions;
  for (Members& members : members_) {
    positions.push_back({text_.define(fmt::format("load i64, ptr {}", members.position))});
    members.first = positions.back().text;
  }
  return positions;
}

void PackWriter::end(std::span<const LaneValue> positions) {
  for (std::size_t k = 0; k < positions.size(); ++k)
    text_.line(fmt::format("store i64 {}, ptr {}", positions[k].text, members_[k].position));
}

void PackWriter::store_counts(const std::string& segment, std::span<const LaneValue> positions) {
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const Members& members = members_[k];
    if (members.lengths.empty()) continue;
    const ElemType type = types_[loop_.packs[k].step->results[1]];
    std::string count =
        positions.empty() ? "0" : text_.define(fmt::format("sub i64 {}, {}", positions[k].text, members.first));
    if (type == ElemType::kI32 && !positions.empty()) count = text_.define(fmt::format("trunc i64 {} to i32", count));
    text_.line(fmt::format("store {} {}, ptr {}", LlvmText::stored(type), count,
                           element_address(text_, type, members.lengths,
                                           text_.define(fmt::format("mul i64 {}, {}", segment, members.distance)))));
  }
}

std::string PackWriter::bits_as_integer(const std::string& keep) {
  return text_.define(fmt::format("bitcast {} {} to i{}", text_.type(ElemType::kB8), keep, text_.lanes()));
}

void PackWriter::add(std::size_t k, const LaneValue& elements, const LaneValue& flags, std::span<LaneValue> positions,
                     const std::string& mask) {
  LaneValue keep = flags;
  const std::string bits = text_.type(ElemType::kB8);
  if (!mask.empty()) keep.text = text_.define(fmt::format("and {} {}, {}", bits, flags.text, mask));
  const int lanes = text_.lanes();
  const int together = elements.type == ElemType::kB8
                           ? lanes
                           : std::min(lanes, text_.target().register_bytes /
                                                 static_cast<int>(elem_size(moved_as(elements.type, text_))));
  for (int first = 0; first < lanes; first += together) {
    const LaneValue part = text_.part(elements, first, together), kept = text_.part(keep, first, together);
    text_.set_lanes(together);
    const std::string to = element_address(text_, elements.type, members_[k].result, positions[k].text);
    const std::string set = text_.define(fmt::format("zext i{} {} to i64", together, bits_as_integer(kept.text)));
    const std::string count = text_.call("i64", "llvm.ctpop.i64", "i64", "i64 " + set);
    if (mask.empty())
      write(part, kept.text, to);
    else
      write_where_room(k, part, kept.text, to, positions[k].text, count);
    positions[k].text = text_.define(fmt::format("add i64 {}, {}", positions[k].text, count));
    text_.set_lanes(lanes);
  }
}

/// Whether an instruction packs the kept elements of a register.
bool PackWriter::compresses(ElemType type) const {
  return type != ElemType::kB8 && text_.target().is_x86() && text_.target().register_bytes == kLineBytes;
}

void PackWriter::write(const LaneValue& elements, const std::string& keep, const std::string& to) {
  const NativeTarget& target = text_.target();
  if (!target.is_x86() || target.register_bytes < 32) return write_each(elements, keep, to);
  if (elements.type == ElemType::kB8) return write_truth(elements, keep, to);
  lower_store(text_, packed(elements, keep), to, "");
}

/// The kept elements of a register in the first lanes.
LaneValue PackWriter::packed(const LaneValue& elements, const std::string& keep) {
  const ElemType type = elements.type, moved = moved_as(type, text_);
  const auto converted = [&](std::string_view instruction, const LaneValue& lanes, ElemType to) {
    return text_.define(to,
                        fmt::format("{} {} {} to {}", instruction, text_.type(lanes.type), lanes.text, text_.type(to)));
  };
  const LaneValue wide = moved == type ? elements : converted("zext", elements, moved);
  const LaneValue kept = compresses(moved) ? compressed(wide, keep) : packed_by_table(wide, keep);
  return moved == type ? kept : converted("trunc", kept, type);
}

LaneValue PackWriter::compressed(const LaneValue& elements, const std::string& keep) {
  const std::string t = text_.type(elements.type), bits = text_.type(ElemType::kB8);
  return {text_.call(t, "llvm.x86.avx512.mask.compress." + text_.overload(elements.type),
                     fmt::format("{0}, {0}, {1}", t, bits),
                     fmt::format("{0} {1}, {0} zeroinitializer, {2} {3}", t, elements.text, bits, keep)),
          elements.type};
}

/// Packs a register of 32 bytes by the compression table.
LaneValue PackWriter::packed_by_table(const LaneValue& elements, const std::string& keep) {
  const int n = text_.lanes();
  text_.declare(compress_table(n, 8 / n));
  const std::string set = text_.define(fmt::format("zext i{} {} to i64", n, bits_as_integer(keep)));
  const std::string entry = text_.define(fmt::format("getelementptr i64, ptr @compress.{}, i64 {}", n, set));
  const std::string order = text_.define(fmt::format("load <8 x i8>, ptr {}", entry));
  const std::string lanes = text_.define(fmt::format("zext <8 x i8> {} to <8 x i32>", order));
  const std::string t = text_.type(elements.type);
  const std::string words = text_.define(fmt::format("bitcast {} {} to <8 x i32>", t, elements.text));
  const std::string moved = text_.call("<8 x i32>", "llvm.x86.avx2.permd", "<8 x i32>, <8 x i32>",
                                       fmt::format("<8 x i32> {}, <8 x i32> {}", words, lanes));
  return text_.define(elements.type, fmt::format("bitcast <8 x i32> {} to {}", moved, t));
}

void PackWriter::write_truth(const LaneValue& elements, const std::string& keep, const std::string& to) {
  const int n = text_.lanes();
  const auto widened = [&](const std::string& bits) {
    return text_.define(fmt::format("zext i{} {} to i64", n, bits_as_integer(bits)));
  };
  const std::string set = widened(elements.text), chosen = widened(keep);
  const std::string kept =
      text_.call("i64", "llvm.x86.bmi.pext.64", "i64, i64", fmt::format("i64 {}, i64 {}", set, chosen));
  const std::string lanes = text_.define(fmt::format("trunc i64 {} to i{}", kept, n));
  lower_store(text_,
              text_.define(ElemType::kB8, fmt::format("bitcast i{} {} to {}", n, lanes, text_.type(ElemType::kB8))), to,
              "");
}

/// Writes lane by lane: each is stored, and overwritten by the next one unless its flag is true.
void PackWriter::write_each(const LaneValue& elements, const std::string& keep, const std::string& to) {
  const std::string_view stored = LlvmText::stored(elements.type);
  std::string at = to;
  for (int lane = 0; lane < text_.lanes(); ++lane) {
    const auto take = [&](ElemType type, const std::string& vector) {
      return text_.define(fmt::format("extractelement {} {}, i64 {}", text_.type(type), vector, lane));
    };
    std::string element = take(elements.type, elements.text);
    if (elements.type == ElemType::kB8) element = text_.define(fmt::format("zext i1 {} to i8", element));
    text_.line(fmt::format("store {} {}, ptr {}", stored, element, at));
    const std::string step = text_.define(fmt::format("zext i1 {} to i64", take(ElemType::kB8, keep)));
    at = text_.define(fmt::format("getelementptr {}, ptr {}, i64 {}", stored, at, step));
  }
}

/// Writes all lanes if there is room for them, otherwise only the kept elements, `count` of them.
void PackWriter::write_where_room(std::size_t k, const LaneValue& elements, const std::string& keep,
                                  const std::string& to, const std::string& position, const std::string& count) {
  const int number = text_.next_number();
  const std::string end = text_.define(fmt::format("add i64 {}, {}", position, text_.lanes()));
  const std::string fits = text_.define(fmt::format("icmp sle i64 {}, {}", end, members_[k].room));
  text_.line(fmt::format("br i1 {0}, label %roomy.{1}, label %narrow.{1}", fits, number));
  text_.label(fmt::format("roomy.{}", number));
  write(elements, keep, to);
  text_.line(fmt::format("br label %packed.{}", number));
  text_.label(fmt::format("narrow.{}", number));
  write_exactly(elements, keep, to, count);
  text_.line(fmt::format("br label %packed.{}", number));
  text_.label(fmt::format("packed.{}", number));
}

/// Writes only the kept elements, `count` of them, and nothing after them.
void PackWriter::write_exactly(const LaneValue& elements, const std::string& keep, const std::string& to,
                               const std::string& count) {
  if (compresses(elements.type)) return lower_store(text_, packed(elements, keep), to, lanes_that(text_, "slt", count));
  const std::string bits = text_.type(ElemType::kB8);
  std::string vector = text_.type(elements.type), value = elements.text;
  if (elements.type == ElemType::kB8) {
    vector = fmt::format("<{} x i8>", text_.lanes());
    value = text_.define(fmt::format("zext {} {} to {}", bits, value, vector));
  }
  text_.call("void", "llvm.masked.compressstore." + text_.stored_overload(elements.type),
             fmt::format("{}, ptr, {}", vector, bits),
             fmt::format("{} {}, ptr {}, {} {}", vector, value, to, bits, keep));
}

}  // namespace cvl::cpu
