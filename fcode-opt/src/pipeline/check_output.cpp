#include "fcode-opt/check_output.h"

#include "vcode/printer.h"
#include "vcode/reader.h"
#include "vcode/validator.h"

namespace fcode_opt {

std::string check_output(const std::string& text) {
  const base::Source source("<output>", text);
  base::Diagnostics diagnostics;
  const std::optional<vcode::Program> program = vcode::parse_vcode(source, diagnostics);
  if (program) vcode::validate(*program, {vcode::ElemType::kI64, vcode::ElemType::kF64}, false, diagnostics);
  if (!program || diagnostics.has_errors()) return base::render(source, diagnostics);
  return vcode::print_vcode(*program) == text ? "" : "<output>: it is not printed as it was read\n";
}

}  // namespace fcode_opt
