#include "command_line.h"

#include <cstdio>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cvl/loader.h"

namespace interp {

namespace {

constexpr const char* kFooter = R"(Classic options -c -g -t -m -l -d work as in the CMU interpreter. SPAWN is refused
unless --allow-spawn is given or NESL_ALLOW=spawn is in the environment.
The value stack is printed to standard output, errors go to standard error.
Exit status: 0 after a normal end or EXIT, 1 after an error, 130 after Ctrl-C.)";

std::string version_text() {
  std::string text = "vinterp " NESL_VERSION "\n";
  for (const char* name : {"cpu", "cuda"}) {
    std::string error;
    const cvl::BackendPtr backend = cvl::load_backend(name, cvl::default_backend_directories(), {}, error);
    text += fmt::format("backend {}: {}\n", name, backend ? backend->description() : "not available");
  }
  return text;
}

// One word of -d or --trace. False if there is no such word.
bool apply_debug_word(const std::string& word, CommandLine& line) {
  if (word == "lex")
    line.show_tokens = true;
  else if (word == "program")
    line.show_program = true;
  else if (word == "link")
    line.show_link = true;
  else if (word == "command")
    line.run.trace.commands = true;
  else if (word == "stack")
    line.run.trace.stack = true;
  else if (word == "values")
    line.run.trace.stack = line.run.trace.values = true;
  else if (word == "runtime")
    line.run.trace.calls = true;
  else if (word == "heap")
    line.run.trace.memory = true;
  else
    return word == "abort";  // accepted: our own bugs always abort
  return true;
}

}  // namespace

std::optional<CommandLine> parse_command_line(int argc, char** argv, int& exit_status) {
  CommandLine line;
  CLI::App app("Runs a VCODE program.", "vinterp");
  app.footer(kFooter);
  app.add_option("FILE", line.file, "the program; - reads it from standard input")->required()->option_text(" ");

  int int_width = 32, float_width = 64;
  std::string profile, trace, fused_library;
  std::vector<std::string> debug;
  double classic_memory = 0;
  bool check = false, announce = false;
  app.add_option("--backend", line.backend, "vector library: cpu, cuda, or auto for the best that works")
      ->capture_default_str()
      ->option_text("NAME");
  app.add_option("--threads", line.backend_options.threads, "threads of the cpu backend (default: all)")
      ->check(CLI::Range(1, 4096))
      ->option_text("N");
  app.add_option("--simd", line.simd, "instruction set of the cpu backend (default: the best there is)")
      ->check(CLI::IsMember({"baseline", "avx2", "avx512"}))
      ->option_text("LEVEL");
  app.add_option("--int", int_width, "bits of an INT")->check(CLI::IsMember({32, 64}))->capture_default_str();
  app.add_option("--float", float_width, "bits of a FLOAT")->check(CLI::IsMember({32, 64}))->capture_default_str();
  app.add_option("--memory", line.backend_options.memory_limit,
                 "most memory for vectors and stacks, as in 500M or 4G (default: what the machine has)")
      ->transform(CLI::AsSizeValue(false))
      ->option_text("SIZE");
  app.add_option("--timeout", line.timeout, "stop after this many seconds")
      ->check(CLI::PositiveNumber)
      ->option_text("SECONDS");
  app.add_option("--seed", line.run.seed, "seed of the random numbers")->capture_default_str()->option_text("N");
  app.add_flag("--trace{all}", trace,
               "print each instruction and the stack before it to standard error; --trace=LIST chooses from "
               "command,stack,values,runtime,heap");
  app.add_flag("--profile{table}", profile,
               "print what each instruction and function cost; --profile=FILE.json also writes a Chrome trace");
  app.add_flag("--allow-spawn", line.run.allow_spawn, "let the program start processes (SPAWN)");
  app.add_flag("--sandbox", line.run.sandbox, "refuse FOPEN and SPAWN");
  app.set_version_flag("--version", version_text);

  app.add_flag("-c", check, "argument check: IF demands a Bool of length 1 (other checks are always on)")
      ->group("Classic options");
  app.add_flag("-g", announce, "accepted, without effect")->group("Classic options");
  app.add_flag("-t", line.show_time, "print the elapsed time to standard error")->group("Classic options");
  app.add_option("-m", classic_memory, "accepted: memory grows as needed, see --memory")
      ->option_text("NUM")
      ->group("Classic options");
  app.add_option("-l", fused_library, "accepted: libraries of fused operations are not used")
      ->option_text("LIB")
      ->group("Classic options");
  app.add_option("-d", debug, "print lex, program, link, command, stack, values, runtime or heap; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text("WHAT")
      ->group("Classic options");

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    exit_status = app.exit(help_or_version);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "vinterp: {}\nusage: vinterp [OPTION]... FILE    (vinterp --help lists the options)\n",
               error.what());
    exit_status = 1;
    return std::nullopt;
  }

  if (!trace.empty())
    for (const std::string& word : CLI::detail::split(trace == "all" ? "stack,command" : trace, ','))
      debug.push_back(word);
  for (const std::string& word : debug) {
    if (apply_debug_word(word, line)) continue;
    fmt::print(stderr,
               "vinterp: '{}' is nothing that can be traced; choose from lex, program, link, command, stack, "
               "values, runtime, heap\n",
               word);
    exit_status = 1;
    return std::nullopt;
  }
  line.run.strict = check;
  line.run.widths.int_type = int_width == 64 ? vcode::ElemType::kI64 : vcode::ElemType::kI32;
  line.run.widths.float_type = float_width == 32 ? vcode::ElemType::kF32 : vcode::ElemType::kF64;
  line.profile = !profile.empty();
  if (profile != "table") line.profile_file = profile;
  return line;
}

}  // namespace interp
