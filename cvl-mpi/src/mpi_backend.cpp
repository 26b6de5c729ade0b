#include "mpi_backend.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "cvl/compose.h"
#include "exchange/element_exchange.h"
#include "kernels/divided_kernel.h"
#include "layout/held_vectors.h"
#include "layout/piece_backend.h"
#include "layout/rank_memory.h"
#include "messages/traffic_profile.h"
#include "operations/replicated_operations.h"
#include "operations/unsent_ranks.h"
#include "staging/can_fault.h"
#include "staging/staged_messenger.h"

namespace cvl::mpi {

namespace {

class MpiBackend final : public DividedBackend {
 public:
  /// `staged`: the wrapped backend, if that computes on a device.
  MpiBackend(std::unique_ptr<Backend> inner, StagedBackend* staged, std::unique_ptr<Messenger> messenger,
             const MpiBackendOptions& options)
      : inner_(std::move(inner)),
        messenger_(std::move(messenger)),
        distribution_(messenger_->ranks(), options.block),
        memory_(*inner_, distribution_, options.memory_limit),
        held_(exchange_bytes(options)),
        group_{*inner_, *messenger_, distribution_, exchange_bytes(options), &held_, staged},
        faults_(*messenger_),
        own_backend_(make_piece_backend(*inner_, piece_memory_)) {}

  std::string description() const override {
    return fmt::format("cvl-mpi, {} rank{} ({}), each {}", messenger_->ranks(), messenger_->ranks() == 1 ? "" : "s",
                       messenger_->description(), inner_->description());
  }
  bool unified_memory() const override { return false; }

  void* allocate(std::size_t bytes) noexcept override { return memory_.allocate(bytes); }
  void deallocate(void* data, std::size_t bytes) noexcept override {
    if (unsent_ranks_ != nullptr && unsent_ranks_->ranks().data == data) unsent_ranks_.reset();
    forget(data, bytes);
    if (group_.staged != nullptr) group_.staged->forget(data, bytes);
    memory_.deallocate(data, bytes);
  }
  std::size_t shrink(void* data, std::size_t bytes, std::size_t wanted) noexcept override {
    const std::size_t now = memory_.shrink(data, bytes, wanted);
    if (group_.staged != nullptr) group_.staged->discard(static_cast<std::byte*>(data) + now, bytes - now);
    return now;
  }
  MemoryUse memory_use() const override {
    MemoryUse use = memory_.use();
    use.peak = std::max(use.peak, peak_with_pieces_);
    return use;
  }
  std::string traffic() const override {
    return fmt::format("{} ranks, {}\n{}{}", messenger_->ranks(), messenger_->description(), profile_.table(),
                       transfers());
  }

  /// Every rank has all the bytes; the first operation on a long vector divides it.
  void upload(void* device, const void* host, std::size_t bytes) override {
    require_memory();
    if (bytes == 0) return;
    if (unsent_ranks_ != nullptr && unsent_ranks_->have_bytes_of(device, bytes)) begin();
    forget_indices(device, bytes);
    // A vector of which other elements remain is divided as before.
    held_.remove_covered(device, bytes);
    write_bytes(device, host, bytes);
  }
  void download(void* host, const void* device, std::size_t bytes) override;

  bool is_divided(std::int64_t length) const override { return group_.is_divided(length); }
  Range part(std::int64_t length) const override {
    return group_.is_divided(length) ? group_.part(length)
                                     : distribution_.shares(length)[static_cast<std::size_t>(group_.rank())];
  }
  void gather_bytes(const void* mine, const std::vector<std::size_t>& bytes, void* all) override {
    const TrafficProfile::Scope scope(profile_, kParts);
    messenger_->gather_to_all(mine, bytes, all);
  }
  void exchange_bytes(const void* mine, const std::vector<std::size_t>& sent, void* to,
                      const std::vector<std::size_t>& received) override {
    const TrafficProfile::Scope scope(profile_, kParts);
    exchange_parts(group_, 1, {sent.begin(), sent.end()}, mine, {received.begin(), received.end()}, to);
  }
  void join(const Result& vector, const void* mine, const std::vector<std::int64_t>& counts) override;
  Backend& own_backend() override { return *own_backend_; }
  void compute_alone(const std::function<void()>& work) override;
  std::shared_ptr<const void> fetch(const Operand& vector, const RankRanges& wants) override;
  std::vector<std::vector<std::int64_t>> gather_lists(const std::vector<std::int64_t>& mine) override;
  const void* own_part(const Operand& vector) override {
    begin();
    const TrafficProfile::Scope scope(profile_, "part for the host");
    settle(vector);
    const Operand own = elements_of(vector, part(vector.length));
    group_.before_reading(own);
    return own.data;
  }

