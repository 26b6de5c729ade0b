#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "cvl/backend.h"
#include "cvl/dispatch.h"
#include "kernels/loop_plan.h"
#include "vcode/kernel_rules.h"
#include "vcode_testing.h"

namespace cvl::cpu {

inline constexpr vcode::Widths kWidths{};
inline constexpr std::int64_t kTable = 1000;

/// Inputs: elements x, y, f; indices i of the table t; a permutation p of each segment of s; for each segment of s or
/// all: a, b, start; for one segment: c. Elements have segments s, or are all in one.
inline constexpr const char* kInputs =
    "x INT y FLOAT f BOOL i INT p INT a INT b FLOAT start INT s SEGDES c INT all SEGDES t FLOAT of_t SEGDES d FLOAT";

struct KernelText {
  explicit KernelText(const std::string& steps, const std::string& over = "x")
      : program(vcode::testing::read_good("FCODE 1\nKERNEL 0 k (" + std::string(kInputs) + ") OVER " + over + "\n" +
                                          steps + "RET\nFUNC MAIN\nRET\n")) {
    EXPECT_EQ(kernels::verify_plan(plan), "");
  }
  const vcode::Kernel& kernel() const { return program.kernels[0]; }
  vcode::Program program;
  vcode::KernelFacts facts = look_at(kernel());
  kernels::LoopPlan plan{kernel(), facts, kWidths};
};

/// Vectors for the values of a kernel, and the data of a call.
class Call {
 public:
  Call(const KernelText& text, const SegmentDescriptor& s, std::mt19937& random) : kernel_(text.kernel()) {
    const std::size_t n = kernel_.values.size();
    memory_.resize(n), operands.resize(n), descriptors.resize(n), results.resize(n), kept.resize(n);
    call.elements = s.elements;
    descriptors[input("s")] = s;
    descriptors[input("all")] = SegmentDescriptor::single(s.elements);
    descriptors[input("of_t")] = SegmentDescriptor::single(kTable);
    fill("x", s.elements, [&](auto) { return int(random() % 2001) - 1000; });
    fill("y", s.elements, [&](auto) { return float_of(random); });
    fill("f", s.elements, [&](auto) { return random() % 3 == 0; });
    fill("i", s.elements, [&](auto) { return random() % kTable; });
    fill("p", s.elements, [](auto) { return 0; });
    for (std::int64_t k = 0; k < s.segments; ++k) {
      int* const p = static_cast<int*>(memory_of("p"));
      std::iota(p + s.start(k), p + s.start(k + 1), 0);
      std::shuffle(p + s.start(k), p + s.start(k + 1), random);
    }
    fill("a", s.segments, [&](auto) { return int(random() % 9) - 4; });
    fill("b", s.segments, [&](auto) { return float_of(random); });
    fill("start", s.segments,
         [&](auto k) { return random() % (std::max<std::int64_t>(kTable - (s.start(k + 1) - s.start(k)), 0) + 1); });
    fill("c", 1, [&](auto) { return random() % 100; });
    fill("t", kTable, [&](auto) { return float_of(random); });
    fill("d", s.elements, [&](auto) { return float_of(random); });
    for (std::size_t k = 0; k < kernel_.steps.size(); ++k)
      if (kernel_.steps[k].is_constant()) {
        const vcode::Constant& constant = text.program.constants[kernel_.steps[k].constant];
        fill(kernel_.steps[k].results[0], 1,
             [&](auto) { return constant.ints.empty() ? constant.floats[0] : static_cast<double>(constant.ints[0]); });
      }
    call.operands = operands, call.descriptors = descriptors, call.results = results, call.kept = kept;
  }
  Call(const Call&) = delete;

  vcode::KernelVar input(const char* name) const {
    vcode::KernelVar v = 0;
    while (kernel_.values[v].name != name) ++v;
    return v;
  }
  Result make(vcode::KernelVar v, std::int64_t length) {
    memory_[v].assign(static_cast<std::size_t>(length) + 1, 0x5A5A5A5A5A5A5A5A);
    const vcode::Kind kind = kernel_.values[v].kind;
    return {kind == vcode::Kind::kSegdes ? kWidths.int_type : kWidths.of(kind), length, memory_[v].data()};
  }
  void* memory_of(const char* name) { return memory_[input(name)].data(); }
  const std::vector<std::uint64_t>& memory(vcode::KernelVar v) const { return memory_[v]; }

  KernelCall call;
  std::vector<Operand> operands;
  std::vector<SegmentDescriptor> descriptors;
  std::vector<Result> results;
  std::vector<std::int64_t> kept;

 private:
  static double float_of(std::mt19937& random) { return double(random()) / 1e6 - 2000; }
  template <class F>
  void fill(const char* name, std::int64_t length, F&& f) {
    fill(input(name), length, f);
  }
  template <class F>
  void fill(vcode::KernelVar v, std::int64_t length, F&& f) {
    const Result to = make(v, length);
    with_type(to.type, [&]<class T>() {
      for (std::int64_t e = 0; e < length; ++e) static_cast<T*>(to.data)[e] = static_cast<T>(f(e));
    });
    operands[v] = {to.type, length, to.data};
  }

  const vcode::Kernel& kernel_;
  std::vector<std::vector<std::uint64_t>> memory_;
};

/// Calls f(v, length) for each vector that a step fills, where the elements of a PACK have room for all elements.
inline void for_each_result(const KernelText& text, const Call& call, const vcode::Kernel::Step& step,
                            const std::function<void(vcode::KernelVar, std::int64_t)>& f) {
  const auto descriptor = [&](int like) {
    return call.descriptors[step.operands[std::size_t(descriptor_like(step, like))]];
  };
  switch (text.facts.producers[step.results[0]]) {
    case vcode::Producer::kReduce:
    case vcode::Producer::kArgReduce:
      return f(step.results[0], descriptor(0).segments);
    case vcode::Producer::kEpilogue:
      return f(step.results[0], call.results[step.operands[0]].length);
    case vcode::Producer::kPack:
      f(step.results[0], call.call.elements);
      return f(step.results[1], descriptor(0).segments);
    case vcode::Producer::kScatter:
      return f(step.results[0], descriptor(-1).elements);
    default:
      return f(step.results[0], call.call.elements);
  }
}

}  // namespace cvl::cpu
