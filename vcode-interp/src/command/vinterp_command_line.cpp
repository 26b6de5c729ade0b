#include "command/vinterp_command_line.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "base/command_line.h"

namespace interp {

namespace {

constexpr const char* kFooter = R"(Classic options -c -g -t -m -l -d work as in the CMU interpreter. SPAWN is refused
unless --allow-spawn is given or NESL_ALLOW=spawn is in the environment.
The value stack is printed to standard output, errors go to standard error.
Exit status: 0 after a normal end or EXIT, 1 after an error, 130 after Ctrl-C.)";

std::string version_text() { return "vinterp " NESL_VERSION "\n" + list_backends(); }

}  // namespace

std::optional<CommandLine> parse_command_line(int argc, char** argv, int& exit_status) {
  CommandLine line;
  RunFlags& flags = line.flags;
  CLI::App app("Runs a VCODE program.", "vinterp");
  app.footer(kFooter);
  app.add_option("FILE", line.file, "the program; - reads it from standard input")->required()->option_text(" ");
  add_run_flags(app, flags);
  app.add_flag("--print-plan", flags.print_plan,
               "print how each kernel is traversed: its loop, what it reads and writes, and do not run the program");
  std::string emit_word;
  const std::vector<std::string> targets(std::begin(cvl::kNativeTargets), std::end(cvl::kNativeTargets));
  app.add_flag("--emit-llvm{here}", emit_word)
      ->description(fmt::format("print the LLVM assembly that the kernels are compiled from, and do not run the "
                                "program; --emit-llvm=TARGET, for another machine: {}",
                                fmt::join(targets, ", ")))
      ->each([&flags, &targets](const std::string& word) {
        flags.emit_llvm = true;
        flags.emit_target = word == "here" ? "" : word;
        if (word != "here" && std::find(targets.begin(), targets.end(), word) == targets.end())
          throw CLI::ParseError(
              fmt::format("--emit-llvm: there is no target '{}'; choose one of {}", word, fmt::join(targets, ", ")),
              CLI::ExitCodes::ValidationError);
      });
  app.add_flag("--emit-cuda", flags.emit_cuda,
               "print the kernels as C++ text for CUDA, and do not run the program; needs no device");
  app.add_flag("--explain", flags.explain,
               "print how large the machine code is that each kernel is compiled to, and do not run the program");
  app.set_version_flag("--version", version_text);

  std::string fused_library;
  double classic_memory = 0;
  bool announce = false;
  app.add_flag("-c", flags.run.strict, "argument check: IF demands a Bool of length 1 (other checks are always on)")
      ->group("Classic options");
  app.add_flag("-g", announce, "accepted, without effect")->group("Classic options");
  app.add_flag("-t", flags.show_time, "print the elapsed time to standard error")->group("Classic options");
  app.add_option("-m", classic_memory, "accepted: memory grows as needed, see --memory")
      ->option_text("NUM")
      ->group("Classic options");
  app.add_option("-l", fused_library, "accepted: libraries of fused operations are not used")
      ->option_text("LIB")
      ->group("Classic options");
  app.add_option_function<std::vector<std::string>>(
         "-d",
         [&flags](const std::vector<std::string>& words) {
           for (const std::string& word : words)
             if (word != "abort")
               apply_trace_word(word, flags);  // classic word without effect: internal errors always abort
         },
         fmt::format("print one of {}; repeatable", kTraceWords))
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text("WHAT")
      ->group("Classic options");

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    std::ostringstream text;
    text.exceptions(std::ios::badbit);  // otherwise exhausted memory would truncate the text
    exit_status = app.exit(help_or_version, text);
    fmt::print("{}", text.str());
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "vinterp: {}\nusage: vinterp [OPTION]... FILE    (vinterp --help lists the options)\n",
               base::complaint_about_command_line(app, error));
    exit_status = 1;
    return std::nullopt;
  }
  return line;
}

}  // namespace interp
