#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/check.h"
#include "vcode/fault_kind.h"
#include "vcode/op.h"
#include "vcode/random_key.h"
#include "vcode/types.h"

namespace vcode {
struct Kernel;
struct KernelFacts;
}  // namespace vcode

namespace cvl {

using vcode::elem_size;
using vcode::ElemType;
using vcode::FaultKind;
using vcode::Monoid;
using vcode::Op;
using vcode::RandomKey;

/// A vector an operation reads. `data` is an address of the backend's memory.
struct Operand {
  ElemType type = ElemType::kI32;
  std::int64_t length = 0;
  const void* data = nullptr;
  /// Of a vector of one element, where memory is not unified: `data` is an address of the host's, read before the
  /// operation returns.
  bool on_host = false;
};

/// A vector an operation fills.
struct Result {
  ElemType type = ElemType::kI32;
  std::int64_t length = 0;
  void* data = nullptr;
};

/// Where segments begin among 32 consecutive elements.
struct alignas(8) SegmentHeads {
  std::uint32_t bits = 0;    ///< bit j is set if the j-th of them is the first of its segment
  std::uint32_t before = 0;  ///< heads before them
};

constexpr std::int64_t head_words(std::int64_t elements) { return (elements + 31) / 32; }

/// The segments of a vector. Regular ones (a single segment included) need no memory.
struct SegmentMap {
  std::int64_t segments = 0;
  std::int64_t elements = 0;
  std::int64_t regular_length = -1;       ///< the length of every segment, or -1 if they differ
  const std::int64_t* offsets = nullptr;  ///< if irregular: start of each segment, then `elements`
  /// If irregular, for a backend that wants_segment_heads: the descriptor expanded, so that an element finds its
  /// segment at once. It takes a quarter of a byte per element, where the segment ids of Bergstrom and Reppy, "Nested
  /// data-parallelism on the GPU" (ICFP 2012) take four. Null from 2^31 segments on.
  const SegmentHeads* heads = nullptr;     ///< head_words(elements) of them
  const std::int32_t* nonempty = nullptr;  ///< with heads: the segments that are not empty; null if none is