  void set_site(std::uint32_t site) override { faults_.set_site(site); }
  bool has_fault() const override { return faults_.is_known(); }
  Fault take_fault() override { return faults_.take(); }

  void run(VectorOp op) override {
    op.visit([this]<class T>(const T& description) {
      if constexpr (std::is_same_v<T, Scatter>)
        if (sort(description)) return;
      begin();
      constexpr bool is_basic = requires { compute(context_, description); };
      if (is_basic || runs_on_every_rank(group_, description))
        issue(description);
      else if constexpr (!is_basic)
        compose(*this, description);
    });
  }
  std::unique_ptr<PackPlan> plan_pack(const Operand& flags, const SegmentDescriptor& descriptor,
                                      const Result& lengths) override {
    begin();
    const TrafficProfile::Scope scope(profile_, "counts of PACK");
    settle(flags);
    settle(descriptor);
    faults_.begin_operation(false);
    std::unique_ptr<PackPlan> plan = mpi::plan_pack(context_, flags, descriptor, lengths);
    note(lengths);
    return plan;
  }
  std::unique_ptr<KernelPlan> plan_kernel(const vcode::Kernel& kernel, const vcode::KernelFacts& facts,
                                          vcode::Widths widths, std::string_view location) override {
    return DividedKernel::make(group_, cuts_, kernel, facts, widths, location);
  }
  bool run_kernel(KernelPlan& plan, const KernelCall& call) override {
    begin();
    const TrafficProfile::Scope scope(profile_, "kernel");
    for (const Operand& operand : call.operands)
      if (operand.data != nullptr) settle(operand);
    for (const SegmentDescriptor& descriptor : call.descriptors) settle(descriptor);
    auto& kernel = static_cast<DividedKernel&>(plan);
    if (!kernel.run(call)) return false;
    for (std::size_t v = 0; v < call.results.size(); ++v) note(kernel.filled(call, v));
    return true;
  }
  KernelCacheUse kernel_cache_use() const override { return inner_->kernel_cache_use(); }
  void leave_process() override { inner_->leave_process(); }
  LengthsSummary summarize_lengths(const MakeOffsets& op) override {
    begin();
    const LengthsSummary summary = summarize(op.lengths);
    if (op.result.data != nullptr && !has_fault()) issue(op);
    return summary;
  }

 private:
  /// Share of the memory limit that the buffers of an exchange may take, and all whole vectors together.
  static constexpr std::size_t kExchangeShare = 8;
  static std::size_t exchange_bytes(const MpiBackendOptions& options) {
    return options.exchange_bytes != 0 ? options.exchange_bytes : options.memory_limit / kExchangeShare;
  }
  // Messages that no operation sends, in the profile.
  static constexpr std::string_view kParts = "parts of the host", kOperands = "pieces: operands",
                                    kOutcomes = "pieces: outcomes";
  /// Most numbers of a list that gather_lists() sends along with its length.
  static constexpr std::size_t kShortList = 64;

