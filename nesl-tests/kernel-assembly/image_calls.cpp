#include "image_calls.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <system_error>

#include "cvl/fold_order.h"
#include "cvl/op_dispatch.h"

namespace cvl::conformance {

using kernels::Loop;
using kernels::LoopPlan;
using kernels::Member;
using vcode::ElemType;
using vcode::KernelVar;
using Lengths = std::vector<std::int64_t>;

namespace {

constexpr std::size_t kLine = 64;

class CallMaker {
 public:
  CallMaker(LoopImage& image, const LoopPlan& plan, const KernelCase& tried, Loop::Form form)
      : image_(image), plan_(plan), tried_(tried), loop_(plan.whole.loop), form_(form) {}

  std::optional<std::vector<ImageResult>> make() {
    const KernelInput& over = tried_.inputs[plan_.kernel.over];
    elements_ = over.is_descriptor ? std::reduce(over.lengths.begin(), over.lengths.end()) : over.vector.length;
    nest_ = {elements_};
    for (const KernelVar v : plan_.segmentations)
      if (lengths(v).size() != 1) nest_ = lengths(v);
    if (!fits()) return {};
    words_ = static_cast<std::uint64_t*>(image_.allocate(8 * loop_.arguments.members().size()));
    for (const Loop::Input& input : loop_.inputs)
      if (!add(input)) return {};
    for (const Loop::Output& output : loop_.outputs) add(output);
    for (const Loop::Table& table : loop_.tables) add(table);
    for (const Loop::Scan& scan : loop_.scans) add(scan);
    for (const Loop::Pack& pack : loop_.packs) add(pack);
    for (const Loop::Scatter& scatter : loop_.scatters) add(scatter);
    for (const Loop::Fold& fold : loop_.folds) add_reduction(fold.step, fold.result, type(fold.step->operands[0]));
    for (const Loop::ArgReduction& reduction : loop_.arg_reductions)
      add_reduction(reduction.step, reduction.result, type(reduction.step->results[0]));
    set(loop_.starts, copy(starts(nest_)));
    set(loop_.range_begin, std::int64_t{0});
    set(loop_.range_end, elements_);
    ImageHead& head = image_.head();
    const std::int64_t segments = static_cast<std::int64_t>(nest_.size());
    head.call[head.calls++] = {words_, 0, form_ == Loop::Form::kFlat ? elements_ : segments - 1};
    return std::move(results_);
  }

 private:
  ElemType type(KernelVar v) const { return plan_.values[v].type; }
  const std::string& name(KernelVar v) const { return plan_.kernel.values[v].name; }
  const Lengths& lengths(KernelVar descriptor) const { return tried_.inputs[descriptor].lengths; }
  const Lengths& segments(int segmentation) const {
    return lengths(plan_.segmentations[static_cast<std::size_t>(segmentation)]);
  }
  static Lengths starts(const Lengths& lengths) {
    Lengths starts(lengths.size() + 1);
    std::partial_sum(lengths.begin(), lengths.end(), starts.begin() + 1);
    return starts;
  }

  /// Whether the loop can be called once for all of the index space.
  bool fits() const {
    const auto is_nest = [&](const auto& part) { return segments(part.segmentation) == nest_; };
    const auto is_single = [&](const Lengths& lengths) { return lengths.size() == 1; };
    return elements_ > 0 && plan_.kernel.repeated == 0 && image_.head().calls < std::int64_t{kMostCalls} &&
           (!plan_.by_blocks() || *std::ranges::max_element(nest_) <= kFoldBlock) &&
           std::ranges::all_of(plan_.segmentations,
                               [&](KernelVar v) { return is_single(lengths(v)) || lengths(v) == nest_; }) &&
           std::ranges::all_of(loop_.tables, [&](const auto& table) { return is_single(lengths(table.descriptor)); }) &&
           (form_ == Loop::Form::kFlat || std::ranges::all_of(loop_.folds, is_nest)) &&
           (form_ == Loop::Form::kFlat || std::ranges::all_of(loop_.packs, is_nest)) &&
           (form_ != Loop::Form::kLanes ||
            (std::ranges::all_of(loop_.arg_reductions, is_nest) && *std::ranges::max_element(nest_) <= kLongestInLane));
  }
  static constexpr std::int64_t kLongestInLane = 32;

