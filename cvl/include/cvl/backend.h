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

/// A vector that an operation reads. `data` is an address of the backend's memory.
struct Operand {
  ElemType type = ElemType::kI32;
  std::int64_t length = 0;
  const void* data = nullptr;
  /// Only for one element, where memory is not unified: `data` is an address in host memory, read before the operation
  /// returns.
  bool on_host = false;
};

/// A vector that an operation fills.
struct Result {
  ElemType type = ElemType::kI32;
  std::int64_t length = 0;
  void* data = nullptr;
};

/// Positions of segment starts among 32 consecutive elements.
struct alignas(8) SegmentHeads {
  std::uint32_t bits = 0;    ///< bit j is set if element j of the 32 is the first of its segment
  std::uint32_t before = 0;  ///< number of heads before these 32 elements
};

constexpr std::int64_t head_words(std::int64_t elements) { return (elements + 31) / 32; }

/// The segment descriptor of a vector. Regular descriptors (a single segment included) need no memory.
struct SegmentDescriptor {
  std::int64_t segments = 0;
  std::int64_t elements = 0;
  std::int64_t regular_length = -1;       ///< the length of every segment, or -1 if they differ
  const std::int64_t* offsets = nullptr;  ///< if irregular: start of each segment, then `elements`
  /// Only in irregular descriptors, for a backend that wants_segment_heads(): the descriptor expanded, for finding the
  /// segment of an element in constant time. Takes a quarter of a byte per element, where the segment ids of Bergstrom
  /// and Reppy, "Nested data-parallelism on the GPU" (ICFP 2012) take four bytes. Null from 2^31 segments on.
  const SegmentHeads* heads = nullptr;     ///< head_words(elements) entries
  const std::int32_t* nonempty = nullptr;  ///< with heads: the segments that are not empty; null if none is

  static SegmentDescriptor single(std::int64_t elements) { return {1, elements, elements, nullptr, nullptr}; }
  bool is_single() const { return segments == 1; }
  bool is_regular() const { return regular_length >= 0; }
  /// First element of segment k; for k == segments, the number of elements. Host code only if `offsets` is readable
  /// there.
  std::int64_t start(std::int64_t k) const { return is_regular() ? k * regular_length : offsets[k]; }
};

/// The first error, in element order, in the data of an operation.
struct Fault {
  FaultKind kind = FaultKind::kNone;
  std::uint32_t site = 0;     ///< argument of Backend::set_site() when the operation was issued
  std::int64_t position = 0;  ///< number of the element (for EXTRACT, REPLACE and lengths: of the segment)
  /// The index or length found. For an elementwise operation: its second operand, or its only one. For kOutOfMemory:
  /// the bytes of the allocation; 0 if the device has no memory for the code of a kernel.
  std::int64_t value = 0;
  /// For kIndexRange: the length of the indexed segment. For an elementwise operation: the first of several operands.
  std::int64_t bound = 0;
};

/// The scatter family. result[start2(k) + indices[e]] = source[e] for each element e of segment k (whose
/// flag is true). Without defaults, elements that are not written are 0, and a target of two writes is a
/// kDuplicateTarget fault; with defaults, the last of several writes to a target wins.
struct Scatter {
  const Operand& source;
  const Operand& indices;
  const Operand* flags;           ///< optional, of type kB8
  const Operand* defaults;        ///< optional, as long as the result; may be the result itself
  const SegmentDescriptor& from;  ///< descriptor of source, indices, flags
  const SegmentDescriptor& to;    ///< descriptor of the result
};

/// The gather family. result[e] = source[start1(k) + indices[e]] for each element e of segment k (whose
/// flag is true; 0 elsewhere, whatever the index).
struct Gather {
  const Operand& source;
  const Operand& indices;
  const Operand* flags;           ///< optional, of type kB8
  const SegmentDescriptor& from;  ///< descriptor of source
  const SegmentDescriptor& to;    ///< descriptor of indices, flags, result
};

