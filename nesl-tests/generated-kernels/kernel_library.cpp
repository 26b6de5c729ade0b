#include "kernel_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <map>
#include <stdexcept>
#include <type_traits>

#include <fmt/format.h>

#include "base/board.h"
#include "base/check.h"
#include "base/device_faults.h"
#include "base/launched_function.h"
#include "base/reply.h"
#include "cvl/dispatch.h"
#include "operations/per_segment.h"
#include "scratch_folder.h"
#include "vcode/kernel_rules.h"

namespace cvl::conformance {

using cuda::GeneratedKernel;
using cuda::KernelArgument;
using vcode::Kernel;
using vcode::KernelVar;
using vcode::Producer;
using Role = KernelArgument::Role;

namespace {

/// A descriptor with everything that a kernel reads of it.
struct Descriptor {
  explicit Descriptor(const std::vector<std::int64_t>& lengths) {
    const auto segments = std::ssize(lengths);
    offsets.push_back(0);
    for (const std::int64_t length : lengths) offsets.push_back(offsets.back() + length);
    descriptor = {segments, offsets.back(), -1, offsets.data(), nullptr, nullptr};
    if (std::all_of(lengths.begin(), lengths.end(), [&](std::int64_t length) { return length == lengths[0]; })) {
      descriptor.regular_length = segments == 0 ? 0 : lengths[0];
      return;
    }
    heads.resize(static_cast<std::size_t>(head_words(descriptor.elements)));
    for (std::int64_t k = 0; k < segments; ++k) {
      if (lengths[static_cast<std::size_t>(k)] == 0) continue;
      const std::int64_t e = offsets[static_cast<std::size_t>(k)];
      heads[static_cast<std::size_t>(e / 32)].bits |= std::uint32_t{1} << (e % 32);
      nonempty.push_back(static_cast<std::int32_t>(k));
    }
    for (std::size_t w = 1; w < heads.size(); ++w)
      heads[w].before = heads[w - 1].before + static_cast<std::uint32_t>(__builtin_popcount(heads[w - 1].bits));
    descriptor.heads = heads.data();
    if (std::ssize(nonempty) < segments) descriptor.nonempty = nonempty.data();
  }
  std::vector<std::int64_t> offsets;
  std::vector<SegmentHeads> heads;
  std::vector<std::int32_t> nonempty;
  SegmentDescriptor descriptor;
};

/// One run of a generated kernel.
class Run {
 public:
  Run(const KernelCase& tried, vcode::Widths widths, const GeneratedKernel& generated)
      : generated_(generated),
        kernel_(tried.kernel),
        widths_(widths),
        facts_(vcode::look_at(tried.kernel)),
        descriptors_(tried.kernel.values.size()),
        results_(tried.kernel.values.size()),
        kept_(tried.kernel.values.size()) {
    for (KernelVar v = 0; v < kernel_.input_count; ++v)
      if (tried.inputs[v].is_descriptor)
        descriptors_[v] = &made_descriptors_.emplace_back(tried.inputs[v].lengths).descriptor;
      else
        results_[v] = tried.inputs[v].vector;
    elements_ =
        descriptors_[kernel_.over] != nullptr ? descriptors_[kernel_.over]->elements : results_[kernel_.over].length;
    for (const Kernel::Step& step : kernel_.steps)
      if (!step.is_constant()) set_lengths(step);
    blocks_ = generated.blocks(elements_);
    add(elements_);
    for (const KernelArgument& argument : generated.arguments) add(argument);
  }

  KernelOutcome run(void* function, void* finish) {
    const auto call = [&](void* f) { reinterpret_cast<void (*)(const void*, std::int64_t)>(f)(call_.data(), blocks_); };
    call(function);
    VC_CHECK(taken_ == (generated_.takes_tickets(blocks_) ? blocks_ : 0));
    if (finish != nullptr) call(finish);
    KernelOutcome outcome;
    if (fault_.kind != FaultKind::kNone) {
      const std::uint64_t step = fault_.position >> cuda::kPositionBits;
      outcome.failure =
          fmt::format("{} at {}", static_cast<int>(fault_.kind), fault_.position ^ step << cuda::kPositionBits);
      outcome.failed_step = static_cast<std::uint32_t>(step);
      return outcome;
    }
    for (const KernelVar v : kernel_.outputs) outcome.outputs.push_back(output(v));
    for (const auto& [v, sum] : kept_sums_)
      if (sum != sum_of(output(v)))
        outcome.failure = fmt::format("the sum of {} is not {}", kernel_.values[v].name, sum);
    return outcome;
  }