  static SegmentMap single(std::int64_t elements) { return {1, elements, elements, nullptr, nullptr}; }
  bool is_single() const { return segments == 1; }
  bool is_regular() const { return regular_length >= 0; }
  /// First element of segment k; of segment `segments`, the number of elements. Host code only if
  /// `offsets` is readable there.
  std::int64_t start(std::int64_t k) const { return is_regular() ? k * regular_length : offsets[k]; }
};

/// The first thing an operation found wrong with its data, in element order.
struct Fault {
  FaultKind kind = FaultKind::kNone;
  std::uint32_t site = 0;     ///< what Backend::set_site said when the operation was issued
  std::int64_t position = 0;  ///< element (or, for EXTRACT, REPLACE and lengths, segment) concerned
  std::int64_t value = 0;     ///< the index or length found; of an elementwise operation the second operand, or the
                              ///< only one; for kOutOfMemory the bytes asked for, 0 if there is no memory on the
                              ///< device to load the code of a kernel
  std::int64_t bound = 0;     ///< for kIndexRange the length of the segment indexed; of an elementwise operation the
                              ///< first of several operands
};

/// The scatter family. result[start2(k) + indices[e]] = source[e] for each element e of segment k (whose
/// flag is true). Without defaults, places that are not written are 0 and a place written twice is a
/// kDuplicateTarget fault; with defaults, the last of several writes wins.
struct Scatter {
  const Operand& source;
  const Operand& indices;
  const Operand* flags;     ///< optional, bool
  const Operand* defaults;  ///< optional, as long as the result; may be the result itself
  const SegmentMap& from;   ///< of source, indices, flags
  const SegmentMap& to;     ///< of the result
};

/// The gather family. result[e] = source[start1(k) + indices[e]] for each element e of segment k (whose
/// flag is true; 0 elsewhere, whatever the index).
struct Gather {
  const Operand& source;
  const Operand& indices;
  const Operand* flags;    ///< optional, bool
  const SegmentMap& from;  ///< of source
  const SegmentMap& to;    ///< of indices, flags, result
};

/// The segmented vectors that append() and merge() join into one of as many elements as both.
struct Join {
  const Operand& a;
  const Operand& b;
  const SegmentMap& of_a;
  const SegmentMap& of_b;
  const SegmentMap& to;  ///< of the result
};

/// The result of plan_pack(), for any number of calls of pack() with the same flags.
class PackPlan {
 public:
  virtual ~PackPlan() = default;
  std::int64_t kept = 0;  ///< number of true flags
};

/// What a backend prepares for a kernel, for any number of runs.
class KernelPlan {
 public:
  virtual ~KernelPlan() = default;
  /// Whether a run over an index space of so many elements, which are a `single` segment or not, takes less time than
  /// its steps one after the other. To be asked once for each run, so that frequent kernels can be told from others.
  virtual bool is_faster(std::int64_t elements, bool single) = 0;
  /// What became of compiling the kernel to machine code, for people; empty if the backend does not do that.
  virtual std::string native_code() const { return ""; }
  /// The size of the machine code that the kernel is compiled to, in bytes. It is compiled now if that has not been
  /// done. 0 if the backend is not to compile it, or has nothing to gain. Throws std::runtime_error if it cannot be
  /// compiled. Not while the kernel runs.
  virtual std::int64_t machine_code_bytes() { return 0; }
};

/// The data of one run of a kernel. All members are indexed by the kernel's values.
struct KernelCall {
  std::int64_t elements = 0;          ///< of the index space
  std::span<const Operand> operands;  ///< the vectors among the inputs, and the constants
  std::span<const SegmentMap> maps;   ///< the descriptors among the inputs
  /// The vectors to be filled: the outputs, and every value over segments. All others have a null address. The elements
  /// of a PACK have room for the whole index space; its descriptor stands for the INT lengths of the kept segments, and
  /// is present only for the first PACK with the same flags and segments.
  std::span<const Result> results;
  std::span<std::int64_t> kept;  ///< to be filled: number of elements that a PACK kept, indexed by its elements
};

/// Facts about a vector of segment lengths.
struct LengthsSummary {
  std::int64_t total = 0;
  std::int64_t shortest = 0;  ///< 0 if there are no segments
  std::int64_t longest = 0;
};

struct MemoryUse {
  std::size_t live = 0;   ///< bytes handed out now
  std::size_t held = 0;   ///< bytes taken from the system now, caches included
  std::size_t peak = 0;   ///< largest `live` so far
  std::size_t limit = 0;  ///< what `live` may not exceed
};

/// What the folder of compiled kernels has in it.
struct KernelCacheUse {
  std::int64_t kernels = 0;
  std::int64_t bytes = 0;
  std::string problem;  ///< why no kernels are added, or none are read either; empty if they are
};

struct BackendOptions {
  int threads = 0;               ///< 0: all the process may use
  std::size_t memory_limit = 0;  ///< bytes; 0: what the machine (or its container) has
  const char* simd = "";         ///< CPU: "baseline", "avx2", "avx512"; "": the best there is
  /// Which kernels are compiled to machine code while the program runs, if there is a compiler: "off", none; "hot" (or
  /// ""), beside the run, by the CPU's those that have run for longer than compiling takes, by CUDA's those that run
  /// over long vectors; "always", all, before they run.
  const char* native = "";
  /// The folder in which compiled kernels are kept for this and other processes; "": none.
  const char* kernel_cache = "";
  /// CPU: whether debuggers and profilers are told of compiled kernels, each by its name and place: gdb, and perf by
  /// /tmp/perf-PID.map.
  bool native_symbols = false;
  /// Asked now and then while the host waits for a device. Where it returns true, operations may throw base::Stopped
  /// instead of waiting any longer; what was issued still runs, and the backend can be used again.
  bool (*stop_requested)() = nullptr;
};

/// The vectors that Backend::kernel_assembly() knows, of x86-64 and AArch64.
inline constexpr std::string_view kNativeTargets[] = {"avx512", "avx2", "sse2", "neon"};

/// What any operation may throw: the device can no longer be used.
class BackendLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Work that is done side by side, while the thread that has started it does something else.
class Tasks {
 public:
  /// Waits, too.
  virtual ~Tasks() = default;
  /// Has `work`, which must neither throw nor start or wait for tasks, done by some thread.
  virtual void start(std::function<void()> work) = 0;
  /// Returns when all of it has been done, some of it by the calling thread.
  virtual void wait() = 0;
};

/// A vector library: the bulk operations of VCODE on memory it owns.
///
/// Contract of every operation: operands and results are addresses of this backend's memory (where memory is
/// unified, of any memory), lengths have been checked against the operation's signature, a result does
/// not overlap an operand except where its comment allows it to be the same vector (same address, same
/// element size). Operations may be asynchronous; they run in the order of issue, and what they find
/// wrong with the data surfaces through has_fault and take_fault. After a fault, results are arbitrary.
/// Time is O(elements + segments), whatever the shape of the segmentation. Results are bit for bit the same for any
/// number of threads.
class Backend {
 public:
  virtual ~Backend() = default;

  /// One line for --version: library, instruction set or device, threads.
  virtual std::string description() const = 0;
  /// True if the host can read and write the backend's memory directly, and the other way round.
  virtual bool unified_memory() const = 0;
  /// True if irregular segments are to come with SegmentMap::heads, which are made once per descriptor.
  virtual bool wants_segment_heads() const { return false; }

