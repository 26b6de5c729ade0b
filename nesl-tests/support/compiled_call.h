#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "jit/loop_code.h"
#include "kernel_call.h"
#include "llvm/native_compiler.h"
#include "loops/compiled_loops.h"

namespace cvl::cpu {

/// Loops of a kernel, compiled for one instruction set.
struct Compiled {
  Compiled(const KernelText& text, const NativeTarget& target) {
    std::vector<ElemType> types;
    for (const LoopPlan::Value& value : text.plan.values) types.push_back(value.type);
    LoopModule module(target);
    const Loop& loop = text.plan.whole.loop;
    const std::map<Loop::Form, const char*> forms = {{Loop::Form::kFlat, "flat"},
                                                     {Loop::Form::kNest, "nest"},
                                                     {Loop::Form::kLanes, "lanes"},
                                                     {Loop::Form::kProduct, "product"}};
    for (const auto& [form, name] : forms)
      if (loop.has(form)) module.add(name, text.kernel(), loop, types, form);
    code = NativeCompiler(ObjectCache("")).compile(module.text());
    for (const auto& [form, name] : forms)
      if (loop.has(form)) loops[{Part::kAll, form}] = code->function(name);
  }
  std::unique_ptr<NativeCode> code;
  CompiledLoops loops = {};
};

/// Makes the vectors that a run fills.
inline void make_results(const KernelText& text, Call& call) {
  const auto& outputs = text.kernel().outputs;
  for (const vcode::Kernel::Step& step : text.kernel().steps) {
    if (step.is_constant()) continue;
    const vcode::Producer producer = text.facts.producers[step.results[0]];
    for_each_result(text, call, step, [&](vcode::KernelVar v, std::int64_t n) {
      if (vcode::is_reduction(producer) || producer == vcode::Producer::kEpilogue ||
          producer == vcode::Producer::kPack || std::count(outputs.begin(), outputs.end(), v) > 0)
        call.results[v] = call.make(v, n);
    });
  }
}

}  // namespace cvl::cpu
