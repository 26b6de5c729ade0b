#pragma once

#include <gtest/gtest.h>

#include "fcode-opt/passes.h"
#include "fcode-opt/target.h"
#include "letform_builder.h"

namespace vcode::letform::testing {

/// The program as text, or the complaint of verify().
inline std::string text(const Program& program) {
  const std::string complaint = verify(program);
  return complaint.empty() ? to_text(program) : complaint;
}

/// The text of a simplified program with one function, without the first line (a.0: Int, s.1: Segdes).
inline std::string simplified(const std::function<std::vector<Var>(Builder&, Var, Var)>& write) {
  Program program;
  Builder main(program, "MAIN");
  Var a = main.parameter(Kind::kInt, "a"), s = main.parameter(Kind::kSegdes, "s");
  main.ret(write(main, a, s));
  EXPECT_EQ(verify(program), "");
  simplify(program);
  const std::string all = text(program), head = "entry MAIN (a.0: Int, s.1: Segdes)\n";
  return all.starts_with(head) ? all.substr(head.size()) : all;
}

}  // namespace vcode::letform::testing
