#include "random_kernel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "int_vectors.h"
#include "segmentation.h"
#include "vcode/kernel_rules.h"

namespace cvl::conformance {

using vcode::Kernel;
using vcode::KernelVar;
using vcode::Kind;
using vcode::Op;
using vcode::OpClass;
using vcode::Producer;
using vcode::Suffix;

namespace {

/// Facts about a value while a kernel is made.
struct Known {
  Producer producer = Producer::kInput;
  bool elements = false;  ///< whether it has a value for each element of the index space
  bool after_scan = false;
  bool ready = true;      ///< usable by steps
  int segmentation = -1;  ///< segmentation of a descriptor, or of a value for each segment
  double most = 0;        ///< FLOAT: bound of the size of whole numbers; infinite for other numbers
};

class Maker {
 public:
  Maker(std::int64_t elements, vcode::Widths widths, Rng& rng) : n_(elements), widths_(widths), rng_(rng) {
    exact_ = widths.float_type == vcode::ElemType::kF64 ? 0x1p52 : 0x1p23;
  }

  KernelCase make() {
    choose_segmentations();
    add_inputs();
    const std::int64_t steps = 3 + rng_.below(16);
    for (std::int64_t k = 0; k < steps; ++k) add_step();
    // A step that reads the vector named by OVER.
    unary(Op::kNot, Suffix::kInt, case_.kernel.over = whole_ints_);
    choose_outputs();
    case_.title = fmt::format("{} elements", n_);
    return std::move(case_);
  }

 private:
  Kernel& kernel() { return case_.kernel; }
  bool chance(double p) { return rng_.chance(p); }

  KernelVar add_value(Kind kind, Known known) {
    kernel().values.push_back({fmt::format("v{}", kernel().values.size()), kind});
    known_.push_back(known);
    return static_cast<KernelVar>(kernel().values.size() - 1);
  }

  void choose_segmentations() {
    const std::vector<Segmentation> all = segmentations(n_, n_ < 5000, rng_);
    segmentations_.push_back(Segmentation{"one segment", {n_}});
    for (int k = 0; k < 2; ++k)
      segmentations_.push_back(all[static_cast<std::size_t>(rng_.below(static_cast<std::int64_t>(all.size())))]);
    if (chance(0.3)) {
      segmentations_[2] = segmentations_[1];
      std::reverse(segmentations_[2].lengths.begin(), segmentations_[2].lengths.end());
    }
  }

  KernelVar input(Kind kind, KernelInput data, Known known) {
    case_.inputs.push_back(std::move(data));
    ++kernel().input_count;
    return add_value(kind, known);
  }
  KernelVar vector_input(Kind kind, HostVector data, Known known) {
    return input(kind, {false, std::move(data), {}}, known);
  }

  HostVector ints(std::int64_t length, std::int64_t low, std::int64_t high) {
    HostVector v(widths_.int_type, length);
    for (std::int64_t e = 0; e < length; ++e) set_int(v, e, low + rng_.below(high - low + 1));
    return v;
  }
  HostVector whole_floats(std::int64_t length) {
    HostVector v(widths_.float_type, length);
    for (std::int64_t e = 0; e < length; ++e) {
      const double x = static_cast<double>(rng_.below(9)) - 2;
      if (v.type == vcode::ElemType::kF32)
        v.as<float>()[static_cast<std::size_t>(e)] = static_cast<float>(x);
      else
        v.as<double>()[static_cast<std::size_t>(e)] = x;
    }
    return v;
  }
  HostVector data_of(Kind kind, std::int64_t length) {
    if (kind == Kind::kBool) return random_flags(length, rng_.unit(), rng_);
    if (kind == Kind::kByte) return any_values(vcode::ElemType::kU8, length, rng_);
    return kind == Kind::kInt ? ints(length, -50, 100) : whole_floats(length);
  }

  void add_inputs() {
    whole_ints_ = vector_input(Kind::kInt, ints(n_, -1000, 1000), {.elements = true});
    for (const Kind kind : {Kind::kInt, Kind::kFloat, Kind::kFloat, Kind::kBool, Kind::kByte})
      vector_input(kind, data_of(kind, n_), {.elements = true, .most = 6});
    for (std::size_t s = 0; s < segmentations_.size(); ++s) {
      descriptors_.push_back(
          input(Kind::kSegdes, {true, {}, segmentations_[s].lengths}, {.segmentation = static_cast<int>(s)}));
      for (const Kind kind : kKinds)
        per_segment_.push_back(vector_input(kind, data_of(kind, segmentations_[s].segments()),
                                            {.segmentation = static_cast<int>(s), .most = 6}));
    }
    add_table();
    add_sliced();
    add_targets();
  }

