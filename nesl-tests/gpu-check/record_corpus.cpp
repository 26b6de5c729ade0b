// record_corpus VINTERP FCODE_OPT ROOT FOLDER FILE...: makes a corpus in FOLDER from the programs of case files (*.txt)
// and from VCODE files, with the results of cvl-cpu. ROOT is the project's folder.

#include <algorithm>
#include <iostream>
#include <span>

#include "../support/read_text.h"
#include "corpus.h"
#include "vcode/case_file.h"
#include "vcode/child_process.h"

namespace {

/// Whether a case tests the vector library: not cases about starting processes, or about limits of memory and time.
bool belongs(const Case& test_case) {
  const auto known = [](const std::string& option) { return option == "-c" || option.starts_with("--int="); };
  return std::find(test_case.tags.begin(), test_case.tags.end(), "spawn") == test_case.tags.end() &&
         std::all_of(test_case.args.begin(), test_case.args.end(), known);
}

struct Recorder {
  std::filesystem::path vinterp, fcode_opt, root, corpus;
  std::vector<CaseException> exceptions = read_exceptions(root / "nesl-tests/gpu-check/exceptions.txt");
  int programs = 0;

  bool may_differ(const std::string& name, const Variant& variant) const {
    Case program;
    program.name = name;
    const std::vector<std::string> options{"--float=" + std::to_string(variant.float_bits)};
    return std::any_of(exceptions.begin(), exceptions.end(),
                       [&](const CaseException& exception) { return exception.applies(program, options); });
  }

  void record(const std::string& name, const std::string& text, const std::string& input,
              const std::vector<std::string>& options) {
    const RecordedProgram program{corpus / name, input, options};
    std::filesystem::create_directories(program.folder);
    std::string lines;
    for (const std::string& option : options) lines += option + "\n";
    write_text(program.folder / "options", lines);
    write_text(program.folder / "input", input);
    write_text(program.folder / "O0.vcode", text);
    // Of a program that the optimizer refuses, only the unoptimized variant is recorded.
    run_process({fcode_opt, "--verify", "-O2", "O0.vcode", "-o", "O2.fcode"}, program.folder, "", {});
    for (const Variant& variant : kVariants)
      if (std::filesystem::exists(program.folder / variant.program) && !may_differ(name, variant))
        write_text(program.folder / variant.name, run_program(program, variant, vinterp, "cpu"));
    ++programs;
  }

  void record_file(const std::filesystem::path& path) {
    if (path.extension() != ".txt") return record(path.stem(), read_text(path), "", {});
    for (const Case& test_case : read_case_file(path, root))
      if (belongs(test_case))
        record(path.stem().string() + "." + test_case.name, test_case.program, test_case.input, test_case.args);
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) {
    std::cerr << "usage: record_corpus VINTERP FCODE_OPT ROOT FOLDER FILE...\n";
    return 2;
  }
  try {
    const auto path = [&](int k) { return std::filesystem::absolute(argv[k]); };
    Recorder recorder{path(1), path(2), path(3), path(4)};
    for (char* file : std::span(argv + 5, argv + argc)) recorder.record_file(std::filesystem::absolute(file));
    std::cout << recorder.programs << " programs recorded\n";
  } catch (const std::exception& error) {
    std::cerr << "record_corpus: " << error.what() << "\n";
    return 1;
  }
}
