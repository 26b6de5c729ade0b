#include "jit/lower_scan.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "cvl/fold_order.h"
#include "lanes/lower_elementwise.h"

namespace cvl::cpu {

namespace {

/// Type in which elements are scanned. Truth values are scanned as integers: the steps of a scan move lanes, and a
/// register of bits has none.
ElemType scanned_as(ElemType type) { return type == ElemType::kB8 ? ElemType::kI32 : type; }

/// Number of lanes that are scanned together: those of a register, or of a group of fold_order.h where the monoid
/// rounds.
int lanes_together(const LlvmText& text, vcode::Monoid monoid, ElemType type) {
  const int bytes = rounds(monoid, type) ? kLineBytes : text.target().register_bytes;
  return std::min(text.lanes(), bytes / static_cast<int>(elem_size(type)));
}

/// Scans as many elements as the text has lanes. Lanes that are moved in are filled with an identity element that was
/// loaded: LLVM would turn a constant zero into an expansion, which takes longer than everything else on a processor
/// with AVX-512 (decision 018).
class VectorScan {
 public:
  VectorScan(LlvmText& text, const vcode::OpInfo& scan, ElemType type, const LaneValue& loaded_identity)
      : text_(text),
        scan_(scan),
        n_(text.lanes()),
        vector_(text.type(type)),
        identity_(identity_lanes(scan.monoid, type)),
        empty_value_(empty_value_lanes(scan.monoid, type)),
        loaded_identity_(loaded_identity) {}

  /// Scans in log2(lanes) steps, which combine each lane with the one 1, 2, 4, … lanes before it, unless a segment
  /// begins between them.
  LaneValue by_steps(LaneValue x, LaneValue& carry, const std::string& heads) {
    if (scan_.selects()) x = combine(x, identity_);             // NaN is not selected
    std::string taking = heads.empty() ? "" : opposite(heads);  // the lanes that a step combines
    for (int distance = 1; distance < n_; distance *= 2) {
      LaneValue moved = shifted(x, loaded_identity_, distance);
      if (!heads.empty()) {
        moved = select(taking, moved, identity_);
        taking = bits("and", taking, bits("shl", taking, std::to_string(distance)));
      }
      x = combine(x, moved);
    }
    const LaneValue before = carry;
    if (heads.empty()) {
      carry = combine(last(x), before);
      return shifted(combine(x, before), before, 1);
    }
    // Lanes before the first head continue the segment of the preceding elements.
    const std::string open = bits("and", bits("sub", heads, "1"), opposite(heads));
    const LaneValue with_before = combine(x, select(open, before, identity_));
    carry = last(with_before);
    return select(heads, empty_value_, shifted(with_before, before, 1));
  }

 private:
  LaneValue combine(const LaneValue& x, const LaneValue& before) {
    return lower_combination(text_, scan_.monoid, x, before);
  }
  LaneValue shuffled(const LaneValue& x, const LaneValue& y, const std::string& lanes) {
    return text_.define(
        x.type, fmt::format("shufflevector {0} {1}, {0} {2}, <{3} x i32> <{4}>", vector_, x.text, y.text, n_, lanes));
  }
  /// The lanes of x moved up by `distance`, preceded by the last lanes of `before`.
  LaneValue shifted(const LaneValue& x, const LaneValue& before, int distance) {
    std::string lanes;
    for (int k = 0; k < n_; ++k)
      lanes += fmt::format("{}i32 {}", k > 0 ? ", " : "", k >= distance ? k - distance : 2 * n_ - distance + k);
    return shuffled(x, before, lanes);
  }
  LaneValue last(const LaneValue& x) {
    std::string lanes;
    for (int k = 0; k < n_; ++k) lanes += fmt::format("{}i32 {}", k > 0 ? ", " : "", n_ - 1);
    return shuffled(x, x, lanes);
  }
  std::string bits(std::string_view instruction, const std::string& x, const std::string& y) {
    return text_.define(fmt::format("{} i{} {}, {}", instruction, n_, x, y));
  }
  std::string opposite(const std::string& x) { return bits("xor", x, "-1"); }
  LaneValue select(const std::string& lanes, const LaneValue& yes, const LaneValue& no) {
    const std::string mask = text_.define(fmt::format("bitcast i{} {} to <{} x i1>", n_, lanes, n_));
    return text_.define(
        yes.type, fmt::format("select <{} x i1> {}, {} {}, {} {}", n_, mask, vector_, yes.text, vector_, no.text));
  }