  /// `bytes` of memory aligned to at least 64; null if the limit or the device does not allow it.
  virtual void* allocate(std::size_t bytes) noexcept = 0;
  /// Gives back what allocate(bytes) returned; operations still reading it are waited for or ordered.
  virtual void deallocate(void* data, std::size_t bytes) noexcept = 0;
  /// Makes what allocate(bytes) returned smaller, down to `wanted` bytes or somewhat more. Returns how many bytes
  /// it now has; deallocate is to be told these.
  virtual std::size_t shrink([[maybe_unused]] void* data, std::size_t bytes,
                             [[maybe_unused]] std::size_t wanted) noexcept {
    return bytes;
  }
  virtual MemoryUse memory_use() const = 0;
  /// One line for --profile on transfers between host and device; empty if memory is unified.
  virtual std::string traffic() const { return ""; }
  virtual void upload(void* device, const void* host, std::size_t bytes) = 0;
  /// Waits for everything issued before.
  virtual void download(void* host, const void* device, std::size_t bytes) = 0;
  /// True if download() from there would keep the host waiting so long that an operation on what is there, however
  /// short, is better computed by the device.
  virtual bool would_wait([[maybe_unused]] const void* device) const { return false; }

  /// Names the instruction that following operations belong to, for Fault::site.
  virtual void set_site(std::uint32_t site) = 0;
  /// True if a fault is known already; does not wait.
  virtual bool has_fault() const = 0;
  /// Waits for everything issued, and returns and forgets the first fault (kind kNone: there is none).
  virtual Fault take_fault() = 0;

  /// An elementwise row of ops.def. The result may be any operand of its element size.
  virtual void elementwise(Op op, std::span<const Operand> operands, const Result& result) = 0;
  /// result[e] = vcode::random_element(key, e, bounds[e]). The result may be `bounds`.
  virtual void random(const Operand& bounds, RandomKey key, const Result& result) = 0;
  /// Exclusive scan of each segment; its first element gets the monoid's identity. The result may be `a`.
  virtual void scan(Monoid monoid, const Operand& a, const SegmentMap& map, const Result& result) = 0;
  /// One element for each segment; the monoid's identity for an empty one.
  virtual void reduce(Monoid monoid, const Operand& a, const SegmentMap& map, const Result& result) = 0;
  /// In each segment the index of the first element that equals its reduction, by kMax or kMin, as INT of the result's
  /// width; the length of the segment if none does, as all are NaN; the largest INT for an empty one.
  virtual void arg_reduce(Monoid monoid, const Operand& a, const SegmentMap& map, const Result& result) = 0;
  /// The result may be the defaults.
  virtual void scatter(const Scatter& scatter, const Result& result) = 0;
  /// The result may be the indices if its elements have their size.
  virtual void gather(const Gather& gather, const Result& result) = 0;
  /// result[k] = a[start(k) + i[k]]. The result may be `i`.
  virtual void extract(const Operand& a, const Operand& i, const SegmentMap& map, const Result& result) = 0;
  /// A copy of a with a[start(k) + i[k]] = v[k]; an empty segment stays empty, whatever its index and value. The result
  /// may be `a`.
  virtual void replace(const Operand& a, const Operand& i, const Operand& v, const SegmentMap& map,
                       const Result& result) = 0;
  /// Fills segment k with v[k].
  virtual void dist(const Operand& v, const SegmentMap& map, const Result& result) = 0;
  /// Fills segment k with start[k] + j * stride[k], wrapping.
  virtual void index(const Operand& start, const Operand& stride, const SegmentMap& map, const Result& result) = 0;
  /// Segment k is a[start[k]], a[start[k] + 1], … An element that would be read outside of a is a kIndexRange fault,
  /// with that place; an empty segment reads nothing, whatever its start.
  virtual void slice(const Operand& a, const Operand& start, const SegmentMap& map, const Result& result) = 0;
  /// Segment k is that of a with that of b behind it. kLengthMismatch: segment `position` of the result has `bound`
  /// elements, and `value` are to go there.
  virtual void append(const Join& join, const Result& result) = 0;
  /// Segment k is the next of a where flags[k], else the next of b. kLengthMismatch as in append(), unless there is a
  /// kFlagCount: `value` flags are true, and a has `bound` segments.
  virtual void merge(const Operand& flags, const Join& join, const Result& result) = 0;
  /// Position of each element in the stable order of its segment, as INT of the result's width. NaN counts
  /// as larger than every number, -0.0 as equal to 0.0.
  virtual void rank(bool descending, const Operand& a, const SegmentMap& map, const Result& result) = 0;
  /// result[start2(k) + v] = how many elements of segment k of the INTs a equal start[k] + v, which wraps. The result
  /// has their width; it is not an operand.
  virtual void count(const Operand& a, const Operand& start, const SegmentMap& from, const SegmentMap& to,
                     const Result& result) = 0;
  /// Counts the true flags of each segment into `lengths` (INT, one per segment). Null only if a fault is known.
  virtual std::unique_ptr<PackPlan> plan_pack(const Operand& flags, const SegmentMap& map, const Result& lengths) = 0;
  /// The elements of a whose flag is true, in order; `result` has plan.kept elements.
  virtual void pack(const PackPlan& plan, const Operand& a, const Operand& flags, const Result& result) = 0;

