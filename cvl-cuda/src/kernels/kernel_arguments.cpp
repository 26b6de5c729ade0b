#include "kernels/kernel_arguments.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "operations/per_segment.h"

namespace cvl::cuda {

using Role = KernelArgument::Role;

namespace {

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

/// The layout of Vector in generated/kernel_prelude.h.
struct VectorArgument {
  const void* data;
  std::int64_t length;
};

}  // namespace

bool KernelArguments::suit(const GeneratedKernel& kernel, const KernelCall& call) {
  return std::all_of(kernel.arguments.begin(), kernel.arguments.end(), [&](const KernelArgument& argument) {
    if (argument.role == Role::kKept) return call.elements <= UINT32_MAX;
    if (!argument.has_heads) return true;
    const SegmentDescriptor& descriptor = call.descriptors[argument.value];
    return descriptor.is_regular() || descriptor.elements == 0 || descriptor.heads != nullptr;
  });
}

KernelArguments::KernelArguments(Executor& executor, const GeneratedKernel& kernel, const Faults& faults,
                                 const KernelCall& call) {
  append(call.elements);
  std::int64_t words = 0;
  if (const std::int64_t blocks = kernel.blocks(call.elements); blocks > 1)
    for (const KernelArgument& argument : kernel.arguments)
      if (argument.role == Role::kPosts) words += kernel.words(blocks, argument.bytes);
  if (words > 0) board_ = executor.next_board(words);
  if (std::ranges::any_of(kernel.arguments, [](const KernelArgument& a) { return a.role == Role::kReply; }))
    reply_ = executor.next_reply();
  for (const KernelArgument& argument : kernel.arguments) {
    [[maybe_unused]] const std::size_t before = bytes_.size();
    add(executor, kernel, argument, faults, call);
    VC_CHECK(bytes_.size() - before == bytes_of(argument.role));
  }
  position(executor);
}

void KernelArguments::add(Executor& executor, const GeneratedKernel& kernel, const KernelArgument& argument,
                          const Faults& faults, const KernelCall& call) {
  const auto field = [&](Region region, std::int64_t length) {
    append_field(region, static_cast<std::size_t>(length * argument.bytes));
    append(length);
  };
  switch (argument.role) {
    case Role::kOperand: {
      const Operand& operand = call.operands[argument.value];
      if (operand.on_host) return add_only_element(operand);
      return append(VectorArgument{operand.data, operand.length});
    }
    case Role::kPerSegment:
      return append(source_of(call.operands[argument.value]));
    case Role::kDescriptor:
      return append(call.descriptors[argument.value]);
    case Role::kResult: {
      const Result& result = call.results[argument.value];
      if (argument.cleared)
        executor.fill_zero(result.data, static_cast<std::size_t>(result.length) * elem_size(result.type));
      return append(VectorArgument{result.data, result.length});
    }
    case Role::kKept:
    case Role::kKeptSum:
      replied_.push_back({argument.value, argument.role == Role::kKeptSum});
      VC_CHECK(replied_.size() * sizeof(std::int64_t) <= kMostTransferBytes);
      return append(VectorArgument{reply_.letters + (replied_.size() - 1) * sizeof(std::int64_t), 1});
    case Role::kReply:
      return append(reply_);
    case Role::kFaults:
      return append(faults);
    case Role::kTicket:
      return append(executor.ticket());
    case Role::kPosts:
      return add_posts(kernel.words(kernel.blocks(call.elements), argument.bytes));
    case Role::kWritten:
      return field(kCleared, head_words(call.descriptors[argument.value].elements));
    case Role::kWriters:
      return field(kCleared, call.descriptors[argument.value].elements);
    case Role::kSource:
      return field(kOther, call.elements);
  }
}

/// Adds a vector whose only element is on the host. All of these go to the device in one copy.
void KernelArguments::add_only_element(const Operand& operand) {
  append_field(kUploaded, elem_size(operand.type));
  append(operand.length);
  uploaded_.resize(sizes_[kUploaded]);
  std::memcpy(uploaded_.data() + fields_.back().offset, operand.data, elem_size(operand.type));
}

/// Adds a Board of this launch; without one, a null address.
void KernelArguments::add_posts(std::int64_t words) {
  append(board_.words);
  append(std::int64_t{board_.epoch});
  if (board_.words != nullptr) board_.words += words;
}

/// Allocates the working memory and stores its addresses in bytes_.
void KernelArguments::position(Executor& executor) {
  std::size_t size = 0;
  for (std::size_t r = 0; r < kRegions; ++r) {
    begins_[r] = size;
    size += round_up(sizes_[r], kRegion);
  }
  if (size == 0) return;
  memory_.emplace(executor.pool(), static_cast<std::int64_t>(size));
  for (const Field& field : fields_) {
    const std::byte* const address = memory_->data() + begins_[field.region] + field.offset;
    std::memcpy(bytes_.data() + field.argument, &address, sizeof address);
  }
  executor.fill_zero(memory_->data() + begins_[kCleared], sizes_[kCleared]);
  executor.upload(memory_->data() + begins_[kUploaded], uploaded_.data(), uploaded_.size());
}

void KernelArguments::read_kept(Executor& executor, const KernelCall& call) const {
  if (replied_.empty()) return;
  std::vector<std::int64_t> numbers(replied_.size());
  const Transfer letter{numbers.data(), nullptr, numbers.size() * sizeof numbers[0]};
  executor.await_reply(&letter, 1);
  for (std::size_t k = 0; k < replied_.size(); ++k)
    (replied_[k].is_sum ? call.sums : call.kept)[replied_[k].pack] = numbers[k];
}

template <class T>
void KernelArguments::append(const T& member) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(&member);
  bytes_.insert(bytes_.end(), bytes, bytes + sizeof(T));
}

void KernelArguments::append_field(Region region, std::size_t bytes) {
  fields_.push_back({region, sizes_[region], bytes_.size()});
  sizes_[region] += round_up(bytes, kVector);
  append(static_cast<void*>(nullptr));
}

}  // namespace cvl::cuda
