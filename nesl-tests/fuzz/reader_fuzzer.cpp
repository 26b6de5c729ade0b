// Any bytes as a VCODE text: reading must end in a program or in errors, a program must survive printing, and
// validating it must end.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "vcode/printer.h"
#include "vcode/reader.h"
#include "vcode/validator.h"

namespace {

void insist(bool condition, const char* what, const std::string& text) {
  if (condition) return;
  std::fprintf(stderr, "%s:\n%s\n", what, text.c_str());
  std::abort();
}

void check(const std::string& text) {
  base::Source source("fuzz", text);
  base::Diagnostics diagnostics;
  std::optional<vcode::Program> program = vcode::parse_vcode(source, diagnostics);
  const std::string complaints = render(source, diagnostics);
  insist(program.has_value() != diagnostics.has_errors(), "neither or both of program and errors", complaints);
  vcode::scan_vcode(
      source, [](void*, std::string_view, std::string_view) {}, nullptr);
  if (!program) return;

  const std::string printed = print_vcode(*program);
  base::Source printed_source("printed", printed);
  base::Diagnostics printed_diagnostics;
  std::optional<vcode::Program> again = vcode::parse_vcode(printed_source, printed_diagnostics);
  insist(again.has_value(), "printed program is not readable", printed + render(printed_source, printed_diagnostics));
  insist(*again == *program, "printed program differs", printed);

  for (vcode::ElemType int_type : {vcode::ElemType::kI32, vcode::ElemType::kI64})
    for (bool strict : {false, true}) {
      base::Diagnostics found;
      validate(*program, {int_type, vcode::ElemType::kF64}, strict, found);
      render(source, found);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