  /// Prepares a kernel that look_at() finds well-formed. Both outlive the plan, as the backend does. `place` is where
  /// the kernel is in the source program, for people; it may be empty. Null if this backend does not run kernels; they
  /// are then computed step by step.
  virtual std::unique_ptr<KernelPlan> plan_kernel([[maybe_unused]] const vcode::Kernel& kernel,
                                                  [[maybe_unused]] const vcode::KernelFacts& facts,
                                                  [[maybe_unused]] vcode::Widths widths,
                                                  [[maybe_unused]] std::string_view place) {
    return nullptr;
  }
  /// Computes what the steps of the kernel compute one after the other; floats may be associated differently. Every
  /// length has been checked. A fault of step s has as Fault::site what set_site() said plus s; where memory is
  /// unified, only its kind matters, as the caller computes step by step what is at fault. Waits if there is a PACK,
  /// whose counts the host needs. False if it cannot be run on these operands, or there is no memory for it: the
  /// results are then arbitrary, and the caller computes it step by step.
  [[nodiscard]] virtual bool run_kernel([[maybe_unused]] KernelPlan& plan, [[maybe_unused]] const KernelCall& call) {
    VC_CHECK(!"a backend that plans kernels");
    return false;
  }
  /// The LLVM assembly that a kernel is compiled from, in which values are named as in the kernel, for the vectors of
  /// `target`: one of kNativeTargets, or "" for what this backend runs on. Empty if it does not compile the kernel so.
  virtual std::string kernel_assembly([[maybe_unused]] const KernelPlan& plan,
                                      [[maybe_unused]] std::string_view target) const {
    return "";
  }

  // --- independent computations, side by side

  /// The threads that operations and tasks use.
  virtual int threads() const { return 1; }
  /// Another view of this backend, whose operations run on the calling thread: the results are the same bit for bit.
  /// Its allocations count toward the same limit, as memory_use() of either says. It may be used by one thread while
  /// others use this backend or other lanes, whose memory it can read; it runs the kernel plans that this backend has
  /// made, and what it has allocated is given back to it. This backend outlives it. Null: there are no lanes.
  virtual std::unique_ptr<Backend> make_lane() { return nullptr; }
  /// Tasks that run beside what this backend does, on its threads. Null if it has no lanes for them.
  virtual std::unique_ptr<Tasks> make_tasks() { return nullptr; }

  /// About BackendOptions::kernel_cache, which is created if it is missing.
  virtual KernelCacheUse kernel_cache_use() const { return {0, 0, "the vector library keeps none"}; }
  /// Removes all compiled kernels from that folder, and no other files.
  virtual void clear_kernel_cache() {}

  /// Facts about segment lengths; the host needs them, so this waits. Faults: kNegativeLength,
  /// kLengthOverflow.
  virtual LengthsSummary summarize_lengths(const Operand& lengths) = 0;
  /// result[k] = sum of lengths[0..k), for k from 0 to the number of segments; result is kI64.
  virtual void make_offsets(const Operand& lengths, const Result& result) = 0;
  /// SegmentMap::heads of an irregular map, each as one kI64; and, unless its data is null, SegmentMap::nonempty, a
  /// kI32 for each segment, of which those behind the last non-empty one are left alone. Only of a backend that wants
  /// them.
  virtual void make_segment_heads([[maybe_unused]] const SegmentMap& map, [[maybe_unused]] const Result& heads,
                                  [[maybe_unused]] const Result& nonempty) {
    VC_CHECK(!"a backend that wants segment heads");
  }
};

/// Version of this header's contract; a backend library of another version is refused.
inline constexpr int kBackendAbi = 14;

/// What a backend library exports under the names cvl_backend_abi and cvl_create_backend. The latter
/// returns null and fills `error` (a clear sentence) if the backend cannot work here.
using BackendAbiFn = int();
using CreateBackendFn = Backend*(const BackendOptions& options, std::string& error);

/// An optional export, cvl_backend_preference, of a library that is to be found by load_best_backend(): of two that
/// work, the one with the greater number is taken. Libraries for tests have none.
using BackendPreferenceFn = int();
/// The preferences of libraries that compute on the host's processor, and on a device made for long vectors.
inline constexpr int kPreferHost = 10, kPreferDevice = 20;

}  // namespace cvl
