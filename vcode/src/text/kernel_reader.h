#pragma once

#include <string>
#include <unordered_map>

#include "token_cursor.h"
#include "vcode/program.h"

namespace vcode {

/// Reads the KERNEL sections of an FCODE text (grammar: docs/fcode.md) into a program.
class KernelReader {
 public:
  KernelReader(TokenCursor& in, Program& program) : in_(in), program_(program) {}

  /// Reads from the word KERNEL to behind its RET. A kernel with errors is reported and not added to the program.
  void read();
  /// The index in Program::kernels of the kernel with this number.
  std::optional<std::uint32_t> find(std::int64_t number) const;

 private:
  bool read_head(Kernel& kernel);
  bool read_inputs(Kernel& kernel);
  bool read_step(Kernel& kernel);
  bool read_operation(Kernel& kernel, Kernel::Step& step, std::vector<std::string> results);
  bool read_constant(Kernel& kernel, Kernel::Step& step, std::vector<std::string> results, base::Span statement);
  bool read_outputs(Kernel& kernel);
  bool check_name(const Kernel& kernel);
  void define(Kernel& kernel, std::string name, Kind kind);
  std::optional<KernelVar> find_value(const Kernel& kernel);
  bool expect_word(std::string_view word, std::string_view what);
  void check(const Kernel& kernel);
  void skip();

  TokenCursor& in_;
  Program& program_;
  base::Span keyword_;
  std::unordered_map<std::string, KernelVar> names_;
  std::unordered_map<std::int64_t, std::uint32_t> numbers_;  ///< index of each kernel, by its number
};

}  // namespace vcode
