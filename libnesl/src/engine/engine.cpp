#include "engine.h"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/files.h"
#include "base/stop_request.h"
#include "program/executable.h"
#include "stop_flag.h"
#include "text_failure.h"
#include "texts.h"
#include "vcode-interp/ranks.h"
#include "vcode-interp/run_flags.h"

namespace nesl_c {

Engine::Turn::Turn(Engine& engine) : engine_(engine) {
  engine_.turn_.lock();
  const std::lock_guard guard(engine_.running_lock_);
  engine_.running_ = true;
  engine_.interrupt_ = interp::Interrupt::kNone;
}

Engine::Turn::~Turn() {
  UserLoan* loans = std::exchange(engine_.ended_loans_, nullptr);
  {
    const std::lock_guard guard(engine_.running_lock_);
    engine_.running_ = false;
  }
  engine_.turn_.unlock();
  while (loans != nullptr) {
    const std::unique_ptr<UserLoan> loan(loans);
    loans = loan->next;
    loan->release(loan->owner);
  }
}

void Engine::cancel() noexcept {
  const std::lock_guard guard(running_lock_);
  if (running_) interrupt_ = interp::Interrupt::kSignal;
}

runtime::Loan Engine::loan(void (*release)(void*), void* owner) {
  if (release == nullptr) return {};
  auto* loan = new UserLoan{release, owner, *this};
  return {[](void* ended) {
            auto* user = static_cast<UserLoan*>(ended);
            user->next = std::exchange(user->engine.ended_loans_, user);
          },
          loan};
}

void Engine::on_deep_stack(const std::function<void()>& work) {
  nesl::run_with_deep_stack([&] {
    const StopFlag stop(interrupt_);
    try {
      work();
    } catch (const base::Stopped&) {
      throw Failed(NESL_ERROR_CANCELLED, "cancelled");
    }
  });
}

Engine::Engine(const Settings& settings) : settings_(settings) {
  interp::RunFlags flags = settings.run;
  cvl::BackendOptions options = flags.backend_options;
  const std::string kernel_cache = interp::kernel_cache_folder(flags);
  options.kernel_cache = kernel_cache.c_str();
  options.stop_requested = StopFlag::is_set;
  std::vector<std::string> folders = cvl::library_backend_directories();
  for (std::string& folder : cvl::default_backend_directories()) folders.push_back(std::move(folder));
  std::string error, note;
  if (settings.communicator) {
    job_ = cvl::join_rank_job(folders, *settings.communicator, error);
    if (job_ == nullptr) throw Failed(NESL_ERROR_RESOURCE, error);
    backend_ = job_->make_backend(flags.backend, flags.devices, options, error);
    if (!backend_) job_->finish();
    flags.run.job = job_.get();
  } else if (!flags.devices.empty()) {
    backend_ = interp::load_devices(flags, folders, options, error);
  } else {
    backend_ = flags.backend == "auto" ? cvl::load_best_backend(folders, options, error, note)
                                       : cvl::load_backend(flags.backend, folders, options, error);
  }
  if (!backend_) throw Failed(NESL_ERROR_RESOURCE, error);
  flags.run.interrupt = &interrupt_;
  flags.run.standard_files = {0, 1, 1};  // NESL programs print to their standard error
  flags.run.message_file = 2;
  flags.run.keep_errors = true;
  flags.run.shortest_floats = true;
  flags.run.source_line = [this](const std::string& key, std::uint32_t line) {
    return std::string(quoted_ != nullptr ? quoted_->line(key, line) : "");
  };
  interpreter_ = std::make_unique<interp::Interpreter>(*backend_, flags.run);
}

Engine::~Engine() {
  end();
  VC_CHECK(ended_loans_ == nullptr);  // values are released in turns only
  interpreter_.reset();
  backend_.reset();
  if (job_ != nullptr) job_->finish();
}

void Engine::end() {
  ended_ = true;
  give_back(std::move(spare_));
}

// --- compilers --------------------------------------------------------------------------------------------------

std::unique_ptr<nesl::Session> Engine::take_compiler() {
  std::unique_ptr<nesl::Session> compiler = std::move(spare_);
  if (compiler == nullptr) on_deep_stack([&] { compiler = std::make_unique<nesl::Session>(); });
  compiler->set_pipeline(settings_.optimize);
  compiler->set_wide_ints(settings_.run.run.widths.int_type == vcode::ElemType::kI64);
  return compiler;
}

void Engine::give_back(std::unique_ptr<nesl::Session> compiler) {
  if (compiler == nullptr) return;
  const bool keep = !ended_ && spare_ == nullptr;
  try {
    nesl::run_with_deep_stack([&] {  // trees are destroyed recursively
      if (keep)
        compiler->reset();
      else
        compiler.reset();
    });
  } catch (const std::runtime_error&) {
    compiler.reset();  // no memory for another thread
  }
  if (keep) spare_ = std::move(compiler);
}

void Engine::set_seed(std::uint64_t seed) { interpreter_->options().seed = seed; }

cvl::DeviceId Engine::device() const {
  const auto* const shared = dynamic_cast<const cvl::SharedDevice*>(backend_.get());
  return shared != nullptr ? shared->device() : cvl::DeviceId();
}

cvl::SharedDevice& Engine::shared_device() {
  if (auto* const shared = dynamic_cast<cvl::SharedDevice*>(backend_.get())) return *shared;
  refuse("the vectors of the session are in memory of the host: open it with the backend \"cuda\"");
}

void Engine::fail_evaluation() { throw Failed(NESL_ERROR_RESOURCE, evaluator().failure()); }

// --- programs ---------------------------------------------------------------------------------------------------

vcode::Program Engine::executable(vcode::letform::Program program) const {
  fcode_opt::OptimizeResult result = fcode_opt::optimize(std::move(program), settings_.optimize);
  if (!result.error.empty()) throw std::logic_error(result.error);
  // Ranks with different programs would wait for each other forever.
  if (const std::string difference = interp::find_other_program(job_.get(), result.program); !difference.empty())
    refuse(difference);
  return std::move(result.program);
}

std::unique_ptr<interp::PreparedProgram> Engine::prepare(vcode::letform::Program program) {
  std::string error;
  std::unique_ptr<interp::PreparedProgram> prepared = interpreter_->prepare(executable(std::move(program)), error);
  if (!prepared) throw std::logic_error(error);
  return prepared;
}

namespace {

std::vector<runtime::Value> stack_of(interp::RunResult result) {
  if (result.status != 0 || !result.ended) throw Failed(failure_of(result));
  return std::move(result.stack);
}

}  // namespace

std::vector<runtime::Value> Engine::run(const vcode::Program& program, std::vector<runtime::Value> inputs,
                                        const Texts& texts) {
  quoted_ = &texts;
  const base::Source no_text("", "");
  return stack_of(interpreter_->run(no_text, program, std::move(inputs)));
}

std::vector<runtime::Value> Engine::run(const interp::PreparedProgram& program, std::vector<runtime::Value> inputs,
                                        const Texts& texts) {
  quoted_ = &texts;
  const StopFlag stop(interrupt_);
  return stack_of(interpreter_->run(program, std::move(inputs)));
}

std::vector<runtime::Value> Engine::run_watched(
    const vcode::Program& program, std::vector<runtime::Value> inputs, const Texts& texts,
    const std::function<void(std::uint32_t, const runtime::Value*)>& watch) {
  struct Watching {
    interp::RunOptions& options;
    ~Watching() { options.watch_calls = nullptr; }
  } watching{interpreter_->options()};
  watching.options.watch_calls = watch;
  return run(program, std::move(inputs), texts);
}

void Engine::begin_profile() { interpreter_->options().profile = &profile_.emplace(false); }

std::string Engine::end_profile() {
  if (!profile_) refuse("no profile has begun");
  std::string text = profile_->instructions().empty()
                         ? ""
                         : Texts::without_marks(interp::profile_table(
                               *profile_, interp::profile_context(*profile_, *backend_, interpreter_->options())));
  interpreter_->options().profile = nullptr;
  profile_.reset();
  return text;
}

}  // namespace nesl_c