  /// Adds a vector with room for each segment, and the starts of the segments of each segmentation in it.
  void add_sliced() {
    const std::int64_t length = n_ + rng_.below(5);
    const Kind kind = any_kind();
    sliced_ = vector_input(kind, data_of(kind, length), {.most = 6});
    for (const Segmentation& cut : segmentations_) {
      HostVector starts(widths_.int_type, cut.segments());
      for (std::int64_t k = 0; k < cut.segments(); ++k)
        set_int(starts, k, rng_.below(length - cut.lengths[static_cast<std::size_t>(k)] + 1));
      if (cut.segments() > 0 && chance(0.03)) set_int(starts, rng_.below(cut.segments()), chance(0.5) ? -1 : length);
      starts_.push_back(vector_input(Kind::kInt, std::move(starts), {}));
    }
  }

  /// Adds a table for gathers, with indices into it.
  void add_table() {
    table_cut_ = static_cast<int>(rng_.below(static_cast<std::int64_t>(segmentations_.size())));
    const Segmentation& to = segmentations_[static_cast<std::size_t>(table_cut_)];
    const Segmentation from = partner(to, 0, true, rng_);
    Segmentation lengths = from;
    for (std::int64_t& length : lengths.lengths) length = std::max<std::int64_t>(length, 1);
    const Kind kind = any_kind();
    table_ = vector_input(kind, data_of(kind, lengths.elements()), {.most = 6});
    table_descriptor_ = input(Kind::kSegdes, {true, {}, lengths.lengths}, {});
    HostVector indices(widths_.int_type, n_);
    std::int64_t e = 0;
    for (std::size_t k = 0; k < to.lengths.size(); ++k)
      for (std::int64_t j = 0; j < to.lengths[k]; ++j) set_int(indices, e++, rng_.below(lengths.lengths[k]));
    if (n_ > 0 && chance(0.03)) set_int(indices, rng_.below(n_), lengths.elements() + 7);
    indices_ = vector_input(Kind::kInt, std::move(indices), {.elements = true, .ready = false});
  }

  /// Adds targets for scatters of the elements, in as many segments, with room for all of them.
  void add_targets() {
    scatter_cut_ = static_cast<int>(rng_.below(static_cast<std::int64_t>(segmentations_.size())));
    const Segmentation& from = segmentations_[static_cast<std::size_t>(scatter_cut_)];
    Segmentation to = from;
    for (std::int64_t& length : to.lengths) length += rng_.below(3);
    target_descriptor_ = input(Kind::kSegdes, {true, {}, to.lengths}, {});
    const Kind kind = any_kind();
    defaults_ = vector_input(kind, data_of(kind, to.elements()), {.most = 6});
    HostVector places(widths_.int_type, n_);
    std::int64_t start = 0;
    for (const std::int64_t length : from.lengths) {
      std::vector<std::int64_t> order(static_cast<std::size_t>(length));
      std::iota(order.begin(), order.end(), 0);
      for (std::int64_t j = length - 1; j > 0; --j)
        std::swap(order[static_cast<std::size_t>(j)], order[static_cast<std::size_t>(rng_.below(j + 1))]);
      for (std::int64_t j = 0; j < length; ++j) set_int(places, start + j, order[static_cast<std::size_t>(j)]);
      start += length;
    }
    if (n_ > 0 && chance(0.03)) set_int(places, rng_.below(n_), chance(0.5) ? 0 : -1);
    places_ = vector_input(Kind::kInt, std::move(places), {.elements = true, .ready = false});
    HostVector even(widths_.int_type, n_);
    for (std::int64_t e = 0; e < n_; ++e) set_int(even, e, -2);
    even_ = vector_input(Kind::kInt, std::move(even), {.elements = true, .ready = false});
  }

