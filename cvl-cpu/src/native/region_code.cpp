#include "native/region_code.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "native/lower_elementwise.h"
#include "vcode/check.h"

namespace cvl::cpu {

using vcode::KernelVar;

bool Region::has_spread() const {
  return std::any_of(inputs.begin(), inputs.end(), [](const Input& input) { return input.spread; });
}

namespace {

class RegionWriter {
 public:
  RegionWriter(const vcode::Kernel& kernel, const Region& region, std::span<const ElemType> types, bool is_flat,
               const NativeTarget& target)
      : kernel_(kernel), region_(region), types_(types), is_flat_(is_flat), text_(target, lanes(target)) {
    values_.resize(types.size());
    addresses_.resize(types.size());
  }

  std::string write(const std::string& name) {
    text_.label("entry");
    for (std::size_t k = 0; k < region_.inputs.size(); ++k) place(region_.inputs[k].value, k);
    for (std::size_t k = 0; k < region_.outputs.size(); ++k) place(region_.outputs[k], region_.inputs.size() + k);
    for (const Region::Input& input : region_.inputs)
      if (is_uniform(input)) spread(input.value);
    const int n = text_.lanes();
    text_.line(fmt::format("%last = sub i64 %end, {}", n));
    text_.line("%any = icmp sle i64 %begin, %last");
    text_.line("br i1 %any, label %loop, label %rest");

    text_.label("loop");
    text_.line("%e = phi i64 [ %begin, %entry ], [ %next, %loop ]");
    text_.line(fmt::format("%faults = phi {} [ zeroinitializer, %entry ], [ %faults.next, %loop ]", bits()));
    compute("%e", "");
    take_faults("%faults", "%faults.next");
    text_.line(fmt::format("%next = add i64 %e, {}", n));
    text_.line("%more = icmp sle i64 %next, %last");
    text_.line("br i1 %more, label %loop, label %rest");

    text_.label("rest");
    text_.line("%r = phi i64 [ %begin, %entry ], [ %next, %loop ]");
    text_.line(fmt::format("%faults.rest = phi {} [ zeroinitializer, %entry ], [ %faults.next, %loop ]", bits()));
    text_.line("%left = icmp slt i64 %r, %end");
    text_.line("br i1 %left, label %tail, label %done");

    text_.label("tail");
    compute("%r", present());
    take_faults("%faults.rest", "%faults.tail");
    text_.line("br label %done");

    text_.label("done");
    text_.line(fmt::format("%all = phi {} [ %faults.rest, %rest ], [ %faults.tail, %tail ]", bits()));
    const std::string bad = text_.call("i1", fmt::format("llvm.vector.reduce.or.v{}i1", n), bits(), bits() + " %all");
    text_.line(fmt::format("ret i1 {}", bad));
    return fmt::format("define i1 @\"{}\"(ptr %vectors, i64 %begin, i64 %end) #0 {{\n{}}}\n\n", name, text_.body());
  }
  const std::set<std::string>& declarations() const { return text_.declarations(); }

 private:
  /// As many as a register has of the narrowest numbers.
  int lanes(const NativeTarget& target) const {
    std::size_t size = 8;
    const auto see = [&](KernelVar v) {
      if (types_[v] != ElemType::kB8) size = std::min(size, elem_size(types_[v]));
    };
    for (const vcode::Kernel::Step* step : region_.steps) {
      see(step->results[0]);
      std::for_each(step->operands.begin(), step->operands.end(), see);
    }
    return target.register_bytes / static_cast<int>(size);
  }

  std::string bits() const { return text_.type(ElemType::kB8); }
  bool is_uniform(const Region::Input& input) const { return is_flat_ && input.spread; }

  /// Loads the address of vector k.
  void place(KernelVar v, std::size_t k) {
    text_.line(fmt::format("; {}", kernel_.values[v].name));
    const std::string slot = text_.define(fmt::format("getelementptr ptr, ptr %vectors, i64 {}", k));
    addresses_[v] = text_.define(fmt::format("load ptr, ptr {}", slot));
  }

  void spread(KernelVar v) {
    const ElemType type = types_[v];
    const std::string_view stored = LlvmText::stored(type);
    const std::string element = text_.define(fmt::format("load {}, ptr {}", stored, addresses_[v]));
    const std::string vector = fmt::format("<{} x {}>", text_.lanes(), stored);
    const std::string first =
        text_.define(fmt::format("insertelement {} poison, {} {}, i64 0", vector, stored, element));
    values_[v] =
        from_stored(type, text_.define(fmt::format("shufflevector {} {}, {} poison, <{} x i32> zeroinitializer", vector,
                                                   first, vector, text_.lanes())));
  }

  LaneValue from_stored(ElemType type, const std::string& vector) {
    if (type != ElemType::kB8) return {vector, type};
    return text_.define(type, fmt::format("icmp ne <{} x i8> {}, zeroinitializer", text_.lanes(), vector));
  }

  std::string element_address(KernelVar v, std::string_view e) {
    return text_.define(fmt::format("getelementptr {}, ptr {}, i64 {}", LlvmText::stored(types_[v]), addresses_[v], e));
  }
  std::string stored_vector(ElemType type) const {
    return fmt::format("<{} x {}>", text_.lanes(), LlvmText::stored(type));
  }
  std::string stored_overload(ElemType type) const {
    return type == ElemType::kB8 ? fmt::format("v{}i8", text_.lanes()) : text_.overload(type);
  }

