#pragma once

#include <gtest/gtest.h>

#include "fcode-opt/optimize.h"
#include "nesl-compiler/session.h"
#include "session_testing.h"

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
    fcode_opt::OptimizeOptions options{.level = 2, .print_before = {"fuse"}};
    if (!masks) options.fusion = fcode_opt::Fusion::kNone;
    session.set_pipeline(options);
    const base::Source& source = session.add_source("test", text);
    base::Diagnostics diagnostics;
    const std::optional<Unit> last = read_all(session, source, diagnostics);
    ASSERT_TRUE(last && !diagnostics.has_errors()) << render(source, diagnostics);
    std::optional<Compiled> compiled = session.compile(*last, false, diagnostics);
    ASSERT_TRUE(compiled);
    result.remarks = compiled->remarks;
    const fcode_opt::OptimizeResult optimized = fcode_opt::optimize(std::move(compiled->program), options);
    result.remarks.insert(result.remarks.end(), optimized.remarks.begin(), optimized.remarks.end());
    result.code = optimized.printed;
  });
  return result;
}

}  // namespace nesl
