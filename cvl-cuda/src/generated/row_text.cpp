#include "generated/row_text.h"

#include <fmt/format.h>

#include "base/check.h"

namespace cvl::cuda {

namespace {

struct ElementwiseRow {
  vcode::Op op;
  std::string_view name, expression;
};
constexpr ElementwiseRow kElementwise[] = {
#define VC_ELEMENTWISE(Name, text, set, sig, known, flops, doc, ...) {vcode::Op::k##Name, #Name, #__VA_ARGS__},
#include "vcode/ops.def"
};

struct FaultRow {
  vcode::Op op;
  std::string_view expression;
};
constexpr FaultRow kFaults[] = {
#define VC_FAULT(Name, set, risk, ...) {vcode::Op::k##Name, #__VA_ARGS__},
#include "vcode/ops.def"
};

struct MonoidRow {
  std::string_view name, identity, empty_value, expression;
};
constexpr MonoidRow kMonoids[] = {
#define VC_MONOID(Name, function, operation, known, identity, empty_value, ...) \
  {#Name, #identity, #empty_value, #__VA_ARGS__},
#include "vcode/ops.def"
};

constexpr std::string_view kOperands =
    "  template <class R, class A, class B = A, class C = A>\n"
    "  CODE static {} {}([[maybe_unused]] A a, [[maybe_unused]] B b = B(), [[maybe_unused]] C c = C()) {{\n"
    "    return {};\n"
    "  }}\n";

}  // namespace

std::string elementwise_text(vcode::Op op) {
  std::string text;
  for (const ElementwiseRow& row : kElementwise)
    if (row.op == op)
      text = fmt::format("struct {} {{\n", row.name) +
             fmt::format(fmt::runtime(kOperands), "R", "eval", fmt::format("R({})", row.expression));
  VC_CHECK(!text.empty());
  for (const FaultRow& row : kFaults)
    if (row.op == op) text += fmt::format(fmt::runtime(kOperands), "FaultKind", "fault", row.expression);
  return text + "};\n";
}

std::string_view monoid_name(vcode::Monoid monoid) { return kMonoids[static_cast<std::size_t>(monoid)].name; }

std::string monoid_text(vcode::Monoid monoid) {
  const MonoidRow& row = kMonoids[static_cast<std::size_t>(monoid)];
  std::string text = fmt::format("struct {} {{\n", row.name);
  for (const auto& [name, expression] :
       {std::pair("identity", row.identity), std::pair("empty_value", row.empty_value)})
    text += fmt::format("  template <class T>\n  CODE static T {}() {{\n    return {};\n  }}\n", name, expression);
  return text + fmt::format("  template <class T>\n  CODE static T combine(T a, T b) {{\n    return {};\n  }}\n}};\n",
                            row.expression);
}

}  // namespace cvl::cuda
