#include "kernel_outcome.h"

#include <algorithm>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include "cvl/dispatch.h"
#include "runtime/evaluator.h"

namespace cvl::conformance {

using runtime::Evaluator;
using runtime::PreparedKernel;
using runtime::Value;
using runtime::VectorObject;

namespace {

Value make_vector(Evaluator& evaluator, const HostVector& data) {
  if (data.length == 1) {
    Value scalar = Value::scalar(std::int64_t{0});
    with_type(data.type, [&]<class T>() { scalar.set_scalar(data.as<T>()[0]); });
    return scalar;
  }
  VectorObject* v = evaluator.heap().make_vector(data.type, data.length);
  if (v == nullptr) throw std::bad_alloc();
  if (v->host != nullptr && !data.bytes.empty())
    std::memcpy(v->host, data.bytes.data(), data.bytes.size());
  else
    evaluator.heap().device().upload(v->device, data.bytes.data(), data.bytes.size());
  return Value::adopt(v);
}

Value make_value(Evaluator& evaluator, const KernelInput& input) {
  if (!input.is_descriptor) return make_vector(evaluator, input.vector);
  HostVector lengths(evaluator.widths().int_type, static_cast<std::int64_t>(input.lengths.size()));
  with_int(lengths.type, [&]<class I>() {
    for (std::size_t k = 0; k < input.lengths.size(); ++k) lengths.as<I>()[k] = static_cast<I>(input.lengths[k]);
  });
  return evaluator.make_segdes(make_vector(evaluator, lengths));
}

HostVector read_value(Evaluator& evaluator, const Value& value) {
  const Value vector = value.is_segdes() ? evaluator.lengths_of(value) : value;
  HostVector data(vector.type(), vector.length());
  if (data.length > 0) std::memcpy(data.bytes.data(), evaluator.heap().host_data(vector), data.bytes.size());
  return data;
}

}  // namespace

KernelOutcome run(Backend& backend, vcode::Widths widths, const KernelCase& tried) {
  Evaluator evaluator(backend, widths);
  std::vector<Value> constants;
  for (const vcode::Constant& constant : tried.constants) {
    HostVector scalar(widths.int_type, 1);
    with_int(widths.int_type, [&]<class I>() { scalar.as<I>()[0] = static_cast<I>(constant.ints[0]); });
    constants.push_back(make_vector(evaluator, scalar));
  }
  const PreparedKernel prepared(tried.kernel, constants, backend, widths);
  std::vector<Value> stack;
  for (const KernelInput& input : tried.inputs) stack.push_back(make_value(evaluator, input));
  stack.resize(std::max(stack.size(), tried.kernel.outputs.size()));
  KernelOutcome outcome;
  if (!evaluator.run_kernel(prepared, stack.data()) || !evaluator.settle()) {
    outcome.failure = evaluator.failure();
    // The report of a late fault lacks the segments.
    outcome.late = evaluator.late_site().has_value();
    outcome.failed_step = evaluator.failed_step();
    return outcome;
  }
  for (std::size_t k = 0; k < tried.kernel.outputs.size(); ++k)
    outcome.outputs.push_back(read_value(evaluator, stack[k]));
  return outcome;
}

std::string describe(const KernelCase& tried) {
  std::string text = tried.title;
  for (const vcode::Kernel::Step& step : tried.kernel.steps) {
    text += "\n ";
    for (const vcode::KernelVar v : step.results) text += fmt::format(" {}", tried.kernel.values[v].name);
    text += fmt::format(" = {}", step.is_constant() ? "CONST" : vcode::info(step.op).text);
    for (const vcode::KernelVar v : step.operands) text += fmt::format(" {}", tried.kernel.values[v].name);
  }
  return text;
}

}  // namespace cvl::conformance