  /// A value of this kind that a step may read element by element.
  KernelVar pick(Kind kind, bool before_scan) {
    std::vector<KernelVar> all;
    for (KernelVar v = 0; v < known_.size(); ++v)
      if (kernel().values[v].kind == kind && known_[v].elements && known_[v].ready &&
          !(before_scan && known_[v].after_scan))
        all.push_back(v);
    // Recent values are preferred, so that kernels become deep.
    const auto size = static_cast<std::int64_t>(all.size());
    return all[static_cast<std::size_t>(chance(0.6) ? size - 1 - rng_.below(std::min<std::int64_t>(size, 3))
                                                    : rng_.below(size))];
  }
  static constexpr std::array kKinds{Kind::kInt, Kind::kFloat, Kind::kBool, Kind::kByte};
  Kind any_kind() { return kKinds[static_cast<std::size_t>(rng_.below(std::ssize(kKinds)))]; }
  int any_cut() { return static_cast<int>(rng_.below(static_cast<std::int64_t>(segmentations_.size()))); }
  KernelVar descriptor(int cut) const { return descriptors_[static_cast<std::size_t>(cut)]; }
  KernelVar value_per_segment(int cut, Kind kind) const {
    const auto of_kind = std::ranges::find(kKinds, kind) - kKinds.begin();
    return per_segment_[static_cast<std::size_t>(cut * std::ssize(kKinds) + of_kind)];
  }

  KernelVar step(Op op, Suffix suffix, std::vector<KernelVar> operands, Known known) {
    const vcode::Signature& signature = vcode::info(op).signature;
    for (const KernelVar v : operands) known.after_scan = known.after_scan || known_[v].after_scan;
    known.after_scan = known.after_scan && !vcode::is_reduction(known.producer);
    Kernel::Step added{op, suffix, Kernel::kNoConstant, std::move(operands)};
    for (int r = 0; r < signature.result_count; ++r)
      added.results.push_back(
          add_value(vcode::Signature::kind(signature.results[static_cast<std::size_t>(r)], suffix), known));
    kernel().steps.push_back(added);
    return added.results[0];
  }
  KernelVar unary(Op op, Suffix suffix, KernelVar a) {
    return step(op, suffix, {a}, {.producer = Producer::kMap, .elements = true});
  }

  void add_step() {
    switch (rng_.below(12)) {
      case 0:
        return add_spread();
      case 1:
        return add_gather();
      case 2:
        return add_scan(OpClass::kScan);
      case 3:
      case 4:
        return add_scan(chance(0.3) ? OpClass::kArgReduce : OpClass::kReduce);
      case 5:
        return add_pack();
      case 6:
        return add_scatter();
      default:
        return add_map();
    }
  }

  /// Adds an elementwise row, often arithmetic, for chains of it.
  void add_map() {
    const bool arithmetic = chance(0.4);
    std::vector<const vcode::OpInfo*> rows;
    for (const vcode::OpInfo& row : vcode::all_ops())
      if (row.op_class == OpClass::kElementwise &&
          (!arithmetic || row.op == Op::kAdd || row.op == Op::kSubtract || row.op == Op::kMultiply))
        rows.push_back(&row);
    const vcode::OpInfo& row = *rows[static_cast<std::size_t>(rng_.below(static_cast<std::int64_t>(rows.size())))];
    std::vector<Suffix> suffixes;
    vcode::for_each_suffix<vcode::suffixes::kAny | vcode::suffixes::kNone>([&]<Suffix s>() {
      if (row.takes(s)) suffixes.push_back(s);
    });
    const Suffix suffix = suffixes[static_cast<std::size_t>(rng_.below(static_cast<std::int64_t>(suffixes.size())))];
    // The second operand of a row that can fault is mostly a constant that does not fault.
    const bool risky =
        row.op == Op::kDivide || row.op == Op::kRemainder || row.op == Op::kShiftLeft || row.op == Op::kShiftRight;
    std::vector<KernelVar> operands;
    double most = 0, product = 1;
    for (int k = 0; k < row.signature.operand_count; ++k) {
      const Kind kind = vcode::Signature::kind(row.signature.operands[static_cast<std::size_t>(k)], suffix);
      const bool safe = risky && k == 1 && kind == Kind::kInt && !chance(0.05);
      const KernelVar v = safe ? spread_constant(3) : pick(kind, false);
      operands.push_back(v);
      most += known_[v].most;
      product *= known_[v].most;
    }
    const bool float_result = vcode::Signature::kind(row.signature.results[0], suffix) == Kind::kFloat;
    const double result_most = row.op == Op::kIntToFloat ? INFINITY : row.op == Op::kMultiply ? product : most;
    const bool whole =
        row.op == Op::kAdd || row.op == Op::kSubtract || row.op == Op::kSelect || row.op == Op::kMultiply;
    step(row.op, suffix, operands,
         {.producer = Producer::kMap, .elements = true, .most = float_result && whole ? result_most : INFINITY});
  }