 private:
  const Kernel::Step& maker(KernelVar v) const {
    return *std::find_if(kernel_.steps.begin(), kernel_.steps.end(), [&](const Kernel::Step& step) {
      return std::find(step.results.begin(), step.results.end(), v) != step.results.end();
    });
  }
  void set_lengths(const Kernel::Step& step) {
    const KernelVar v = step.results[0];
    std::int64_t length = elements_;
    switch (facts_.producers[v]) {
      case Producer::kReduce:
      case Producer::kArgReduce:
        length = descriptors_[step.operands[1]]->segments;
        break;
      case Producer::kEpilogue:
        length = results_[step.operands[0]].length;
        break;
      case Producer::kScatter:
        length = descriptors_[step.operands.back()]->elements;
        break;
      case Producer::kPack:
        results_[step.results[1]] = HostVector(widths_.int_type, descriptors_[step.operands[2]]->segments);
        break;
      default:
        break;
    }
    results_[v] = HostVector(widths_.of(kernel_.values[v].kind), length);
    // Elements that a kernel does not write must differ from the expected ones.
    std::fill(results_[v].bytes.begin(), results_[v].bytes.end(), std::byte{0xA5});
  }

  /// The value with the elements and lengths of a PACK: those of the first PACK with the same flags and segments.
  KernelVar first_pack(KernelVar v, std::size_t result) const {
    const auto step = static_cast<std::uint32_t>(&maker(v) - kernel_.steps.data());
    return kernel_.steps[vcode::first_pack_like(kernel_, step)].results[result];
  }
  HostVector output(KernelVar v) {
    if (facts_.producers[v] != Producer::kPack) return results_[v];
    if (kernel_.values[v].kind == vcode::Kind::kSegdes) return results_[first_pack(v, 1)];
    HostVector kept = results_[v];
    kept.length = kept_[first_pack(v, 0)];
    kept.bytes.resize(static_cast<std::size_t>(kept.length) * vcode::elem_size(kept.type));
    return kept;
  }

  /// The sum of INTs, which wraps around.
  static std::int64_t sum_of(const HostVector& vector) {
    return with_int(vector.type, [&]<class I>() -> std::int64_t {
      std::make_unsigned_t<I> sum = 0;
      for (const I element : vector.as<I>()) sum += static_cast<std::make_unsigned_t<I>>(element);
      return static_cast<I>(sum);
    });
  }

  template <class T>
  void add(const T& member) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&member);
    call_.insert(call_.end(), bytes, bytes + sizeof member);
  }
  struct Vector {
    void* data;
    std::int64_t length;
  };
  /// Every other vector of one element is passed by value, as a backend passes one that is on the host.
  cuda::Source per_segment(const HostVector& vector) {
    if (vector.length == 1 && by_value_++ % 2 == 0) return cuda::source_of({vector.type, 1, vector.bytes.data(), true});
    return {vector.bytes.data(), 0};
  }
  void add(const KernelArgument& argument) {
    const KernelVar v = argument.value;
    switch (argument.role) {
      case Role::kDescriptor:
        return add(*descriptors_[v]);
      case Role::kOperand:
      case Role::kResult:
        if (argument.cleared) std::fill(results_[v].bytes.begin(), results_[v].bytes.end(), std::byte{0});
        return add(Vector{results_[v].bytes.data(), results_[v].length});
      case Role::kPerSegment:
        return add(per_segment(results_[v]));
      case Role::kKept:
        return add(Vector{&kept_[v], 1});
      case Role::kKeptSum:
        return add(Vector{&kept_sums_.emplace(v, -1).first->second, 1});
      case Role::kReply:
        return add(cuda::Reply{&letter_, &answered_, 1});
      case Role::kPosts: {
        const std::int64_t words = generated_.words(blocks_, argument.bytes);
        add(boards_.emplace_back(static_cast<std::size_t>(words), cuda::BoardWord{}).data());
        return add(std::int64_t{1});
      }
      case Role::kWritten:
        return add_scratch(argument, head_words(descriptors_[v]->elements));
      case Role::kWriters:
        return add_scratch(argument, descriptors_[v]->elements);
      case Role::kSource:
        return add_scratch(argument, elements_);
      case Role::kTicket:
        return add(cuda::Ticket{&taken_, 0});
      case Role::kFaults:
        return add(cuda::Faults{&fault_, &fault_known_, 0});
    }
  }
  void add_scratch(const KernelArgument& argument, std::int64_t length) {
    const std::byte fill{argument.cleared ? std::uint8_t{0} : std::uint8_t{0xA5}};
    scratch_.emplace_back(static_cast<std::size_t>(length * argument.bytes), fill);
    add(Vector{scratch_.back().data(), length});
  }

