#include "commands.h"

#include <errno.h>
#include <stdio_ext.h>
#include <string.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <fmt/format.h>

#include "base/diagnostics.h"
#include "base/files.h"
#include "program/executable.h"
#include "program/explanation.h"
#include "program/whole_program.h"
#include "text/idiom_text.h"
#include "text/lookup.h"
#include "text/result_text.h"
#include "vcode-interp/interrupt.h"
#include "vcode-interp/machine_code.h"
#include "vcode-interp/profile.h"
#include "vcode-interp/ranks.h"
#include "vcode/printer.h"

namespace nesl_cli {

namespace {

int complain(const std::string& message) {
  fmt::print(stderr, "nesl: {}\n", message);
  return 1;
}

int print(std::string_view text) {
  if (std::ferror(stdout) != 0) return 1;  // the error has been reported
  const interp::Interrupt before = interp::pending_interrupt();
  const auto is_interrupted = [&] { return interp::pending_interrupt() != before; };
  constexpr std::size_t kPart = 1 << 16;
  for (std::string_view rest = text; !rest.empty() && !is_interrupted();
       rest.remove_prefix(std::min(kPart, rest.size())))
    std::fwrite(rest.data(), 1, std::min(kPart, rest.size()), stdout);
  if (is_interrupted()) {
    // Only a session continues after an interrupt.
    __fpurge(stdout);
    std::clearerr(stdout);
    fmt::print(stderr, "\ninterrupted\n");
    return 1;
  }
  if (std::fflush(stdout) != 0)
    return complain(fmt::format("standard output could not be written: {}", strerror(errno)));
  return 0;
}

/// Compiles a file for the value of its last expression, of `expression`, or of a call of main. Nothing, with a
/// message, after errors. See WholeProgram::call_main() for `check` and `arguments`.
std::optional<nesl::Compiled> compile_file(WholeProgram& program, const std::string& file,
                                           const std::string& expression, WholeProgram::ArgumentCheck check,
                                           const std::vector<std::string>* arguments = nullptr) {
  if (!program.read(file) || (!expression.empty() && !program.set_result(expression))) return std::nullopt;
  if (expression.empty() && !program.call_main(file, check, arguments)) return std::nullopt;
  if (program.result() == nullptr) {
    complain(fmt::format("{} has no expression to compute: let the last statement be one, or give one with -e", file));
    return std::nullopt;
  }
  return program.compile();
}

/// An executable program, with what is printed about its run.
struct Executable {
  vcode::Program program;
  std::string name, type;  ///< of the result
  nesl::ValueShape result;
  std::vector<nesl::SlowIdiom> slow_idioms;
  std::map<std::string, base::Source> texts;  ///< by their names
};

/// Compiles a program for `nesl run`. Nothing, with a message, after errors.
std::optional<Executable> prepare(const std::string& file, const std::string& expression, const Flags& flags) {
  WholeProgram program(WholeProgram::For::kResult, flags);
  std::optional<nesl::Compiled> compiled =
      compile_file(program, file, expression, WholeProgram::ArgumentCheck::kByRun, &flags.run.arguments);
  if (!compiled) return std::nullopt;
  const nesl::Unit& unit = *program.result();
  return Executable{executable(std::move(compiled->program), flags.optimize),
                    unit.name,
                    unit.type,
                    std::move(compiled->result),
                    std::move(compiled->slow_idioms),
                    program.texts()};
}

/// Returns freed memory to the system: the C library keeps what the compiler has freed, in pieces between others.
void return_free_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

/// The executable program in a file. Nothing, with a message, after errors.
std::optional<vcode::Program> program_of(const std::string& file, const Flags& flags) {
  if (is_vcode_file(file)) {
    std::optional<interp::VcodeFile> read = interp::read_vcode_file("nesl", file, flags);
    return read ? std::optional(std::move(read->program)) : std::nullopt;
  }
  WholeProgram program(WholeProgram::For::kResult, flags);
  const std::optional<nesl::Compiled> compiled = compile_file(program, file, "", WholeProgram::ArgumentCheck::kByRun);
  return compiled ? std::optional(executable(compiled->program, flags.optimize)) : std::nullopt;
}

/// The folder of compiled kernels.
struct KernelCache {
  std::string folder;       ///< for messages
  cvl::BackendPtr backend;  ///< null: there is no such folder
  cvl::KernelCacheUse use;
  bool is_usable() const { return backend != nullptr && use.problem.empty(); }
};

/// Opens the folder, by a backend that compiles kernels when `native` says. Prints why it cannot be used.
KernelCache open_cache(const Flags& given, const std::string& native) {
  KernelCache cache{base::printable(interp::kernel_cache_folder(given)), {}, {}};
  if (cache.folder.empty()) {
    complain("compiled kernels are not kept: there is no folder for them");
    return cache;
  }
  Flags flags = given;
  flags.native = native;
  std::string error, note;
  cache.backend = interp::load_backend(flags, error, note);
  if (cache.backend == nullptr) {
    complain(error);
    return cache;
  }
  cache.use = cache.backend->kernel_cache_use();
  if (!cache.use.problem.empty())
    complain(fmt::format("compiled kernels cannot be kept in {}: {}", cache.folder, cache.use.problem));
  return cache;
}

int print_use(const KernelCache& cache, const cvl::KernelCacheUse& use, const char* what) {
  return print(fmt::format("{}: {} kernel{}, {} bytes{}\n", cache.folder, use.kernels, use.kernels == 1 ? "" : "s",
                           use.bytes, what));
}

/// Compiles the kernels of a program. Nothing, with a message, after errors.
std::optional<interp::CompiledKernels> compile_kernels(const std::string& file, const vcode::Program& program,
                                                       const KernelCache& cache, const Flags& flags) {
  try {
    return interp::compile_kernels(program, *cache.backend, flags.run.widths);
  } catch (const std::runtime_error& failure) {
    complain(fmt::format("{}: {}", base::printable(file), failure.what()));
    return std::nullopt;
  }
}

}  // namespace

bool is_vcode_file(const std::string& file) { return file.ends_with(".vcode") || file.ends_with(".fcode"); }

Output standard_output() {
  return {[](std::string_view text) { print(text); },
          [](std::string_view text) {
            std::fwrite(text.data(), 1, text.size(), stderr);
            std::fflush(stderr);
          }};
}

int run_nesl(const std::string& file, const std::string& expression, const Flags& given) {
  const std::optional<Executable> prepared = prepare(file, expression, given);
  if (!prepared) return 1;
  return_free_memory();
  if (given.show_program) fmt::print(stderr, "{}", vcode::print_vcode(prepared->program));

  if (const std::string difference = interp::find_difference(given.run.job, prepared->program, given.backend);
      !difference.empty())
    return complain(difference);
  std::string error, note;
  Flags flags = given;
  const cvl::BackendPtr backend = interp::load_backend(flags, error, note);
  if (!note.empty()) complain(note);
  if (!backend) return complain(error);
  const std::unique_ptr<interp::Profile> profile = interp::start_profile(flags);
  flags.run.shortest_floats = flags.shortest_floats.value_or(true);
  flags.run.standard_files = {0, 1, 1};  // NESL programs print to their standard error
  flags.run.message_file = 2;
  flags.run.source_line = [&](const std::string& name, std::uint32_t line) {
    const auto text = prepared->texts.find(name);
    return text == prepared->texts.end() ? "" : std::string(text->second.line(line));
  };
  interp::Interpreter interpreter(*backend, flags.run);
  const base::Source no_text("", "");
  interp::RunResult result = interpreter.run(no_text, prepared->program);
  if (interpreter.is_mid_line()) print("\n");
  int status = result.status;
  fmt::print(stderr, "{}", result.report);
  if (result.status == 0 && result.ended) {
    const std::optional<std::string> value =
        result_text(prepared->result, result.stack, interpreter.evaluator(), {.classic = !flags.run.shortest_floats});
    if (!value) {
      result.failure.kind = interp::RunFailure::Kind::kSurroundings;
      result.report = interpreter.evaluator().failure();
    }
    status =
        value ? print(fmt::format("{} = {} : {}\n", prepared->name, *value, prepared->type)) : complain(result.report);
  }
  result.stack.clear();
  if (profile != nullptr && interp::finish_profile("nesl", flags, *profile, *backend, result.failure) != 0 &&
      status == 0)
    status = 1;
  if (profile != nullptr && flags.profile) fmt::print(stderr, "{}", idiom_costs(prepared->slow_idioms, *profile));
  backend->leave_process();
  interp::end_run(flags.run.job, status, result.failure.kind, result.report);
}

int explain_nesl(const std::string& file, const std::string& expression, const Flags& given) {
  Flags flags = given;
  flags.optimize = {.level = 2};  // which is explained
  WholeProgram program(WholeProgram::For::kResult, flags);
  std::optional<nesl::Compiled> compiled =
      compile_file(program, file, expression, WholeProgram::ArgumentCheck::kByRun, &flags.run.arguments);
  if (!compiled) return 1;
  std::string error, note;
  const cvl::BackendPtr backend = interp::load_backend(flags, error, note);
  if (!note.empty()) complain(note);
  if (!backend) return complain(error);
  const auto line_of = [&](const std::string& name, std::uint32_t line) { return program.source_line(name, line); };
  return print(explanation(std::move(*compiled), *backend, flags, line_of));
}

int check_nesl(const std::string& file, const Flags& flags) {
  WholeProgram program(WholeProgram::For::kCheck, flags);
  return program.read(file) && program.call_main(file, WholeProgram::ArgumentCheck::kByProgram) ? 0 : 1;
}

int compile_nesl(const std::string& file, const std::string& expression, const std::string& output, bool native,
                 const Flags& flags) {
  if (native && !fcode_opt::fuses(flags.optimize)) return complain("--native compiles kernels, which only -O2 makes");
  WholeProgram program(WholeProgram::For::kResult, flags);
  const std::optional<nesl::Compiled> compiled =
      compile_file(program, file, expression, WholeProgram::ArgumentCheck::kByProgram);
  if (!compiled) return 1;
  const vcode::Program made = executable(compiled->program, for_any_interpreter(flags.optimize));
  std::string error;
  if (!base::write_file(output, vcode::print_vcode(made), error)) return complain(error);
  if (!native) return 0;
  const KernelCache cache = open_cache(flags, "always");
  return cache.is_usable() && compile_kernels(file, made, cache, flags) ? 0 : 1;
}

int evaluate_text(const std::string& text, const Flags& flags) {
  TopLevel top_level(flags, standard_output());
  const Outcome outcome = top_level.run_text("<expression>", text);
  const int finished = top_level.finish();
  int status = finished == 0 && std::ferror(stdout) != 0 ? 1 : finished;
  if (outcome == Outcome::kFailed) status = 1;
  if (outcome == Outcome::kInterrupted) status = 130;
  interp::end_run(flags.run.job, status, interp::RunFailure::Kind::kProgram, "");
}

int describe_name(const std::string& name) {
  const nesl::Session session;
  const std::string text = description_text(session, name);
  return text.empty() ? complain(unknown_name_text(session, name)) : print(text);
}

int find_names(const std::string& word) {
  const nesl::Session session;
  const std::string text = apropos_text(session, word);
  return text.empty() ? complain(fmt::format("nothing has to do with {}", word)) : print(text);
}

int show_kernel_cache(const Flags& flags, bool clear) {
  const KernelCache cache = open_cache(flags, "");
  if (cache.backend == nullptr) return 1;
  cvl::KernelCacheUse use = cache.use;
  if (clear) {
    cache.backend->clear_kernel_cache();
    const cvl::KernelCacheUse left = cache.backend->kernel_cache_use();
    use = {use.kernels - left.kernels, use.bytes - left.bytes, left.problem};
  }
  const int status = print_use(cache, use, clear ? " removed" : "");
  return cache.is_usable() ? status : 1;
}

int fill_kernel_cache(const std::vector<std::string>& files, const Flags& flags) {
  const KernelCache cache = open_cache(flags, "always");
  if (!cache.is_usable()) return 1;
  bool good = true;
  for (const std::string& file : files) {
    const std::optional<vcode::Program> program = program_of(file, flags);
    const std::optional<interp::CompiledKernels> made =
        program ? compile_kernels(file, *program, cache, flags) : std::nullopt;
    good = made &&
           print(fmt::format("{}: {} kernel{} compiled, {} found, {} bytes of machine code\n", base::printable(file),
                             made->compiled, made->compiled == 1 ? "" : "s", made->found, made->bytes)) == 0 &&
           good;
  }
  return print_use(cache, cache.backend->kernel_cache_use(), "") == 0 && good ? 0 : 1;
}

}  // namespace nesl_cli