  void set(Member member, const void* address) { words_[member.number] = reinterpret_cast<std::uintptr_t>(address); }
  void set(Member member, std::int64_t number) { words_[member.number] = static_cast<std::uint64_t>(number); }

  void* copy(const Lengths& numbers) {
    void* const to = image_.allocate(8 * numbers.size());
    std::memcpy(to, numbers.data(), 8 * numbers.size());
    return to;
  }
  void* copy(const HostVector& vector) {
    void* const to = image_.allocate(vector.bytes.size());
    if (!vector.bytes.empty()) std::memcpy(to, vector.bytes.data(), vector.bytes.size());
    return to;
  }
  std::size_t place(const void* address) const { return reinterpret_cast<std::uintptr_t>(address) - kImageAddress; }
  /// Memory for a result with elements of a type.
  void* result(const std::string& name, ElemType type, std::size_t elements) {
    void* const to = image_.allocate(elements * vcode::elem_size(type));
    results_.push_back({name, type, place(to), elements});
    return to;
  }

  /// The values per segment of an input that is made: an input, or a constant.
  HostVector per_segment(KernelVar v) const {
    if (v < plan_.kernel.input_count) return tried_.inputs[v].vector;
    HostVector scalar(type(v), 1);
    with_int(type(v), [&]<class I>() {
      scalar.as<I>()[0] = static_cast<I>(tried_.constants[plan_.values[v].constant].ints[0]);
    });
    return scalar;
  }

  /// False if the flat form cannot be called, as a slice is not within its table.
  bool add(const Loop::Input& input) {
    if (!input.is_made()) {
      set(input.elements, copy(tried_.inputs[input.value].vector));
      return true;
    }
    const HostVector values = per_segment(input.segments);
    const bool is_single = segments(input.segmentation).size() == 1;
    set(input.per_segment, copy(values));
    if (!input.is_constant) set(input.step, std::int64_t{is_single ? 0 : 1});
    if (input.access == Loop::Access::kProgression) set(input.strides, copy(per_segment(input.stride)));
    if (input.access == Loop::Access::kSlice) {
      set(input.source, copy(tried_.inputs[input.table].vector));
      set(input.length, tried_.inputs[input.table].vector.length);
    }
    if (form_ != Loop::Form::kFlat) return true;
    const std::optional<HostVector> elements = made(input, values);
    if (elements) set(input.elements, copy(*elements));
    return elements.has_value();
  }

  std::optional<HostVector> made(const Loop::Input& input, const HostVector& values) const {
    HostVector elements(type(input.value), elements_);
    const std::size_t size = vcode::elem_size(elements.type);
    std::int64_t e = 0;
    for (std::size_t k = 0; k < segments(input.segmentation).size(); ++k)
      for (std::int64_t j = 0; j < segments(input.segmentation)[k]; ++j, ++e) {
        std::byte* const to = &elements.bytes[static_cast<std::size_t>(e) * size];
        if (input.access == Loop::Access::kSpread) {
          std::memcpy(to, &values.bytes[k * size], size);
          continue;
        }
        std::int64_t first = 0, stride = 0;
        with_int(values.type, [&]<class I>() { first = values.as<I>()[k]; });
        if (input.access == Loop::Access::kSlice) {
          const HostVector& table = tried_.inputs[input.table].vector;
          if (first + j < 0 || first + j >= table.length) return {};
          std::memcpy(to, &table.bytes[static_cast<std::size_t>(first + j) * size], size);
          continue;
        }
        const HostVector strides = per_segment(input.stride);
        with_int(strides.type, [&]<class I>() {
          stride = strides.as<I>()[k];
          const auto number = static_cast<I>(static_cast<std::uint64_t>(first) +
                                             static_cast<std::uint64_t>(stride) * static_cast<std::uint64_t>(j));
          std::memcpy(to, &number, sizeof number);
        });
      }
    return elements;
  }

  void add(const Loop::Output& output) {
    if (form_ == Loop::Form::kFlat ? !output.in_flat : form_ == Loop::Form::kLanes || !output.in_nest) return;
    set(output.elements, result(name(output.value), type(output.value), static_cast<std::size_t>(elements_)));
  }