  KernelVar spread_constant(std::int64_t x) {
    vcode::Constant constant;
    constant.ints = {x};
    case_.constants.push_back(constant);
    const KernelVar value = add_value(Kind::kInt, {.producer = Producer::kConstant});
    Kernel::Step added;
    added.constant = static_cast<std::uint32_t>(case_.constants.size() - 1);
    added.results = {value};
    kernel().steps.push_back(added);
    return step(Op::kDist, Suffix::kInt, {value, descriptor(0)}, {.producer = Producer::kSpread, .elements = true});
  }

  void add_spread() {
    if (chance(0.3)) return void(spread_constant(rng_.below(7)));
    const int cut = any_cut();
    if (chance(0.4)) {
      const KernelVar a = value_per_segment(cut, Kind::kInt);
      return void(
          step(Op::kIndex, Suffix::kNone, {a, a, descriptor(cut)}, {.producer = Producer::kSpread, .elements = true}));
    }
    if (chance(0.4)) {
      const Kind sliced = kernel().values[sliced_].kind;
      return void(step(Op::kSlice, suffix_of(sliced),
                       {sliced_, starts_[static_cast<std::size_t>(cut)], descriptor(cut)},
                       {.producer = Producer::kSpread, .elements = true, .most = 6}));
    }
    const Kind kind = any_kind();
    step(Op::kDist, suffix_of(kind), {value_per_segment(cut, kind), descriptor(cut)},
         {.producer = Producer::kSpread, .elements = true, .most = 6});
  }

  void add_gather() {
    const Suffix suffix = suffix_of(kernel().values[table_].kind);
    const Known known{.producer = Producer::kGather, .elements = true, .most = 6};
    const KernelVar to = descriptor(table_cut_);
    if (chance(0.5)) return void(step(Op::kBpermute, suffix, {table_, indices_, table_descriptor_, to}, known));
    const KernelVar flags = pick(Kind::kBool, false);
    KernelVar indices = indices_;
    if (chance(0.5))  // an index that must be ignored where the flag is false
      indices = step(Op::kSelect, Suffix::kInt, {flags, indices_, whole_ints_}, {.producer = Producer::kMap});
    step(Op::kBfpermute, suffix, {table_, indices, flags, table_descriptor_, to}, known);
  }

  /// Adds a scan, reduction or arg-reduction. Floats are summed only if their sums are exact: other sums depend on the
  /// order.
  void add_scan(OpClass op_class) {
    std::vector<const vcode::OpInfo*> rows;
    for (const vcode::OpInfo& row : vcode::all_ops())
      if (row.op_class == op_class) rows.push_back(&row);
    const vcode::OpInfo& row = *rows[static_cast<std::size_t>(rng_.below(static_cast<std::int64_t>(rows.size())))];
    Kind kind = any_kind();
    while (!row.takes(suffix_of(kind))) kind = any_kind();
    const bool scan = op_class == OpClass::kScan;
    const KernelVar a = pick(kind, scan);
    const int cut = any_cut();
    Known known{.producer = vcode::producer_of(row.op), .elements = scan, .after_scan = scan, .most = INFINITY};
    if (kind == Kind::kFloat && row.monoid == vcode::Monoid::kProduct) return;
    if (kind == Kind::kFloat && row.monoid == vcode::Monoid::kSum) {
      known.most = known_[a].most * static_cast<double>(n_ + 1);
      if (known.most >= exact_) return;
    }
    known.ready = scan;
    if (!scan) known.segmentation = cut;
    const KernelVar result = step(row.op, suffix_of(kind), {a, descriptor(cut)}, known);
    if (!scan && kernel().values[result].kind == Kind::kInt) add_epilogues(result, cut);
  }

