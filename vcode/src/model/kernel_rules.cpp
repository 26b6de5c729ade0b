#include "vcode/kernel_rules.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/check.h"

namespace vcode {
namespace {

// Reasons that obstacle() returns; kFine means that there is none.
constexpr std::string_view kFine = "";
constexpr std::string_view kScalar = "a constant is a scalar, which DIST must spread first";
constexpr std::string_view kAnywhere = "it is read anywhere, so it must be complete";
constexpr std::string_view kPerElement = "it has a value for each element, not for each segment";
constexpr std::string_view kPerSegment = "it has a value for each segment, which is known only at the segment's end";
constexpr std::string_view kScattered = "what a permute writes is complete only at the end of the traversal";
constexpr std::string_view kPacked = "packed elements are an index space of their own";
constexpr std::string_view kNoDescriptor = "it is not a segment descriptor";
constexpr std::string_view kSecondScan = "it depends on a scan of the same traversal, whose carry is not known in time";
constexpr std::string_view kNoResult = "it is not a result of the kernel";

using Row = std::array<std::string_view, kReaders>;
constexpr Row kElements = {kFine,       kPerElement, kFine, kAnywhere, kFine,         kFine,
                           kPerElement, kFine,       kFine, kFine,     kNoDescriptor, kFine};
constexpr Row all_but_two(std::string_view reason, Reader one, Reader other) {
  Row row;
  row.fill(reason);
  row[static_cast<std::size_t>(one)] = row[static_cast<std::size_t>(other)] = kFine;
  return row;
}

constexpr Row after_scan() {
  Row row = kElements;
  row[static_cast<std::size_t>(Reader::kScan)] = row[static_cast<std::size_t>(Reader::kFlags)] = kSecondScan;
  return row;
}

/// One row for each Producer. The columns are the readers: Map, Spread, Indices, Table, Scan, Reduce, Epilogue,
/// Scatter, Flags, Pack, Descriptor, Output.
constexpr std::array<Row, kProducers> kObstacles = {
    Row{kFine, kFine, kFine, kFine, kFine, kFine, kFine, kFine, kFine, kFine, kFine, kNoResult},  // input
    Row{kScalar, kFine, kScalar, kScalar, kScalar, kScalar, kScalar, kScalar, kScalar, kScalar, kNoDescriptor,
        kNoResult},                                                // constant
    kElements,                                                     // map
    kElements,                                                     // spread
    kElements,                                                     // gather
    after_scan(),                                                  // scan
    all_but_two(kPerSegment, Reader::kEpilogue, Reader::kOutput),  // reduce
    all_but_two(kPerSegment, Reader::kEpilogue, Reader::kOutput),  // arg-reduce
    all_but_two(kPerSegment, Reader::kEpilogue, Reader::kOutput),  // epilogue
    all_but_two(kScattered, Reader::kOutput, Reader::kOutput),     // scatter
    all_but_two(kPacked, Reader::kOutput, Reader::kOutput),        // pack
};

/// The length variable of a signature that is the number of elements of the index space.
LengthVar space_of(const OpInfo& op) {
  const Producer producer = producer_of(op.op);
  const bool makes_elements = producer == Producer::kSpread || producer == Producer::kGather;
  return (makes_elements ? op.signature.results : op.signature.operands)[0].length;
}

/// Number of the first operand of this type from `first` on; -1 if there is none.
int operand_of_type(const Signature& signature, RoleType type, int first) {
  for (int k = first; k < signature.operand_count; ++k)
    if (signature.operands[static_cast<std::size_t>(k)].type == type) return k;
  return -1;
}

/// Whether an operand has an element for each segment of the result.
bool is_per_segment(const OpInfo& op, const Role& operand) {
  const Signature& signature = op.signature;
  return std::any_of(signature.operands.begin(), signature.operands.begin() + signature.operand_count,
                     [&](const Role& role) {
                       return role.type == RoleType::kSegdes && role.segments == operand.length &&
                              role.length == signature.results[0].length;
                     });
}

/// Checks one kernel, step by step.
class KernelChecker {
 public:
  explicit KernelChecker(const Kernel& kernel) : kernel_(kernel) {
    facts_.producers.assign(kernel.values.size(), Producer::kInput);
    facts_.after_scan.assign(kernel.values.size(), false);
    defined_ = kernel.input_count;
  }

  KernelFacts run() {
    if (kernel_.input_count == 0 || kernel_.input_count > kernel_.values.size()) fail("it has no inputs");
    for (const Kernel::Step& step : kernel_.steps) {
      if (!good()) break;
      facts_.error_step = static_cast<std::uint32_t>(&step - kernel_.steps.data());
      step.is_constant() ? constant(step) : operation(step);
    }
    if (good()) {
      facts_.error_step = static_cast<std::uint32_t>(kernel_.steps.size());
      whole();
    }
    return std::move(facts_);
  }