/// The segmented vectors that append() and merge() join into one vector with the elements of both.
struct Join {
  const Operand& a;
  const Operand& b;
  const SegmentDescriptor& of_a;
  const SegmentDescriptor& of_b;
  const SegmentDescriptor& to;  ///< descriptor of the result
};

/// The result of plan_pack(), for any number of calls of pack() with the same flags.
class PackPlan {
 public:
  virtual ~PackPlan() = default;
  std::int64_t kept = 0;  ///< number of true flags
};

/// A kernel prepared by a backend, for any number of runs.
class KernelPlan {
 public:
  virtual ~KernelPlan() = default;
  /// Whether a run over an index space of `elements` elements, in a `single` segment or not, takes less time than its
  /// steps one after the other. Called exactly once for each run: the count of calls tells frequent kernels from
  /// others.
  virtual bool is_faster(std::int64_t elements, bool single) = 0;
  /// The state of compiling the kernel to machine code, for messages; empty if the backend does not compile kernels.
  virtual std::string native_code() const { return ""; }
  /// The size of the kernel's machine code in bytes; 0 if the backend does not compile the kernel, or would gain
  /// nothing. Compiles the kernel now if that has not been done. Throws std::runtime_error if it cannot be compiled.
  /// Must not be called while the kernel runs.
  virtual std::int64_t machine_code_bytes() { return 0; }
};

/// The data of one run of a kernel. All members are indexed by the kernel's values.
struct KernelCall {
  std::int64_t elements = 0;                       ///< length of the index space
  std::span<const Operand> operands;               ///< the vectors among the inputs, and the constants
  std::span<const SegmentDescriptor> descriptors;  ///< the descriptors among the inputs
  /// Vectors to fill: the outputs, and every value over segments; all others have a null address. The elements of a
  /// PACK have room for the whole index space. Its descriptor is a vector of the lengths of the kept segments (INT),
  /// present only for the first PACK with the same flags and segments.
  std::span<const Result> results;
  std::span<std::int64_t> kept;  ///< to fill: number of elements that a PACK kept, indexed by its elements
};

/// Facts about a vector of segment lengths.
struct LengthsSummary {
  std::int64_t total = 0;
  std::int64_t shortest = 0;  ///< 0 if there are no segments
  std::int64_t longest = 0;
};

struct MemoryUse {
  std::size_t live = 0;   ///< bytes allocated now
  std::size_t held = 0;   ///< bytes taken from the system now, caches included
  std::size_t peak = 0;   ///< largest `live` so far
  std::size_t limit = 0;  ///< upper bound of `live`
};

/// The content of the folder of compiled kernels.
struct KernelCacheUse {
  std::int64_t kernels = 0;
  std::int64_t bytes = 0;
  std::string problem;  ///< why no kernels are added, or none are read either; empty if there is no problem
};

struct BackendOptions {
  int threads = 0;               ///< 0: all that the process may use
  std::size_t memory_limit = 0;  ///< bytes; 0: all memory of the machine (or its container)
  const char* simd = "";         ///< CPU: "baseline", "avx2", "avx512"; "": the best that the machine has
  /// Kernels to compile to machine code while the program runs, if there is a compiler. "off": none. "hot" (or ""):
  /// beside the run; on CPUs, kernels that have run for longer than compiling takes; on CUDA, kernels that run over
  /// long vectors. "always": all, before they run.
  const char* native = "";
  /// The folder in which compiled kernels are kept for this and other processes; "": none.
  const char* kernel_cache = "";
  /// CPU: whether compiled kernels are announced to debuggers and profilers, each by its name and location: to gdb, and
  /// to perf by /tmp/perf-PID.map.
  bool native_symbols = false;
  /// Called now and then while the host waits for a device. If it returns true, operations may throw base::Stopped
  /// instead of waiting any longer; issued operations still run, and the backend remains usable.
  bool (*stop_requested)() = nullptr;
};