  const GeneratedKernel& generated_;
  const Kernel& kernel_;
  const vcode::Widths widths_;
  const vcode::KernelFacts facts_;
  std::deque<Descriptor> made_descriptors_;
  std::vector<const SegmentDescriptor*> descriptors_;
  std::vector<HostVector> results_;  ///< the operands, too
  std::vector<std::int64_t> kept_;
  std::map<KernelVar, std::int64_t> kept_sums_;
  int by_value_ = 0;
  unsigned char letter_ = 0;
  std::uint64_t answered_ = 0;
  std::uint32_t taken_ = 0;
  std::deque<std::vector<std::byte>> scratch_;
  std::deque<std::vector<cuda::BoardWord>> boards_;
  cuda::FaultRecord fault_;
  std::uint32_t fault_known_ = 0;
  std::int64_t elements_ = 0, blocks_ = 0;
  std::vector<std::byte> call_;
};

}  // namespace

std::string text_of(std::span<KernelCase> cases, vcode::Widths widths, std::vector<GeneratedKernel>& kernels) {
  std::string texts;
  for (KernelCase& tried : cases) {
    tried.kernel.number = std::ssize(kernels);
    const bool is_single = std::all_of(tried.inputs.begin(), tried.inputs.end(), [](const auto& input) {
      return !input.is_descriptor || input.lengths.size() == 1;
    });
    // Every third kernel of one segment uses the text for any descriptors, which must work as well.
    const bool sums_kept = cuda::sums_kept(tried.kernel) && kernels.size() % 3 == 2;
    const cuda::Form form = sums_kept                             ? cuda::Form::kPackedLengths
                            : is_single && kernels.size() % 3 > 0 ? cuda::Form::kOneSegment
                                                                  : cuda::Form::kAnySegments;
    kernels.push_back(cuda::generate_kernel(tried.kernel, tried.constants, widths, form));
    VC_CHECK(kernels.back().obstacle.empty());
    texts += "\n" + kernels.back().text;
  }
  return cuda::text_in_front(kernels) + texts;
}

KernelLibrary::KernelLibrary(std::span<KernelCase> cases, vcode::Widths widths, const std::string& options)
    : cases_(cases), widths_(widths) {
  const ScratchFolder folder;
  const std::string source = folder.path() + "/kernels.cpp", library = folder.path() + "/kernels.so";
  std::ofstream(source) << text_of(cases, widths, kernels_);
  const std::string command = fmt::format("{} -std=c++20 -w -O1 -ffp-contract=off -shared -fPIC {} -o {} {}", NESL_CXX,
                                          options, library, source);
  if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
  library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw std::runtime_error(dlerror());
}

KernelOutcome KernelLibrary::run(std::size_t k) const {
  const GeneratedKernel& kernel = kernels_[k];
  const auto number = static_cast<std::int64_t>(k);
  void* const finish = kernel.has_finish ? dlsym(library_, GeneratedKernel::finish_function(number).c_str()) : nullptr;
  return Run(cases_[k], widths_, kernel).run(dlsym(library_, GeneratedKernel::function(number).c_str()), finish);
}

}  // namespace cvl::conformance
