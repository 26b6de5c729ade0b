#include "native/lower_scan.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "native/lower_elementwise.h"

namespace cvl::cpu {

namespace {

/// Truth values are scanned as integers: steps move lanes, of which there are none in a register of bits.
ElemType scanned_as(ElemType type) { return type == ElemType::kB8 ? ElemType::kI32 : type; }

/// Whether one lane is combined after the other, as the loops do with floats where registers are shorter than a line.
bool is_in_order(const LlvmText& text, ElemType type) {
  return LlvmText::is_float(type) && text.target().register_bytes < kLineBytes;
}

/// Lanes that are scanned together: those of a register.
int lanes_together(const LlvmText& text, ElemType type) {
  return std::min(text.lanes(), text.target().register_bytes / static_cast<int>(elem_size(type)));
}

int carry_lanes(const LlvmText& text, ElemType type) {
  return is_in_order(text, type) ? 1 : lanes_together(text, type);
}

/// The scan of as many elements as the text has lanes.
class VectorScan {
 public:
  VectorScan(LlvmText& text, const vcode::OpInfo& scan, ElemType type, const LaneValue& loaded_neutral)
      : text_(text),
        scan_(scan),
        n_(text.lanes()),
        vector_(text.type(type)),
        neutral_(neutral_lanes(text, scan.monoid, type)),
        identity_(identity_lanes(text, scan.monoid, type)),
        loaded_neutral_(loaded_neutral) {}

  /// In log2(lanes) steps that combine each lane with the one 1, 2, 4, … before it, unless a segment begins between.
  LaneValue by_steps(LaneValue x, LaneValue& carry, const std::string& heads) {
    if (scan_.selects()) x = combine(x, neutral_);              // what is no number is not selected
    std::string taking = heads.empty() ? "" : opposite(heads);  // the lanes that a step combines
    for (int distance = 1; distance < n_; distance *= 2) {
      LaneValue moved = shifted(x, loaded_neutral_, distance);
      if (!heads.empty()) {
        moved = select(taking, moved, neutral_);
        taking = bits("and", taking, bits("shl", taking, std::to_string(distance)));
      }
      x = combine(x, moved);
    }
    const LaneValue before = carry;
    if (heads.empty()) {
      carry = combine(last(x), before);
      return shifted(combine(x, before), before, 1);
    }
    // The lanes before the first head continue the segment of the elements before.
    const std::string open = bits("and", bits("sub", heads, "1"), opposite(heads));
    const LaneValue with_before = combine(x, select(open, before, neutral_));
    carry = last(with_before);
    return select(heads, identity_, shifted(with_before, before, 1));
  }

  LaneValue in_order(const LaneValue& x, LaneValue& carry, const std::string& heads) {
    std::vector<LaneValue> results;
    for (int k = 0; k < n_; ++k) {
      const LaneValue element = text_.part(x, k, 1);
      const std::string head = heads.empty() ? "" : bits("and", bits("lshr", heads, std::to_string(k)), "1");
      text_.set_lanes(1);
      const auto unless_head = [&](const LaneValue& other) {
        if (head.empty()) return carry;
        const std::string flag = text_.define(fmt::format("icmp ne i{} {}, 0", n_, head));
        const std::string t = text_.type(x.type);
        return text_.define(x.type, fmt::format("select i1 {}, {} {}, {} {}", flag, t, other.text, t, carry.text));
      };
      results.push_back(unless_head(identity_));
      carry = lower_combination(text_, scan_.monoid, element, unless_head(neutral_));
      text_.set_lanes(n_);
    }
    return text_.joined(std::move(results), 1);
  }

 private:
  LaneValue combine(const LaneValue& x, const LaneValue& before) {
    return lower_combination(text_, scan_.monoid, x, before);
  }
  LaneValue shuffled(const LaneValue& x, const LaneValue& y, const std::string& lanes) {
    return text_.define(
        x.type, fmt::format("shufflevector {0} {1}, {0} {2}, <{3} x i32> <{4}>", vector_, x.text, y.text, n_, lanes));
  }
  /// The lanes of x moved up, with the last ones of `before` in front.
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
  LaneValue neutral_, identity_;
  const LaneValue& loaded_neutral_;
};

}  // namespace

std::string carry_type(const LlvmText& text, ElemType elements) {
  const ElemType type = scanned_as(elements);
  return text.type(type, carry_lanes(text, type));
}

LaneValue load_carry(LlvmText& text, ElemType elements, const std::string& address) {
  const ElemType type = scanned_as(elements);
  std::string element = text.define(fmt::format("load {}, ptr {}", LlvmText::stored(elements), address));
  if (type != elements)
    element = text.define(fmt::format("zext {} {} to {}", LlvmText::stored(elements), element, LlvmText::stored(type)));
  const int lanes = text.lanes();
  text.set_lanes(carry_lanes(text, type));
  LaneValue carry{text.spread(type, element), type};
  text.set_lanes(lanes);
  return carry;
}

void store_carry(LlvmText& text, ElemType elements, const LaneValue& carry, const std::string& address) {
  std::string element = text.define(fmt::format("extractelement {} {}, i64 0", carry_type(text, elements), carry.text));
  if (elements == ElemType::kB8) {
    const std::string_view scanned = LlvmText::stored(carry.type);
    element = text.define(fmt::format("and {} {}, 1", scanned, element));
    element = text.define(fmt::format("trunc {} {} to {}", scanned, element, LlvmText::stored(elements)));
  }
  text.line(fmt::format("store {} {}, ptr {}", LlvmText::stored(elements), element, address));
}

LaneValue lower_scan(LlvmText& text, const vcode::OpInfo& scan, const LaneValue& elements, LaneValue& carry,
                     const LaneValue& neutral, const std::string& heads) {
  const ElemType type = scanned_as(elements.type);
  const auto convert = [&](std::string_view how, const LaneValue& x, ElemType to) {
    return text.define(to, fmt::format("{} {} {} to {}", how, text.type(x.type), x.text, text.type(to)));
  };
  const LaneValue x = type == elements.type ? elements : convert("zext", elements, type);
  const int lanes = text.lanes(), n = lanes_together(text, type);
  std::vector<LaneValue> results;
  for (int first = 0; first < lanes; first += n) {
    const LaneValue part = text.part(x, first, n);
    std::string part_heads = heads;
    if (!heads.empty() && n < lanes) {
      part_heads = text.define(fmt::format("lshr i{} {}, {}", lanes, heads, first));
      part_heads = text.define(fmt::format("trunc i{} {} to i{}", lanes, part_heads, n));
    }
    text.set_lanes(n);
    VectorScan vector(text, scan, type, neutral);
    results.push_back(is_in_order(text, type) ? vector.in_order(part, carry, part_heads)
                                              : vector.by_steps(part, carry, part_heads));
    text.set_lanes(lanes);
  }
  const LaneValue result = text.joined(std::move(results), n);
  return type == elements.type ? result : convert("trunc", result, elements.type);
}

}  // namespace cvl::cpu