/// The vector instruction sets of x86-64 and AArch64 that Backend::kernel_assembly() knows.
inline constexpr std::string_view kNativeTargets[] = {"avx512", "avx2", "sse2", "neon"};

/// Thrown by any operation when the device can no longer be used.
class BackendLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Pieces of work that run on several threads, beside the thread that starts them.
class Tasks {
 public:
  /// Waits for all work, as wait() does.
  virtual ~Tasks() = default;
  /// Runs `work` on some thread. `work` must neither throw nor start or wait for tasks.
  virtual void start(std::function<void()> work) = 0;
  /// Returns when all started work is done; the calling thread does some of it.
  virtual void wait() = 0;
};

/// A vector library: the bulk operations of VCODE on memory it owns.
///
/// Contract of every operation: operands and results are addresses of this backend's memory (where memory is
/// unified, of any memory), and lengths have been checked against the operation's signature. A result does
/// not overlap an operand, except where the comment of the operation allows both to be the same vector (same address,
/// same element size). Operations may be asynchronous; they run in the order of issue, and report faults in their data
/// through has_fault() and take_fault(). After a fault, results are arbitrary.
/// Time is O(elements + segments), whatever the shape of the segmentation. Results are bit for bit the same for any
/// number of threads.
/// number of threads.
class Backend {
 public:
  virtual ~Backend() = default;

  /// One line for --version: library, instruction set or device, threads.
  virtual std::string description() const = 0;
  /// True if the host can read and write the backend's memory directly, and the other way round.
  virtual bool unified_memory() const = 0;
  /// True if irregular descriptors must have SegmentDescriptor::heads, which are made once per descriptor.
  virtual bool wants_segment_heads() const { return false; }

  /// `bytes` of memory, aligned to at least 64; null if the limit or the device does not allow it.
  virtual void* allocate(std::size_t bytes) noexcept = 0;
  /// Frees memory that allocate(bytes) returned, after operations that still read it.
  virtual void deallocate(void* data, std::size_t bytes) noexcept = 0;
  /// Shrinks memory that allocate(bytes) returned to `wanted` bytes or somewhat more. Returns its new size, which
  /// deallocate() must be called with.
  virtual std::size_t shrink([[maybe_unused]] void* data, std::size_t bytes,
                             [[maybe_unused]] std::size_t wanted) noexcept {
    return bytes;
  }
  virtual MemoryUse memory_use() const = 0;
  /// One line for --profile on transfers between host and device; empty if memory is unified.
  virtual std::string traffic() const { return ""; }
  virtual void upload(void* device, const void* host, std::size_t bytes) = 0;
  /// Copies after waiting for everything issued before.
  virtual void download(void* host, const void* device, std::size_t bytes) = 0;
  /// True if a download() from `device` would wait so long that an operation on that memory, however short, is better
  /// computed by the device.
  virtual bool would_wait([[maybe_unused]] const void* device) const { return false; }

  /// Sets Fault::site of the operations that follow: the number of their instruction.
  virtual void set_site(std::uint32_t site) = 0;
  /// True if a fault is known already; does not wait.
  virtual bool has_fault() const = 0;
  /// Waits for everything issued, then returns and forgets the first fault (kind kNone if there was none).
  virtual Fault take_fault() = 0;

