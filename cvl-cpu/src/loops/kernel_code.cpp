#include "loops/kernel_code.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "jit/loop_code.h"
#include "jit/product_code.h"

namespace cvl::cpu {
namespace {

using Clock = std::chrono::steady_clock;

std::string prefix_of(const NativeCompiler* compiler, const vcode::Kernel& kernel, std::string_view position) {
  if (compiler == nullptr || !compiler->keeps_symbols()) return "loop";
  return position.empty() ? kernel.name : fmt::format("{}[{}]", kernel.name, position);
}

}  // namespace

KernelCode::KernelCode(const LoopPlan& plan, std::string_view position, const NativeTarget* target,
                       NativeCompiler* compiler)
    : plan_(plan), target_(target), compiler_(compiler), prefix_(prefix_of(compiler, plan.kernel, position)) {
  for (const Part part : {Part::kAll, Part::kBefore, Part::kAfter}) {
    if ((part == Part::kBefore && !plan_.before) || (part == Part::kAfter && !plan_.after)) continue;
    for (const Loop::Form form : {Loop::Form::kFlat, Loop::Form::kNest, Loop::Form::kLanes, Loop::Form::kProduct})
      if (plan_.stage(part).loop.has(form) && (form != Loop::Form::kProduct || computes_products(target)))
        forms_.push_back({part, form});
  }
  for (const LoopForm form : forms_) {
    functions_[form] = std::make_shared<Function>();
    functions_[form]->name = name_of(prefix_, form);
  }
}

std::string KernelCode::name_of(std::string_view kernel, LoopForm form) {
  static constexpr std::string_view kParts[] = {"", "_before", "_after"},
                                    kForms[] = {"", "_nest", "_lanes", "_product"};
  return fmt::format("{}{}{}", kernel, kParts[static_cast<std::size_t>(form.part)],
                     kForms[static_cast<std::size_t>(form.form)]);
}

std::string KernelCode::assembly(const NativeTarget& target, std::string_view prefix, LoopForms forms) const {
  std::vector<ElemType> types(plan_.values.size());
  std::ranges::transform(plan_.values, types.begin(), [](const LoopPlan::Value& value) { return value.type; });
  LoopModule module(target, compiler_ != nullptr && compiler_->keeps_symbols());
  for (const LoopForm& form : forms)
    module.add(name_of(prefix, form), plan_.kernel, plan_.stage(form.part).loop, types, form.form);
  return module.text();
}

std::string KernelCode::assembly(const NativeTarget& target) const {
  return assembly(target, plan_.kernel.name, forms_);
}

bool KernelCode::has(LoopForms forms) const {
  return std::ranges::all_of(forms, [&](LoopForm form) { return state(form) == State::kReady; });
}

bool KernelCode::has_any() const {
  return std::ranges::any_of(forms_, [&](LoopForm form) { return state(form) == State::kReady; });
}

CompiledLoops KernelCode::loops() const {
  CompiledLoops loops;
  for (const LoopForm& form : forms_)
    if (state(form) == State::kReady) loops[form] = functions_[form]->address;
  return loops;
}

bool KernelCode::is_coming(LoopForms forms) const {
  return std::ranges::any_of(forms, [&](LoopForm form) { return state(form) == State::kOrdered; });
}

void KernelCode::wait_for(LoopForms forms) const {
  for (const LoopForm& form : forms) functions_[form]->state.wait(State::kOrdered);
}

void KernelCode::Function::take(std::unique_ptr<NativeCode> from, bool cached,
                                std::chrono::steady_clock::time_point begin) {
  code = std::move(from);
  address = code->function(name);
  was_cached = cached;
  seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  text.clear();
  state.store(State::kReady, std::memory_order_release);
}

void KernelCode::Function::compile(NativeCompiler& compiler, const std::string& assembly) {
  const Clock::time_point begin = Clock::now();
  std::unique_ptr<NativeCode> compiled = compiler.compile(assembly, &unkept);
  take(std::move(compiled), false, begin);
}

void KernelCode::find(LoopForms forms) {
  for (const LoopForm& form : forms) {
    if (state(form) != State::kUnknown) continue;
    Function& function = *functions_[form];
    const Clock::time_point begin = Clock::now();
    function.text = assembly(*target_, prefix_, {&form, 1});
    if (std::unique_ptr<NativeCode> code = compiler_->find(function.text, &function.ignored))
      function.take(std::move(code), true, begin);
    else
      function.state = State::kMissing;
  }
}

void KernelCode::order(LoopForms forms) {
  for (const LoopForm& form : forms) {
    if (state(form) != State::kMissing) continue;
    functions_[form]->state = State::kOrdered;
    try {
      compiler_->thread().submit(nullptr, [compiler = compiler_, function = functions_[form]] {
        try {
          function->compile(*compiler, std::exchange(function->text, {}));
        } catch (const std::exception&) {
          function->state = State::kFailed;
        }
        function->state.notify_all();
      });
    } catch (const std::exception&) {
      functions_[form]->state = State::kFailed;  // else wait_for() would wait for ever
      throw;
    }
  }
}

void KernelCode::get_all(int threads) {
  std::vector<LoopForm> called = forms_;
  // Chunks of a kernel that runs on one thread are computed in turn, so their carries are known.
  if (threads == 1) std::erase_if(called, [](LoopForm form) { return form.part != Part::kAll; });
  wait_for(called);
  find(called);
  for (const LoopForm& form : called)
    if (state(form) != State::kReady) functions_[form]->compile(*compiler_, assembly(*target_, prefix_, {&form, 1}));
}

MachineCode KernelCode::size() const {
  MachineCode size{0, true};
  for (const LoopForm& form : forms_) {
    if (state(form) != State::kReady) continue;
    size.bytes += functions_[form]->code->bytes();
    size.was_cached = size.was_cached && functions_[form]->was_cached;
  }
  return size;
}

std::string KernelCode::describe() const {
  double seconds = 0;
  for (const LoopForm& form : forms_)
    if (state(form) == State::kReady) seconds += functions_[form]->seconds;
  const MachineCode size = this->size();
  if (size.bytes == 0) return "";
  return fmt::format("{} in {:.1f} ms, {} bytes", size.was_cached ? "from the cache" : "compiled", seconds * 1e3,
                     size.bytes);
}

std::string KernelCode::describe_cache() const {
  std::set<std::string> clauses;
  bool is_missed = false;
  for (const LoopForm& form : forms_) {
    const Function& function = *functions_[form];
    const State now = state(form);
    if (now == State::kUnknown) continue;
    const bool is_ready = now == State::kReady;
    clauses.insert(function.ignored.empty() && is_ready ? function.unkept : function.ignored);
    is_missed |= !is_ready || !function.was_cached;
  }
  clauses.erase("");
  if (is_missed && clauses.empty()) clauses.insert(compiler_->why_none_fits());
  clauses.erase("");
  std::string text;
  for (const std::string& clause : clauses) text += "; " + clause;
  return text;
}

}  // namespace cvl::cpu