 private:
  bool good() const { return facts_.error.empty(); }
  void fail(std::string error) {
    if (good()) facts_.error = std::move(error);
  }
  const std::string& name(KernelVar v) const { return kernel_.values[v].name; }

  void define(const Kernel::Step& step, Producer producer, bool after_scan) {
    for (KernelVar v : step.results) {
      if (v != defined_) return fail("its values are not in the order of its steps");
      ++defined_;
      facts_.producers[v] = producer;
      facts_.after_scan[v] = after_scan;
    }
  }

  void constant(const Kernel::Step& step) {
    if (step.results.size() != 1) return fail("CONST has one result");
    define(step, Producer::kConstant, false);
  }

  void operation(const Kernel::Step& step) {
    const OpInfo& op = info(step.op);
    Producer producer = producer_of(step.op);
    if (producer == Producer::kInput) return fail(fmt::format("{} cannot be in a kernel", op.text));
    if (!op.takes(step.suffix) || step.operands.size() != static_cast<std::size_t>(op.signature.operand_count) ||
        step.results.size() != static_cast<std::size_t>(op.signature.result_count))
      return fail(fmt::format("{} has other operands and results", op.text));
    bool after_scan = producer == Producer::kScan;
    for (KernelVar v : step.operands) {
      if (v >= defined_) return fail("a step uses a value before it is computed");
      after_scan = after_scan || facts_.after_scan[v];
      if (producer == Producer::kMap && is_per_segment(v)) producer = Producer::kEpilogue;
    }
    for (int k = 0; k < op.signature.operand_count; ++k) read(step, k, producer);
    const std::size_t count = step.results.size();
    for (std::size_t k = 0; k < count; ++k)
      if (step.results[k] < kernel_.values.size() &&
          kernel_.values[step.results[k]].kind != Signature::kind(op.signature.results[k], step.suffix))
        fail(fmt::format("{} is not of the type that {} yields", name(step.results[k]), op.text));
    // A reduction has its results at the end of a segment, when the carry is known.
    define(step, producer, after_scan && !is_reduction(producer));
  }

  bool is_per_segment(KernelVar v) const {
    return is_reduction(facts_.producers[v]) || facts_.producers[v] == Producer::kEpilogue;
  }

  void read(const Kernel::Step& step, int k, Producer producer) {
    const OpInfo& op = info(step.op);
    const Role& role = op.signature.operands[static_cast<std::size_t>(k)];
    const KernelVar v = step.operands[static_cast<std::size_t>(k)];
    const Kind needed = Signature::kind(role, step.suffix);
    if (kernel_.values[v].kind != needed)
      return fail(fmt::format("{}: operand {} must be {}, but {} is {}", op.text, role.name, kind_name(needed), name(v),
                              kind_name(kernel_.values[v].kind)));
    const Reader reader = producer == Producer::kEpilogue ? Reader::kEpilogue : reader_of(step.op, k);
    std::string_view reason = obstacle(facts_.producers[v], reader);
    if (reason.empty() && facts_.after_scan[v]) reason = obstacle(Producer::kScan, reader);
    if (!reason.empty()) fail(fmt::format("{} cannot read {}: {}", op.text, name(v), reason));
    if (v == kernel_.over && goes_over(step.op, k) && reader != Reader::kEpilogue) over_is_used_ = true;
    if (v < kernel_.repeated && !goes_over(step.op, k))
      fail(fmt::format("{} is a value of the loop, of which {} reads other elements", name(v), op.text));
  }

  void whole() {
    if (defined_ != kernel_.values.size()) return fail("it has values that no step computes");
    if (kernel_.steps.empty()) return fail("it has no steps");
    if (kernel_.outputs.empty()) return fail("it has no results");
    for (KernelVar v : kernel_.outputs) {
      if (v >= kernel_.values.size()) return fail("a result does not exist");
      if (std::string_view reason = obstacle(facts_.producers[v], Reader::kOutput); !reason.empty())
        return fail(fmt::format("{} cannot be a result: {}", name(v), reason));
      if (std::count(kernel_.outputs.begin(), kernel_.outputs.end(), v) > 1)
        return fail(fmt::format("{} is a result twice", name(v)));
    }
    if (kernel_.over >= kernel_.input_count) return fail(fmt::format("OVER {} is not an input", name(kernel_.over)));
    if (kernel_.repeated > 0) check_repetition();
    if (!over_is_used_)
      fail(fmt::format("OVER {}: no step reads it element by element or as the descriptor of its elements",
                       name(kernel_.over)));
  }