  /// An elementwise row of ops.def. The result may be any operand of its element size.
  virtual void elementwise(Op op, std::span<const Operand> operands, const Result& result) = 0;
  /// result[e] = vcode::random_element(key, e, bounds[e]). The result may be `bounds`.
  virtual void random(const Operand& bounds, RandomKey key, const Result& result) = 0;
  /// Exclusive scan of each segment; its first element gets the monoid's empty value. The result may be `a`.
  virtual void scan(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor, const Result& result) = 0;
  /// One element for each segment; the monoid's empty value for an empty segment.
  virtual void reduce(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor, const Result& result) = 0;
  /// For each segment the index of the first element that equals its reduction by kMax or kMin, as INT of the result's
  /// width; the length of the segment if none does, because all are NaN; the largest INT for an empty segment.
  virtual void arg_reduce(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor,
                          const Result& result) = 0;
  /// The result may be the defaults.
  virtual void scatter(const Scatter& scatter, const Result& result) = 0;
  /// The result may be the indices if its elements have their size.
  virtual void gather(const Gather& gather, const Result& result) = 0;
  /// result[k] = a[start(k) + i[k]]. The result may be `i`.
  virtual void extract(const Operand& a, const Operand& i, const SegmentDescriptor& descriptor,
                       const Result& result) = 0;
  /// A copy of a with a[start(k) + i[k]] = v[k]; an empty segment stays empty, whatever its index and value. The result
  /// may be `a`.
  virtual void replace(const Operand& a, const Operand& i, const Operand& v, const SegmentDescriptor& descriptor,
                       const Result& result) = 0;
  /// Fills segment k with v[k].
  virtual void dist(const Operand& v, const SegmentDescriptor& descriptor, const Result& result) = 0;
  /// Fills segment k with start[k] + j * stride[k], wrapping.
  virtual void index(const Operand& start, const Operand& stride, const SegmentDescriptor& descriptor,
                     const Result& result) = 0;
  /// Segment k is a[start[k]], a[start[k] + 1], … An index outside of `a` is a kIndexRange fault, with that index; an
  /// empty segment reads nothing, whatever its start.
  virtual void slice(const Operand& a, const Operand& start, const SegmentDescriptor& descriptor,
                     const Result& result) = 0;
  /// Segment k is segment k of a, followed by segment k of b. Fault kLengthMismatch: segment `position` of the result
  /// has `bound` elements, but the two segments have `value`.
  virtual void append(const Join& join, const Result& result) = 0;
  /// Segment k is the next segment of a if flags[k], else the next of b. Faults: kFlagCount, if `value` flags are true
  /// but a has `bound` segments; else kLengthMismatch as in append().
  virtual void merge(const Operand& flags, const Join& join, const Result& result) = 0;
  /// Position of each element in the stable order of its segment, as INT of the result's width. NaN counts
  /// as larger than every number, -0.0 as equal to 0.0.
  virtual void rank(bool descending, const Operand& a, const SegmentDescriptor& descriptor, const Result& result) = 0;
  /// result[start2(k) + v] = how many elements of segment k of the INTs a equal start[k] + v, which wraps. The result
  /// has their width; it is not an operand.
  virtual void count(const Operand& a, const Operand& start, const SegmentDescriptor& from, const SegmentDescriptor& to,
                     const Result& result) = 0;
  /// Counts the true flags of each segment into `lengths` (INT, one per segment). Null only if a fault is known.
  virtual std::unique_ptr<PackPlan> plan_pack(const Operand& flags, const SegmentDescriptor& descriptor,
                                              const Result& lengths) = 0;
  /// The elements of a whose flag is true, in order; `result` has plan.kept elements.
  virtual void pack(const PackPlan& plan, const Operand& a, const Operand& flags, const Result& result) = 0;