  /// Adds operations on results of reductions, with each other or an input; divisions among them, which can fault.
  void add_epilogues(KernelVar reduced, int cut) {
    const Known known{.producer = Producer::kEpilogue, .ready = false, .segmentation = cut};
    std::vector<KernelVar>& behind = behind_[static_cast<std::size_t>(cut)];
    behind.push_back(reduced);
    // Results over other descriptors with as many segments may be operands, too.
    for (std::size_t c = 0; c < behind_.size(); ++c)
      if (!behind_[c].empty() &&
          segmentations_[c].segments() == segmentations_[static_cast<std::size_t>(cut)].segments())
        behind.push_back(behind_[c].back());
    while (chance(0.5)) {
      const auto any = [&] { return behind[static_cast<std::size_t>(rng_.below(std::ssize(behind)))]; };
      const bool divide = chance(0.02);
      const KernelVar other = chance(0.5) && !divide ? any() : value_per_segment(cut, Kind::kInt);
      behind.push_back(step(divide ? Op::kDivide : Op::kAdd, Suffix::kInt, {any(), other}, known));
    }
  }

  void add_pack() {
    const KernelVar flags = pick(Kind::kBool, true);
    const int cut = any_cut();
    for (std::int64_t k = 0, packs = 1 + rng_.below(2); k < packs; ++k) {
      const Kind kind = any_kind();
      step(Op::kPack, suffix_of(kind), {pick(kind, false), flags, descriptor(cut)},
           {.producer = Producer::kPack, .ready = false});
    }
  }

  /// The targets for a scatter: an input, or computed by a step.
  KernelVar places() {
    if (chance(0.5)) return places_;
    return step(Op::kAnd, Suffix::kInt, {places_, places_},
                {.producer = Producer::kMap, .elements = true, .ready = false});
  }

  /// The same for scatters with defaults, where several elements may have one target.
  KernelVar shared_places() {
    if (chance(0.3)) return places_;
    return step(Op::kAnd, Suffix::kInt, {places_, even_},
                {.producer = Producer::kMap, .elements = true, .ready = false});
  }

  void add_scatter() {
    const KernelVar from = descriptor(scatter_cut_), to = target_descriptor_;
    const Known known{.producer = Producer::kScatter, .ready = false};
    const Kind kind = any_kind(), of_defaults = kernel().values[defaults_].kind;
    switch (rng_.below(4)) {
      case 0:
        step(Op::kPermute, suffix_of(kind), {pick(kind, false), places(), from}, known);
        break;
      case 1:
        step(Op::kFpermute, suffix_of(kind), {pick(kind, false), places(), pick(Kind::kBool, false), from, to}, known);
        break;
      case 2:
        step(Op::kDpermute, suffix_of(of_defaults), {pick(of_defaults, false), shared_places(), defaults_, from, to},
             known);
        break;
      default:
        step(Op::kDfpermute, suffix_of(of_defaults),
             {pick(of_defaults, false), shared_places(), pick(Kind::kBool, false), defaults_, from, to}, known);
    }
  }

  /// Chooses the outputs: most of the results that no step reads, and a few of the others.
  void choose_outputs() {
    const double unwanted = chance(0.5) ? 0.4 : 0;
    std::vector<bool> read(kernel().values.size());
    for (const Kernel::Step& s : kernel().steps)
      for (const KernelVar v : s.operands) read[v] = true;
    for (KernelVar v = kernel().input_count; v < kernel().values.size(); ++v)
      if (known_[v].producer != Producer::kConstant && chance(read[v] ? 0.1 : 1 - unwanted))
        kernel().outputs.push_back(v);
    // A kernel must have an output: if there is none, the last step's result.
    const auto last = static_cast<KernelVar>(kernel().values.size() - 1);
    if (kernel().outputs.empty()) kernel().outputs.push_back(last);
  }

  const std::int64_t n_;
  const vcode::Widths widths_;
  Rng& rng_;
  double exact_;
  KernelCase case_;
  std::vector<Known> known_;
  std::vector<Segmentation> segmentations_;
  std::vector<KernelVar> descriptors_, per_segment_, starts_;  ///< starts_: by segmentation
  std::array<std::vector<KernelVar>, 3>
      behind_;  ///< by segmentation: results of reductions, and of operations on these
  KernelVar whole_ints_ = 0, table_ = 0, table_descriptor_ = 0, indices_ = 0, sliced_ = 0, target_descriptor_ = 0,
            defaults_ = 0, places_ = 0, even_ = 0;
  int table_cut_ = 0, scatter_cut_ = 0;
};

}  // namespace

KernelCase random_kernel(std::int64_t elements, vcode::Widths widths, Rng& rng) {
  return Maker(elements, widths, rng).make();
}

}  // namespace cvl::conformance
