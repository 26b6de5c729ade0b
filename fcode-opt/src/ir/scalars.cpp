#include "scalars.h"

#include <array>

#include "base/check.h"

namespace vcode::letform {
namespace {

/// Letter of the length that is 1 if a value with this role is scalar.
LengthVar scalar_letter(const Role& role) { return role.type == RoleType::kSegdes ? role.segments : role.length; }

}  // namespace

void note_scalar_results(const Binding& operation, std::vector<ValueInfo>& values) {
  VC_CHECK(operation.form == Binding::Form::kOp);
  const Signature& signature = info(operation.op).signature;
  std::array<bool, kMaxLengthVars + 1> is_one{true};  // kScalarLength is 1
  for (std::size_t k = 0; k < operation.operands.size(); ++k)
    if (signature.operands[k].type != RoleType::kAnything && values[operation.operands[k]].scalar)
      is_one[scalar_letter(signature.operands[k])] = true;
  for (std::size_t k = 0; k < operation.results.size(); ++k)
    if (is_one[scalar_letter(signature.results[k])]) values[operation.results[k]].scalar = true;
}

}  // namespace vcode::letform