  /// Prepares a kernel that look_at() finds well-formed. The kernel, its facts and the backend outlive the plan.
  /// `location` is the location of the kernel in the source program, for messages; it may be empty. Null if this
  /// backend runs no kernels; the caller then computes them step by step.
  virtual std::unique_ptr<KernelPlan> plan_kernel([[maybe_unused]] const vcode::Kernel& kernel,
                                                  [[maybe_unused]] const vcode::KernelFacts& facts,
                                                  [[maybe_unused]] vcode::Widths widths,
                                                  [[maybe_unused]] std::string_view location) {
    return nullptr;
  }
  /// Computes the steps of the kernel as if one after the other; floats may be associated differently. Every length has
  /// been checked. Fault::site of a fault in step s is the site set by set_site() plus s; where memory is unified, only
  /// the fault's kind matters, as the caller recomputes a faulty kernel step by step. Waits if there is a PACK, whose
  /// counts the host needs. False if the kernel cannot run on these operands, or there is no memory for it: the results
  /// are then arbitrary, and the caller computes the kernel step by step.
  [[nodiscard]] virtual bool run_kernel([[maybe_unused]] KernelPlan& plan, [[maybe_unused]] const KernelCall& call) {
    VC_CHECK(!"a backend that plans kernels");
    return false;
  }
  /// The LLVM assembly that a kernel is compiled from, for the instruction set `target`: one of kNativeTargets, or ""
  /// for that of this machine. Values are named as in the kernel. Empty if this backend does not compile the kernel by
  /// LLVM.
  virtual std::string kernel_assembly([[maybe_unused]] const KernelPlan& plan,
                                      [[maybe_unused]] std::string_view target) const {
    return "";
  }

  // --- Independent computations, side by side

  /// The number of threads that operations and tasks use.
  virtual int threads() const { return 1; }
  /// A worker: another view of this backend, whose operations run on the calling thread, with bit for bit the same
  /// results. One thread may use it while other threads use this backend or other workers, whose memory it can read.
  /// Allocations of all workers count toward one limit, and memory_use() of each reports all. A worker runs kernel
  /// plans made by this backend, and frees its memory to it. This backend outlives its workers. Null if there are no
  /// workers.
  virtual std::unique_ptr<Backend> make_worker() { return nullptr; }
  /// Tasks that run on the threads of this backend, beside its operations. Null if there are no workers for them.
  virtual std::unique_ptr<Tasks> make_tasks() { return nullptr; }

  /// The content of the folder BackendOptions::kernel_cache, which is created if it is missing.
  virtual KernelCacheUse kernel_cache_use() const { return {0, 0, "the vector library keeps none"}; }
  /// Removes all compiled kernels from that folder, and no other files.
  virtual void clear_kernel_cache() {}

  /// Summarizes segment lengths. Waits, as the host needs the result. Faults: kNegativeLength, kLengthOverflow.
  virtual LengthsSummary summarize_lengths(const Operand& lengths) = 0;
  /// result[k] = sum of lengths[0..k), for k from 0 to the number of segments; result is kI64.
  virtual void make_offsets(const Operand& lengths, const Result& result) = 0;
  /// Computes SegmentDescriptor::heads of an irregular descriptor, each as one kI64; and, unless its data is null,
  /// SegmentDescriptor::nonempty, a kI32 for each segment; entries behind the last non-empty segment stay unwritten.
  /// Only called if the backend wants_segment_heads().
  virtual void make_segment_heads([[maybe_unused]] const SegmentDescriptor& descriptor,
                                  [[maybe_unused]] const Result& heads, [[maybe_unused]] const Result& nonempty) {
    VC_CHECK(!"a backend that wants segment heads");
  }
};

/// Version of this header's contract; a backend library of another version is refused.
inline constexpr int kBackendAbi = 14;

/// Types of the functions that a backend library exports under the names cvl_backend_abi and cvl_create_backend. The
/// latter returns null and fills `error` (a clear sentence) if the backend cannot work here.
using BackendAbiFn = int();
using CreateBackendFn = Backend*(const BackendOptions& options, std::string& error);

/// Type of an optional export, cvl_backend_preference, of libraries that load_best_backend() finds: of two that work,
/// the one with the greater number is chosen. Libraries for tests do not export it.
using BackendPreferenceFn = int();
/// The preferences of libraries that compute on the host's processor, and on a device made for long vectors.
inline constexpr int kPreferHost = 10, kPreferDevice = 20;

}  // namespace cvl
