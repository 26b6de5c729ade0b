#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/check.h"
#include "cvl/vector_op.h"

namespace vcode {
struct Kernel;
struct KernelFacts;
}  // namespace vcode

namespace cvl {

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

/// The machine code of a kernel.
struct MachineCode {
  std::int64_t bytes = 0;   ///< 0: there is none, since it would gain nothing or BackendOptions::native is "off"
  bool was_cached = false;  ///< taken from the folder of compiled kernels, not compiled by this process
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
  /// Compiles the kernel now if that has not been done. Nothing if the backend compiles no kernels, or only those that
  /// run. Throws std::runtime_error if it cannot be compiled. Must not be called while the kernel runs.
  virtual std::optional<MachineCode> machine_code() { return std::nullopt; }
  /// Whether a run may associate the floats of a sum in another way than the steps do. If there is no memory for a run,
  /// the steps must then not be computed instead: results would depend on the memory that is free.
  virtual bool associates_otherwise() const { return false; }
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
  /// Sums that the caller knows, and need not be told: of an input, the number of true flags, or the sum of INTs of
  /// which none is negative; -1 if unknown. A backend may add that of the elements that a PACK keeps of such INTs,
  /// where it waits for their number. Empty: nothing is known.
  std::span<std::int64_t> sums = {};

  std::int64_t sum(std::size_t value) const { return sums.empty() ? -1 : sums[value]; }
};

/// Facts about a vector of segment lengths.
struct LengthsSummary {
  std::int64_t total = 0;
  std::int64_t regular_length = -1;  ///< of every segment; -1 if they differ, or if there are no segments
  bool has_empty = false;            ///< false: no segment is empty; true: some may be
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
  /// Text for --profile on transfers between host and device, or ranks; empty if memory is unified. Collective.
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

  /// Issues an operation; see the comment of its description in vector_op.h. A backend that has no code of its own for
  /// an operation composes it from others: see compose.h.
  virtual void run(VectorOp op) = 0;
  /// Counts the true flags of each segment into `lengths` (INT, one per segment). Null only if a fault is known.
  virtual std::unique_ptr<PackPlan> plan_pack(const Operand& flags, const SegmentDescriptor& descriptor,
                                              const Result& lengths) = 0;
  /// Prepares a kernel that look_at() finds well-formed. The kernel, its facts and the backend outlive the plan.
  /// `location` is the location of the kernel in the source program, for messages; it may be empty. Null if this
  /// backend runs no kernels; the caller then computes them step by step.
  virtual std::unique_ptr<KernelPlan> plan_kernel([[maybe_unused]] const vcode::Kernel& kernel,
                                                  [[maybe_unused]] const vcode::KernelFacts& facts,
                                                  [[maybe_unused]] vcode::Widths widths,
                                                  [[maybe_unused]] std::string_view location) {
    return nullptr;
  }
  /// Computes the steps of the kernel as if one after the other (but see KernelPlan::associates_otherwise). Every
  /// length has been checked. Fault::site of a fault in step s is the site set by set_site() plus s; where memory is
  /// unified, only the fault's kind matters, as the caller recomputes a faulty kernel step by step. Waits if there is a
  /// PACK, whose counts the host needs. False if the kernel cannot run on these operands, or there is no memory for it:
  /// the results are then arbitrary, and the caller computes the kernel step by step.
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
  /// Begins what outlives the process: compiling into the cache the kernels that have run uncompiled. Called before the
  /// process ends; the destructor does the same.
  virtual void leave_process() {}

  /// Summarizes segment lengths, and does the operation unless its results are null. Waits, as the host needs the
  /// summary. Faults: kNegativeLength, kLengthOverflow.
  virtual LengthsSummary summarize_lengths(const MakeOffsets& op) = 0;
};

/// Version of this header's contract; a backend library of another version is refused.
inline constexpr int kBackendAbi = 23;

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