  void add(const Loop::Table& table) {
    set(table.elements, copy(tried_.inputs[table.value].vector));
    set(table.length, tried_.inputs[table.value].vector.length);
    set(table.starts, copy({0, std::numeric_limits<std::int64_t>::max()}));
    set(table.step, std::int64_t{0});
  }

  void add(const Loop::Scan& scan) {
    std::uint64_t identity = 0;
    with_monoid(vcode::info(scan.step->op).monoid, type(scan.step->operands[0]), [&]<class M, class T>() {
      const T value = M::template identity<T>();
      std::memcpy(&identity, &value, sizeof value);
    });
    for (const Member member : {scan.carry, scan.identity}) {
      void* const to = image_.allocate(sizeof identity);
      std::memcpy(to, &identity, sizeof identity);
      set(member, to);
    }
    const Lengths& segments = this->segments(scan.segmentation);
    set(scan.whole, std::int64_t{segments.size() == 1 ? 1 : 0});
    auto* const heads =
        static_cast<std::uint8_t*>(image_.allocate(static_cast<std::size_t>(elements_ + 2 * kernels::kHeadMargin)));
    std::int64_t start = 0;
    for (const std::int64_t n : segments) {
      if (n > 0) heads[kernels::kHeadMargin + start] = 1;
      start += n;
    }
    set(scan.heads, heads + kernels::kHeadMargin);
  }

  void add(const Loop::Pack& pack) {
    void* const position = result(name(pack.step->results[0]) + " count", ElemType::kI64, 1);
    const std::size_t count = results_.back().begin;
    set(pack.position, position);
    set(pack.result,
        result(name(pack.step->results[0]), type(pack.step->results[0]), static_cast<std::size_t>(elements_)));
    results_.back().count = count;
    set(pack.room, elements_);
    if (!pack.counts) return;
    const KernelVar lengths = pack.step->results[1];
    const bool is_told = form_ != Loop::Form::kFlat;
    set(pack.lengths, is_told ? result(name(lengths), type(lengths), nest_.size()) : image_.allocate(8));
    set(pack.distance, std::int64_t{segments(pack.segmentation).size() == 1 ? 0 : 1});
  }

  void add(const Loop::Scatter& scatter) {
    const KernelVar v = scatter.step->results[0];
    const int defaults = vcode::defaults_of(scatter.step->op);
    std::int64_t targets = elements_;
    if (defaults >= 0)
      targets = tried_.inputs[scatter.step->operands[static_cast<std::size_t>(defaults)]].vector.length;
    set(scatter.result, result(name(v), type(v), static_cast<std::size_t>(targets)));
    set(scatter.targets, targets);
    if (defaults < 0) set(scatter.hashes, result(name(v) + " hashes", ElemType::kI64, 1));
  }

  void add_reduction(const vcode::Kernel::Step* step, Member member, ElemType type) {
    const bool is_carry = vcode::info(step->op).op_class == vcode::OpClass::kScan;
    if (form_ == Loop::Form::kFlat)
      set(member, image_.allocate(8));
    else
      set(member, result(name(step->results[0]), type, is_carry ? 1 : nest_.size()));
  }

  LoopImage& image_;
  const LoopPlan& plan_;
  const KernelCase& tried_;
  const Loop& loop_;
  const Loop::Form form_;
  std::int64_t elements_ = 0;
  Lengths nest_;  ///< lengths of the segments of a nest
  std::uint64_t* words_ = nullptr;
  std::vector<ImageResult> results_;
};

}  // namespace

LoopImage::LoopImage(std::size_t bytes)
    : memory_(mmap(reinterpret_cast<void*>(kImageAddress), bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0)),
      bytes_(bytes),
      used_((sizeof(ImageHead) / kLine + 1) * kLine) {
  if (memory_ == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "the memory of an image");
  head().bytes = bytes;
}

LoopImage::~LoopImage() { munmap(memory_, bytes_); }

void* LoopImage::allocate(std::size_t bytes) {
  void* const begin = static_cast<std::byte*>(memory_) + used_ + kLine;
  used_ += (bytes / kLine + 3) * kLine;
  if (used_ > bytes_) throw std::bad_alloc();
  return begin;
}

std::optional<std::vector<ImageResult>> add_call(LoopImage& image, const LoopPlan& plan, const KernelCase& tried,
                                                 Loop::Form form) {
  return CallMaker(image, plan, tried, form).make();
}

}  // namespace cvl::conformance