  void check_repetition() {
    const std::size_t count = kernel_.repeated;
    if (count > kernel_.input_count || kernel_.outputs.size() != count + 1)
      return fail("a repeated kernel needs an input for each value of the loop, and their results and one more");
    for (std::size_t k = 0; k < count; ++k)
      if (kernel_.values[k].kind != kernel_.values[kernel_.outputs[k]].kind)
        return fail(fmt::format("{} cannot become {}, as their types differ", name(static_cast<KernelVar>(k)),
                                name(kernel_.outputs[k])));
    if (kernel_.values[kernel_.outputs[count]].kind != Kind::kBool)
      return fail(
          fmt::format("{} does not tell where the loop goes on, as it is no BOOL", name(kernel_.outputs[count])));
    for (std::size_t v = kernel_.input_count; v < kernel_.values.size(); ++v)
      if (const Producer made = facts_.producers[v]; made != Producer::kConstant && made != Producer::kMap &&
                                                     made != Producer::kSpread && made != Producer::kGather)
        return fail(fmt::format("{} depends on several elements, which a repeated kernel computes alone",
                                name(static_cast<KernelVar>(v))));
  }

  const Kernel& kernel_;
  KernelFacts facts_;
  KernelVar defined_ = 0;  ///< number of values defined so far
  bool over_is_used_ = false;
};

}  // namespace

Producer producer_of(Op op) {
  const OpInfo& row = info(op);
  switch (row.op_class) {
    case OpClass::kElementwise:
      return Producer::kMap;
    case OpClass::kScan:
      return Producer::kScan;
    case OpClass::kReduce:
      return Producer::kReduce;
    case OpClass::kArgReduce:
      return Producer::kArgReduce;
    case OpClass::kAccumulate:
    case OpClass::kSystem:
      return Producer::kInput;
    case OpClass::kVector:
      break;
  }
  if (row.spreads()) return Producer::kSpread;
  if (row.gathers()) return Producer::kGather;
  if (row.scatters()) return Producer::kScatter;
  return op == Op::kPack ? Producer::kPack : Producer::kInput;
}

Reader reader_of(Op op, int number) {
  VC_CHECK(producer_of(op) != Producer::kInput);
  const OpInfo& row = info(op);
  const Role& role = row.signature.operands[static_cast<std::size_t>(number)];
  if (role.type == RoleType::kSegdes) return Reader::kDescriptor;
  switch (producer_of(op)) {
    case Producer::kSpread:
      return is_per_segment(row, role) ? Reader::kSpread : Reader::kTable;
    case Producer::kGather:
      return is_looked_into(row, number) ? Reader::kTable : Reader::kIndices;
    case Producer::kScan:
      return Reader::kScan;
    case Producer::kReduce:
    case Producer::kArgReduce:
      return Reader::kReduce;
    case Producer::kScatter:
      return role.length == space_of(row) ? Reader::kScatter : Reader::kTable;
    case Producer::kPack:
      return role.type == RoleType::kBool ? Reader::kFlags : Reader::kPack;
    case Producer::kMap:
    case Producer::kInput:
    case Producer::kConstant:
    case Producer::kEpilogue:
      break;
  }
  VC_CHECK(producer_of(op) == Producer::kMap);
  return Reader::kMap;
}

int flags_of(Op op) {
  const OpInfo& row = info(op);
  if (!row.gathers() && !row.scatters()) return -1;
  return operand_of_type(row.signature, RoleType::kBool, 1);
}

int defaults_of(Op op) {
  const OpInfo& row = info(op);
  return row.op_class == OpClass::kVector && row.scatters() ? operand_of_type(row.signature, RoleType::kSuffix, 1) : -1;
}

Work work_of(Op op) {
  const OpInfo& row = info(op);
  return row.gathers() || row.scatters() ? Work{0, 1} : Work{std::max(row.flops, 1), 0};
}

bool goes_over(Op op, int number) {
  VC_CHECK(producer_of(op) != Producer::kInput);
  const OpInfo& row = info(op);
  return row.signature.operands[static_cast<std::size_t>(number)].length == space_of(row);
}

std::string_view obstacle(Producer producer, Reader reader) {
  return kObstacles[static_cast<std::size_t>(producer)][static_cast<std::size_t>(reader)];
}

std::uint32_t first_pack_like(const Kernel& kernel, std::uint32_t step) {
  const Kernel::Step& like = kernel.steps[step];
  VC_CHECK(!like.is_constant() && like.op == Op::kPack);
  std::uint32_t first = 0;
  auto same = [&](const Kernel::Step& other) {
    return !other.is_constant() && other.op == Op::kPack && other.operands[1] == like.operands[1] &&
           other.operands[2] == like.operands[2];
  };
  while (!same(kernel.steps[first])) ++first;
  return first;
}

int descriptor_like(const Kernel::Step& step, int like) {
  const vcode::Signature& signature = vcode::info(step.op).signature;
  const auto length =
      like < 0 ? signature.results[0].length : signature.operands[static_cast<std::size_t>(like)].length;
  for (int k = 0; k < signature.operand_count; ++k) {
    const vcode::Role& role = signature.operands[static_cast<std::size_t>(k)];
    if (role.type == RoleType::kSegdes && role.length == length) return k;
  }
  VC_CHECK(!"a step over the index space without a descriptor of the space");
  return -1;
}

KernelFacts look_at(const Kernel& kernel) { return KernelChecker(kernel).run(); }

}  // namespace vcode