  LlvmText& text_;
  const vcode::OpInfo& scan_;
  int n_;
  std::string vector_;
  LaneValue identity_, empty_value_;
  const LaneValue& loaded_identity_;
};

LaneValue convert(LlvmText& text, std::string_view how, const LaneValue& x, ElemType to) {
  return text.define(to, fmt::format("{} {} {} to {}", how, text.type(x.type), x.text, text.type(to)));
}

/// Exclusive scan of a vector; adds its elements to `carry`. `heads` is an integer with a bit for each lane, set where
/// a segment begins; empty if none begins.
LaneValue lower_scan(LlvmText& text, const vcode::OpInfo& scan, const LaneValue& elements, LaneValue& carry,
                     const LaneValue& identity, const std::string& heads) {
  const ElemType type = scanned_as(elements.type);
  const LaneValue x = type == elements.type ? elements : convert(text, "zext", elements, type);
  const int lanes = text.lanes(), n = lanes_together(text, scan.monoid, type);
  std::vector<LaneValue> results;
  for (int first = 0; first < lanes; first += n) {
    const LaneValue part = text.part(x, first, n);
    std::string part_heads = heads;
    if (!heads.empty() && n < lanes) {
      part_heads = text.define(fmt::format("lshr i{} {}, {}", lanes, heads, first));
      part_heads = text.define(fmt::format("trunc i{} {} to i{}", lanes, part_heads, n));
    }
    text.set_lanes(n);
    results.push_back(VectorScan(text, scan, type, identity).by_steps(part, carry, part_heads));
    text.set_lanes(lanes);
  }
  const LaneValue result = text.joined(std::move(results), n);
  return type == elements.type ? result : convert(text, "trunc", result, elements.type);
}

}  // namespace

void ScanWriter::load_members() {
  for (std::size_t k = 0; k < loop_.scans.size(); ++k) {
    const Loop::Scan& scan = loop_.scans[k];
    Members& members = members_.emplace_back();
    members.carry = load_member(text_, loop_.arguments, scan.carry);
    members.identity = load_carry(k, load_member(text_, loop_.arguments, scan.identity));
    if (by_flags_)
      members.heads = load_member(text_, loop_.arguments, scan.heads);
    else
      members.whole = text_.define(fmt::format("icmp ne i64 {}, 0", load_member(text_, loop_.arguments, scan.whole)));
  }
}

std::vector<std::string> ScanWriter::state_types() const {
  std::vector<std::string> types;
  for (std::size_t k = 0; k < loop_.scans.size(); ++k) {
    const ElemType scanned = scanned_as(type(k));
    types.push_back(text_.type(scanned, lanes_together(text_, row(k).monoid, scanned)));
  }
  return types;
}

std::vector<LaneValue> ScanWriter::initial(const std::string& begin) {
  std::vector<LaneValue> carries;
  for (std::size_t k = 0; k < members_.size(); ++k) {
    LaneValue carry = load_carry(k, members_[k].carry);
    if (!by_flags_) {
      const std::string type = state_types()[k];
      members_[k].start = text_.define(fmt::format("select i1 {}, i64 0, i64 %start", members_[k].whole));
      const std::string goes_on = text_.define(fmt::format("icmp slt i64 {}, {}", members_[k].start, begin));
      carry.text = text_.define(
          fmt::format("select i1 {}, {} {}, {} {}", goes_on, type, carry.text, type, members_[k].identity.text));
    }
    carries.push_back(std::move(carry));
  }
  return carries;
}

LaneValue ScanWriter::load_carry(std::size_t k, const std::string& address) {
  const ElemType elements = type(k), scanned = scanned_as(elements);
  std::string element = text_.define(fmt::format("load {}, ptr {}", LlvmText::stored(elements), address));
  if (scanned != elements)
    element =
        text_.define(fmt::format("zext {} {} to {}", LlvmText::stored(elements), element, LlvmText::stored(scanned)));
  const int lanes = text_.lanes();
  text_.set_lanes(lanes_together(text_, row(k).monoid, scanned));
  LaneValue carry{text_.spread(scanned, element), scanned};
  text_.set_lanes(lanes);
  return carry;
}

void ScanWriter::end(std::span<const LaneValue> carries) {
  const std::vector<std::string> types = state_types();
  for (std::size_t k = 0; k < carries.size(); ++k) {
    std::string element = text_.define(fmt::format("extractelement {} {}, i64 0", types[k], carries[k].text));
    if (type(k) == ElemType::kB8) {
      const std::string_view scanned = LlvmText::stored(carries[k].type);
      element = text_.define(fmt::format("and {} {}, 1", scanned, element));
      element = text_.define(fmt::format("trunc {} {} to {}", scanned, element, LlvmText::stored(type(k))));
    }
    text_.line(fmt::format("store {} {}, ptr {}", LlvmText::stored(type(k)), element, members_[k].carry));
  }
}

/// The head flags of the elements from `e` on, as bits. In a nest only the first element of the segment has one; it
/// matters only if the empty value is not the identity element.
std::string ScanWriter::heads_at(std::size_t k, std::string_view e) {
  const int lanes = text_.lanes();
  if (by_flags_) {
    const std::string address = element_address(text_, ElemType::kB8, members_[k].heads, e);
    const LaneValue flags = lower_load(text_, ElemType::kB8, address, "");
    return text_.define(fmt::format("bitcast {} {} to i{}", text_.type(ElemType::kB8), flags.text, lanes));
  }
  const vcode::Monoid monoid = row(k).monoid;
  if (empty_value_lanes(monoid, type(k)).text == identity_lanes(monoid, type(k)).text) return "";
  return text_.define(
      fmt::format("zext i1 {} to i{}", text_.define(fmt::format("icmp eq i64 {}, {}", e, members_[k].start)), lanes));
}

LaneValue ScanWriter::add(std::size_t k, const LaneValue& elements, std::span<LaneValue> carries, std::string_view e,
                          const std::string& mask) {
  const LaneValue x = masked(text_, elements, mask, identity_lanes(row(k).monoid, elements.type));
  return lower_scan(text_, row(k), x, carries[k], members_[k].identity, heads_at(k, e));
}

}  // namespace cvl::cpu