  /// The lanes of the elements before the end, where not all are.
  std::string present() {
    const int n = text_.lanes();
    std::string numbers;
    for (int k = 0; k < n; ++k) numbers += fmt::format("{}i32 {}", k > 0 ? ", " : "", k);
    const std::string count = text_.define("sub i64 %end, %r");
    const std::string few = text_.define(fmt::format("trunc i64 {} to i32", count));
    const std::string first = text_.define(fmt::format("insertelement <{} x i32> poison, i32 {}, i64 0", n, few));
    const std::string limit = text_.define(
        fmt::format("shufflevector <{0} x i32> {1}, <{0} x i32> poison, <{0} x i32> zeroinitializer", n, first));
    return text_.define(fmt::format("icmp slt <{} x i32> <{}>, {}", n, numbers, limit));
  }

  LaneValue load(KernelVar v, std::string_view e, const std::string& mask) {
    const ElemType type = types_[v];
    const std::string address = element_address(v, e), vector = stored_vector(type);
    if (mask.empty())
      return from_stored(type,
                         text_.define(fmt::format("load {}, ptr {}, align {}", vector, address, elem_size(type))));
    const std::string ones = type == ElemType::kB8 ? "splat (i8 1)" : text_.splat_int(type, 1).text;
    return from_stored(type, text_.call(vector, fmt::format("llvm.masked.load.{}.p0", stored_overload(type)),
                                        fmt::format("ptr, i32, {}, {}", bits(), vector),
                                        fmt::format("ptr {}, i32 {}, {} {}, {} {}", address, elem_size(type), bits(),
                                                    mask, vector, ones)));
  }

  void store(KernelVar v, std::string_view e, const std::string& mask) {
    const ElemType type = types_[v];
    const std::string address = element_address(v, e), vector = stored_vector(type);
    std::string value = values_[v].text;
    if (type == ElemType::kB8) value = text_.define(fmt::format("zext {} {} to {}", bits(), value, vector));
    if (mask.empty())
      return text_.line(fmt::format("store {} {}, ptr {}, align {}", vector, value, address, elem_size(type)));
    text_.call("void", fmt::format("llvm.masked.store.{}.p0", stored_overload(type)),
               fmt::format("{}, ptr, i32, {}", vector, bits()),
               fmt::format("{} {}, ptr {}, i32 {}, {} {}", vector, value, address, elem_size(type), bits(), mask));
  }

  /// The region for the elements from `e` on; of those in `mask`, if it is not empty.
  void compute(std::string_view e, const std::string& mask) {
    faults_.clear();
    for (const Region::Input& input : region_.inputs)
      if (!is_uniform(input)) values_[input.value] = load(input.value, e, mask);
    for (const vcode::Kernel::Step* step : region_.steps) {
      std::array<LaneValue, 3> operands;
      VC_CHECK(step->operands.size() <= operands.size());
      for (std::size_t k = 0; k < step->operands.size(); ++k) operands[k] = values_[step->operands[k]];
      const KernelVar result = step->results[0];
      text_.line(fmt::format("; {} = {}", kernel_.values[result].name, vcode::info(step->op).text));
      LoweredOperation lowered = lower_elementwise(text_, step->op, step->suffix, types_[result], operands);
      values_[result] = lowered.value;
      if (lowered.faults.empty()) continue;
      if (!mask.empty()) lowered.faults = combine("and", lowered.faults, mask);
      faults_ = faults_.empty() ? lowered.faults : combine("or", faults_, lowered.faults);
    }
    for (const KernelVar v : region_.outputs) store(v, e, mask);
  }

  std::string combine(std::string_view instruction, const std::string& x, const std::string& y) {
    return text_.define(fmt::format("{} {} {}, {}", instruction, bits(), x, y));
  }
  /// Defines `next` as `before` and the faults that compute() found.
  void take_faults(std::string_view before, std::string_view next) {
    text_.line(fmt::format("{} = or {} {}, {}", next, bits(), before, faults_.empty() ? "zeroinitializer" : faults_));
  }

  const vcode::Kernel& kernel_;
  const Region& region_;
  std::span<const ElemType> types_;
  bool is_flat_;
  LlvmText text_;
  std::vector<LaneValue> values_;       ///< of the kernel, as far as they are in registers
  std::vector<std::string> addresses_;  ///< of inputs and outputs
  std::string faults_;                  ///< of the elements that compute() was last for; empty: none can be at fault
};

}  // namespace

void NativeModule::add(const std::string& name, const vcode::Kernel& kernel, const Region& region,
                       std::span<const ElemType> types, bool is_flat) {
  RegionWriter writer(kernel, region, types, is_flat, target_);
  functions_ += writer.write(name);
  declarations_.insert(writer.declarations().begin(), writer.declarations().end());
}

std::string NativeModule::text() const {
  const int bits = 8 * target_.register_bytes;
  return fmt::format(
      "{}{}\nattributes #0 = {{ nounwind \"target-cpu\"=\"{}\" \"prefer-vector-width\"=\"{}\" "
      "\"min-legal-vector-width\"=\"{}\" }}\n",
      functions_, fmt::join(declarations_, "\n"), target_.cpu, bits, bits);
}

}  // namespace cvl::cpu