  LengthsSummary summarize(const Operand& lengths) {
    const TrafficProfile::Scope scope(profile_, "sum of lengths");
    settle(lengths);
    faults_.begin_operation(group_.is_divided(lengths));
    if (group_.is_divided(lengths)) return mpi::summarize_lengths(context_, lengths);
    const LengthsSummary summary = inner_->summarize_lengths({lengths, {}, {}});
    faults_.take_from(*inner_);
    return summary;
  }
  /// Begins whatever reads or writes vectors.
  void begin() {
    require_memory();
    if (unsent_ranks_ == nullptr) return;
    const TrafficProfile::Scope scope(profile_, "Rank");
    std::exchange(unsent_ranks_, nullptr)->send();
  }
  /// Permutes a vector by the ranks that the last operation has found. False if an operation is another one.
  bool sort(const Scatter& op) {
    if (unsent_ranks_ == nullptr || !unsent_ranks_->is_permuted_by(op)) return false;
    require_memory();
    const TrafficProfile::Scope scope(profile_, "sorted shares");
    faults_.begin_operation(false);
    unsent_ranks_->permute(op.result);
    note(op.result);
    return true;
  }
  template <class T>
  void issue(const T& op) {
    const TrafficProfile::Scope scope(profile_, VectorOp(op).name());
    bool any_divided = false;
    const auto look_at = [&](const auto& vector) {
      any_divided = any_divided || group_.is_divided(vector);
      settle(vector);
    };
    for_each_operand(op, look_at);
    for_each_descriptor(op, look_at);
    for_each_result(op, [&](const Result& result) { any_divided = any_divided || group_.is_divided(result); });
    // The plan of a PACK is of this backend.
    const bool is_alone = (!any_divided && !std::is_same_v<T, Pack>) || runs_on_every_rank(group_, op);
    faults_.begin_operation(!is_alone && can_fault(op) && !goes_over_replicated(group_, op));
    if (is_alone) {
      inner_->run(op);
      faults_.take_from(*inner_);
    } else if constexpr (std::is_same_v<T, Rank>) {
      unsent_ranks_ = rank_without_sending(context_, op);
    } else if constexpr (requires { compute(context_, op); }) {
      compute(context_, op);
      faults_.agree();
    }
    for_each_result(op, [&](const Result& result) {
      if (group_.is_divided(result) && updates_in_place(group_, op))
        note_update(result, is_alone);
      else
        note(result);
    });
  }

  /// Makes a vector what operations expect of its length: divided, or the same on every rank.
  void settle(const Operand& vector);
  void settle(const SegmentDescriptor& descriptor) {
    if (!descriptor.is_regular()) settle(offsets_of(descriptor));
  }
  /// Records the state of a vector that an operation has filled.
  void note(const Result& result) {
    if (result.length == 0 || result.data == nullptr) return;
    const std::size_t bytes = size_of(result.type, result.length);
    forget_indices(result.data, bytes);
    if (!distribution_.is_divided(result.length)) return held_.remove(result.data, bytes);
    const HeldVector vector = held_vector(operand_of(result));
    if (held_.is_whole(vector.data, vector.element, vector.length)) discard_other_parts(group_, vector);
    held_.add(vector);
  }
  /// Records that elements of a divided vector have changed, on every rank or on those whose parts they are in.
  void note_update(const Result& result, bool is_everywhere) {
    forget_indices(result.data, size_of(result.type, result.length));
    if (!is_everywhere) held_.set_whole(result.data, false);
  }
  /// Forgets everything that has been found by offsets or indices in these bytes, which change or are freed.
  void forget_indices(const void* data, std::size_t bytes) {
    cuts_.remove(data, bytes);
    routes_.remove(data, bytes);
  }
  void forget(const void* data, std::size_t bytes) {
    forget_indices(data, bytes);
    // Copies of other ranks' elements must not remain in unused memory, which counts as parts.
    if (const HeldVector* const vector = held_.find(data, bytes); vector != nullptr && vector->is_whole)
      discard_other_parts(group_, *vector);
    held_.remove(data, bytes);
  }
  /// Copies some bytes of a divided vector, from `begin` on, to every rank. No messages if it is whole.
  void gather(const HeldVector& vector, std::size_t begin, std::size_t end, void* to);
  /// Copies bytes of a vector, which the host then reads, or to one.
  void read_bytes(void* to, const void* from, std::size_t bytes) const {
    group_.before_reading({ElemType::kB8, static_cast<std::int64_t>(bytes), from});
    std::memcpy(to, from, bytes);
  }
  void write_bytes(void* to, const void* from, std::size_t bytes) const {
    group_.before_writing({ElemType::kB8, static_cast<std::int64_t>(bytes), to});
    std::memcpy(to, from, bytes);
  }
  /// A line about copies between hosts and devices; empty without devices. Collective.
  std::string transfers() const;
  void require_memory() {
    if (memory_.failed()) messenger_->fail("out of memory: the system has less memory than --memory allows");
  }

