#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "result_checks.h"

namespace device_check {
namespace {

using cvl::Fault;
using cvl::FaultKind;

struct FaultyOperation {
  const char* name;
  std::function<void()> issue;
  Fault expected;
};

Finding compare(const char* name, const Fault& found, const Fault& expected) {
  if (found.kind == expected.kind && found.site == expected.site && found.position == expected.position &&
      found.value == expected.value && found.bound == expected.bound)
    return "";
  const auto text = [](const Fault& f) {
    return fmt::format("kind {}, site {}, element {}, value {}, bound {}", static_cast<int>(f.kind), f.site, f.position,
                       f.value, f.bound);
  };
  return fmt::format("{}: expected {}; found {}", name, text(expected), text(found));
}

/// An operation whose working memory is made to run out, and its result with enough memory.
struct HungryOperation {
  const char* name;
  std::function<Operand(DeviceVectors&)> run;
};

/// The error of the operation when `spare` bytes are left for it; empty if none. `succeeded` tells whether they were
/// enough.
Finding run_with(cvl::Backend& backend, const HungryOperation& operation, std::size_t spare, bool& succeeded) {
  const cvl::MemoryUse use = backend.memory_use();
  if (spare > use.limit - use.live) return fmt::format("{} bytes are not enough", spare);
  const std::size_t bytes = use.limit - use.live - spare;
  void* ballast = backend.allocate(bytes);
  if (ballast == nullptr) return fmt::format("{} of {} bytes cannot be allocated", bytes, use.limit);
  succeeded = false;
  try {
    DeviceVectors v(backend);
    operation.run(v);
    v.check_faults();
    succeeded = true;
  } catch (const NoMemory&) {
    backend.take_fault();  // an operation may have failed before the vector could not be allocated
  }
  backend.deallocate(ballast, bytes);
  return "";
}

/// Whether the operation, with enough memory, has the same result as before.
bool gives(cvl::Backend& backend, const HungryOperation& operation, const Operand& expected) {
  try {
    DeviceVectors v(backend);
    return v.same(operation.run(v), expected);
  } catch (const NoMemory&) {
    return false;
  }
}

}  // namespace

Finding whole_vector_faults(cvl::Backend& backend, const Extent& x, std::string& note) {
  constexpr std::uint32_t kSite = 123;
  const std::int64_t n = x.elements;
  DeviceVectors v(backend);
  const Operand up = v.sequence(x.ints, n, 0, 1), zeros = v.ints(x.ints, n, 0), beyond = v.ints(x.ints, n, n);
  const Operand negative = v.ints(x.ints, n, -1);
  const Operand bounds = v.constant(n, std::int32_t{0});
  const Result to = v.make(x.ints, n), drawn = v.make(ElemType::kI32, n);
  const SegmentDescriptor descriptor = SegmentDescriptor::single(n);
  v.check_faults();
  const FaultyOperation operations[] = {
      {"division by zero",
       [&] {
         const Operand operands[] = {up, zeros};
         backend.run(cvl::Elementwise{Op::kDivide, operands, to});
       },
       {FaultKind::kDivideByZero, kSite, 0, 0, 0}},
      {"index out of range",
       [&] {
         backend.run(cvl::Gather{up, beyond, {}, descriptor, descriptor, to});
       },
       {FaultKind::kIndexRange, kSite, 0, n, n}},
      {"place out of range",
       [&] {
         backend.run(cvl::Scatter{up, beyond, {}, {}, descriptor, descriptor, to});
       },
       {FaultKind::kIndexRange, kSite, 0, n, n}},
      {"place written twice",
       [&] {
         backend.run(cvl::Scatter{up, zeros, {}, {}, descriptor, descriptor, to});
       },
       {FaultKind::kDuplicateTarget, kSite, 1, 0, 0}},
      {"bound of a random number",
       [&] {
         backend.run(cvl::Random{bounds, {.seed = 1, .call = 1}, drawn});
       },
       {FaultKind::kRandomBound, kSite, 0, 0, 0}},
      {"negative length",
       [&] {
         (void)backend.summarize_lengths({negative, {}, {}});
       },
       {FaultKind::kNegativeLength, kSite, 0, -1, 0}},
  };
  for (const FaultyOperation& operation : operations) {
    backend.set_site(kSite);
    const auto start = std::chrono::steady_clock::now();
    operation.issue();
    backend.set_site(0);
    const Fault found = backend.take_fault();
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    note += fmt::format("{}{} {:.1f} ms", note.empty() ? "" : ", ", operation.name, elapsed.count());
    if (Finding finding = compare(operation.name, found, operation.expected); !finding.empty()) return finding;
    DeviceVectors after(backend);
    if (!after.same(after.elementwise(Op::kAdd, x.ints, {up, zeros}), up))
      return fmt::format("{}: the next operation is wrong", operation.name);
  }
  return "";
}

Finding issues_without_a_read(cvl::Backend& backend) {
  constexpr std::int64_t kElements = 1000, kIssues = 10000, kFaulty = 17;
  constexpr ElemType kInt = ElemType::kI32;
  DeviceVectors v(backend);
  const Operand ones = v.ints(kInt, kElements, 1), zeros = v.ints(kInt, kElements, 0);
  const Result sums = v.make(kInt, kElements), quotients = v.make(kInt, kElements);
  const auto issue_all = [&](bool with_fault) {
    backend.run(cvl::Index{zeros, zeros, SegmentDescriptor{kElements, kElements, 1}, sums});
    for (std::int64_t k = 0; k < kIssues; ++k) {
      backend.set_site(static_cast<std::uint32_t>(k));
      const Operand operands[] = {operand(sums), ones}, divided[] = {ones, zeros};
      backend.run(cvl::Elementwise{Op::kAdd, operands, sums});
      if (with_fault && k >= kFaulty) backend.run(cvl::Elementwise{Op::kDivide, divided, quotients});
    }
  };
  issue_all(false);
  if (!v.same(operand(sums), v.ints(kInt, kElements, kIssues))) return "10000 additions of 1 are not 10000";
  issue_all(true);
  return compare("10000 divisions by zero", backend.take_fault(), {FaultKind::kDivideByZero, kFaulty, 0, 0, 1});
}

Finding memory_exhausted(const std::function<std::unique_ptr<cvl::Backend>(std::size_t)>& create, std::string& note) {
  constexpr std::int64_t kElements = 100000;
  constexpr std::size_t kLimit = std::size_t{64} << 20, kStep = kElements / 4;
  constexpr ElemType kInt = ElemType::kI32;
  const std::unique_ptr<cvl::Backend> backend = create(kLimit);
  DeviceVectors v(*backend);
  const Operand down = v.sequence(kInt, kElements, kElements - 1, -1);
  const Operand rest = v.elementwise(Op::kRemainder, kInt, {down, v.ints(kInt, kElements, 5)});
  const Operand flags = v.elementwise(Op::kEqual, ElemType::kB8, {rest, v.ints(kInt, kElements, 0)});
  const Operand roots = v.roots(ElemType::kF64, kElements);
  const SegmentDescriptor descriptor = v.segments(rest), flat = SegmentDescriptor::single(kElements);
  const Operand ones = v.ints(kInt, descriptor.elements, 1);
  v.check_faults();
  const HungryOperation operations[] = {
      {"scan", [&](DeviceVectors& w) { return w.scan(Monoid::kSum, roots, flat); }},
      {"segmented scan", [&](DeviceVectors& w) { return w.scan(Monoid::kSum, ones, descriptor); }},
      {"reduce", [&](DeviceVectors& w) { return w.reduce(Monoid::kSum, roots, flat); }},
      {"segmented reduce", [&](DeviceVectors& w) { return w.reduce(Monoid::kSum, ones, descriptor); }},
      {"permute", [&](DeviceVectors& w) { return w.permute(roots, down); }},
      {"pack", [&](DeviceVectors& w) { return w.pack(roots, flags, kInt); }},
      {"rank", [&](DeviceVectors& w) { return w.rank(false, down, kInt); }},
      {"descriptor", [&](DeviceVectors& w) { return w.reduce(Monoid::kSum, ones, w.segments(rest)); }},
  };
  int failures = 0;
  for (const HungryOperation& operation : operations) {
    const Operand expected = operation.run(v);
    v.check_faults();
    bool succeeded = false;
    for (std::size_t spare = 0; !succeeded; spare += kStep) {
      if (Finding finding = run_with(*backend, operation, spare, succeeded); !finding.empty())
        return fmt::format("{}: {}", operation.name, finding);
      failures += !succeeded;
      if (!gives(*backend, operation, expected))
        return fmt::format("{}: wrong after memory ran out with {} bytes left", operation.name, spare);
    }
  }
  note = fmt::format("memory ran out {} times", failures);
  return "";
}

}  // namespace device_check
