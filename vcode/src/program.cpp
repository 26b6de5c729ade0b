#include "vcode/program.h"

#include <algorithm>

namespace vcode {
namespace {

bool equal(const Program& p, const Instruction& a, const Program& q, const Instruction& b) {
  if (a.statement != b.statement || a.op != b.op || a.suffix != b.suffix || a.count != b.count || a.depth != b.depth)
    return false;
  if ((a.site == kNoSite) != (b.site == kNoSite)) return false;
  if (a.site != kNoSite && !(p.sites[a.site] == q.sites[b.site])) return false;
  // Constants may be shared or stored in another order.
  return a.statement == Statement::kConst ? p.constants[a.target] == q.constants[b.target] : a.target == b.target;
}

bool equal(const Program& p, const Function& a, const Program& q, const Function& b) {
  return a.name == b.name && a.annotation == b.annotation &&
         std::equal(a.body.begin(), a.body.end(), b.body.begin(), b.body.end(),
                    [&](const Instruction& x, const Instruction& y) { return equal(p, x, q, y); });
}

bool equal(const KernelSection& a, const KernelSection& b) { return a.number == b.number && a.text == b.text; }

}  // namespace

bool operator==(const Program& a, const Program& b) {
  return a.fcode_version == b.fcode_version && a.entry == b.entry &&
         std::equal(a.kernels.begin(), a.kernels.end(), b.kernels.begin(), b.kernels.end(),
                    [](const KernelSection& x, const KernelSection& y) { return equal(x, y); }) &&
         std::equal(a.functions.begin(), a.functions.end(), b.functions.begin(), b.functions.end(),
                    [&](const Function& x, const Function& y) { return equal(a, x, b, y); });
}

}  // namespace vcode