  const std::unique_ptr<Backend> inner_;
  const std::unique_ptr<Messenger> messenger_;
  const Distribution distribution_;
  RankMemory memory_;
  HeldVectors held_;
  const RankGroup group_;
  FaultLedger faults_;
  SegmentCuts cuts_{group_};
  KeptRoutes routes_;
  OperationContext context_{group_, cuts_, faults_, &routes_};
  TrafficProfile profile_{*messenger_};
  PieceMemory piece_memory_{0};
  std::unique_ptr<UnsentRanks> unsent_ranks_;  ///< of the last operation
  const std::unique_ptr<Backend> own_backend_;
  std::size_t peak_with_pieces_ = 0;
};

std::string MpiBackend::transfers() const {
  if (group_.staged == nullptr) return "";
  const Transfers& mine = group_.staged->transfers();
  std::vector<std::int64_t> most{mine.uploads, mine.uploaded_bytes, mine.downloads, mine.downloaded_bytes};
  messenger_->reduce(most, Reduction::kMax);
  return fmt::format("most copies of a rank: {} to its device, of {} bytes, {} to the host, of {} bytes\n", most[0],
                     most[1], most[2], most[3]);
}

void MpiBackend::gather(const HeldVector& vector, std::size_t begin, std::size_t end, void* to) {
  if (vector.is_whole) {
    if (to != vector.data + begin) read_bytes(to, vector.data + begin, end - begin);
    return;
  }
  std::vector<std::size_t> bytes;
  const std::byte* mine = nullptr;
  for (int r = 0; r < group_.ranks(); ++r) {
    const Range part = distribution_.part(vector.length, r);
    const Range given = intersection(
        {part.begin * static_cast<std::int64_t>(vector.element), part.end * static_cast<std::int64_t>(vector.element)},
        {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)});
    bytes.push_back(static_cast<std::size_t>(given.size()));
    if (r == group_.rank()) mine = vector.data + given.begin;
  }
  messenger_->gather_to_all(mine, bytes, to);
}

void MpiBackend::download(void* host, const void* device, std::size_t bytes) {
  begin();
  const TrafficProfile::Scope scope(profile_, "result for the host");
  const auto* at = static_cast<const std::byte*>(device);
  auto* to = static_cast<std::byte*>(host);
  for (const std::byte* const end = at + bytes; at < end;) {
    const HeldVector* const held = held_.find(at, static_cast<std::size_t>(end - at));
    const std::byte* const same_end = held == nullptr ? end : std::max(at, static_cast<const std::byte*>(held->data));
    const auto same = static_cast<std::size_t>(same_end - at);
    if (same > 0) read_bytes(to, at, same);
    at += same;
    to += same;
    if (held == nullptr) break;
    const auto begin = static_cast<std::size_t>(at - held->data);
    const std::size_t of_vector = std::min(held->bytes(), begin + static_cast<std::size_t>(end - at));
    gather(*held, begin, of_vector, to);
    at += of_vector - begin;
    to += of_vector - begin;
  }
}

void MpiBackend::join(const Result& vector, const void* mine, const std::vector<std::int64_t>& counts) {
  begin();
  const TrafficProfile::Scope scope(profile_, kParts);
  Ranges haves;
  std::int64_t length = 0;
  for (const std::int64_t of_rank : counts) {
    haves.push_back({length, length + of_rank});
    length += of_rank;
  }
  VC_CHECK(length == vector.length);
  deliver(group_, mine, haves, vector);
  note(vector);
}

void MpiBackend::compute_alone(const std::function<void()>& work) {
  require_memory();
  const TrafficProfile::Scope scope(profile_, "pieces");
  const MemoryUse use = memory_.use();
  piece_memory_.set_limit(use.limit - use.live);
  work();
  peak_with_pieces_ = std::max(peak_with_pieces_, use.live + piece_memory_.use().peak);
}

std::shared_ptr<const void> MpiBackend::fetch(const Operand& vector, const RankRanges& wants) {
  begin();
  const TrafficProfile::Scope scope(profile_, kOperands);
  settle(vector);
  Ranges ranges;
  for (const auto& [begin, end] : wants) ranges.push_back({begin, end});
  const auto fetched = std::make_shared<Fetched>(mpi::fetch(group_, vector, ranges));
  group_.before_reading(fetched->elements);
  return {fetched, fetched->elements.data};
}

std::vector<std::vector<std::int64_t>> MpiBackend::gather_lists(const std::vector<std::int64_t>& mine) {
  const TrafficProfile::Scope scope(profile_, kOutcomes);
  struct Beginning {
    std::size_t count = 0;
    std::int64_t numbers[kShortList] = {};
  } beginning;
  beginning.count = mine.size();
  std::copy_n(mine.begin(), std::min(mine.size(), kShortList), beginning.numbers);
  const std::vector<Beginning> beginnings = messenger_->gather_to_all(beginning);
  std::vector<std::vector<std::int64_t>> lists;
  std::vector<std::size_t> bytes;
  std::size_t most = 0, all = 0;
  for (const Beginning& of_rank : beginnings) {
    lists.emplace_back(of_rank.numbers, of_rank.numbers + std::min(of_rank.count, kShortList));
    most = std::max(most, of_rank.count);
    bytes.push_back(of_rank.count * sizeof(std::int64_t));
    all += of_rank.count;
  }
  if (most <= kShortList) return lists;
  std::vector<std::int64_t> numbers(all);
  messenger_->gather_to_all(mine.data(), bytes, numbers.data());
  auto next = numbers.begin();
  for (std::size_t r = 0; r < lists.size(); ++r) {
    const auto end = next + static_cast<std::ptrdiff_t>(beginnings[r].count);
    lists[r].assign(next, end);
    next = end;
  }
  return lists;
}

void MpiBackend::settle(const Operand& vector) {
  if (vector.on_host || vector.length == 0) return;
  const std::size_t size = elem_size(vector.type), bytes = size_of(vector.type, vector.length);
  const bool is_divided = distribution_.is_divided(vector.length);
  if (is_divided && held_.has(vector.data, size, vector.length)) return;
  // Memory that was filled as another vector, such as a longer one, comes to every rank first.
  while (const HeldVector* const found = held_.find(vector.data, bytes)) {
    const HeldVector other = *found;
    gather(other, 0, other.bytes(), other.data);
    held_.remove(other.data, other.bytes());
  }
  if (!is_divided) return;
  held_.add(held_vector(vector));
  discard_other_parts(group_, held_vector(vector));
}

}  // namespace

std::unique_ptr<DividedBackend> make_mpi_backend(std::unique_ptr<Backend> inner, std::unique_ptr<Messenger> messenger,
                                                 const MpiBackendOptions& options, std::unique_ptr<Backend> host) {
  StagedBackend* staged = nullptr;
  if (!inner->unified_memory()) {
    VC_CHECK(host != nullptr);
    auto backend = std::make_unique<StagedBackend>(std::move(inner), std::move(host));
    staged = backend.get();
    inner = std::move(backend);
    messenger = make_staged_messenger(std::move(messenger), *staged);
  }
  return std::make_unique<MpiBackend>(std::move(inner), staged, std::move(messenger), options);
}

}  // namespace cvl::mpi
