#include "corpus.h"

#include <fstream>
#include <stdexcept>

#include "vcode/child_process.h"

std::string run_program(const RecordedProgram& program, const Variant& variant, const std::string& vinterp,
                        const std::string& backend) {
  std::vector<std::string> command{vinterp, "--backend=" + backend, "--float=" + std::to_string(variant.float_bits)};
  command.insert(command.end(), program.options.begin(), program.options.end());
  command.push_back(program.folder / variant.program);
  const ScratchDirectory directory;
  const ProcessResult result = run_process(command, directory.path(), program.input, {});
  return result_text(result.exit_status, result.output);
}

std::string result_text(int exit_status, const std::string& output) {
  return "exit status " + std::to_string(exit_status) + "\n" + output;
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  if (!stream.flush()) throw std::runtime_error("cannot write " + path.string());
}
