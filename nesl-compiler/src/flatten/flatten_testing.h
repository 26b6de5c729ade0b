#pragma once

#include <gtest/gtest.h>

#include "fcode-opt/optimize.h"
#include "nesl-compiler/session.h"

namespace nesl {

/// Output of the compiler for a statement.
struct Flattened {
  std::vector<std::string> remarks;
  std::string code;  ///< let-form before fusion
};

/// Compiles a text and returns the output for its last statement.
inline Flattened flattened(const std::string& text, bool masks) {
  Flattened result;
  run_with_deep_stack([&] {
    Session session;
    session.set_masks(masks);
    const base::Source& source = session.add_source("test", text);
    base::Diagnostics diagnostics;
    std::optional<Unit> last;
    session.read(source, diagnostics, [&](Unit& unit) {
      if (unit.kind != Unit::Kind::kValue) return true;
      session.commit(unit);
      last = unit;
      return true;
    });
    ASSERT_TRUE(last && !diagnostics.has_errors()) << render(source, diagnostics);
    std::optional<Compiled> compiled = session.compile(*last, false, diagnostics);
    ASSERT_TRUE(compiled);
    result.remarks = compiled->remarks;
    result.code = fcode_opt::optimize(std::move(compiled->program), {.level = 2, .print_before = {"fuse"}}).printed;
  });
  return result;
}

}  // namespace nesl
