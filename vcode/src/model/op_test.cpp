#include "vcode/op.h"

#include <gtest/gtest.h>

#include <string>

namespace vcode {
namespace {

TEST(Monoids, FunctionsOfNeslBeginMnemonics) {
  for (int k = 0; k < kMonoids; ++k) {
    const auto monoid = static_cast<Monoid>(k);
    const MonoidInfo& row = info(monoid);
    EXPECT_EQ(row.monoid, monoid);
    EXPECT_EQ(find_monoid(row.function), monoid);
    std::string beginning;
    for (const char c : row.function) beginning += static_cast<char>(std::toupper(c));
    for (const OpClass op_class : {OpClass::kScan, OpClass::kReduce, OpClass::kAccumulate})
      EXPECT_TRUE(info(op_of(op_class, monoid)).text.starts_with(beginning + '_')) << row.function;
    EXPECT_EQ(row.selects, info(op_of(OpClass::kReduce, monoid)).selects());
    EXPECT_EQ(row.selects, info(row.operation).signature.results[0].type == RoleType::kBool);
  }
  EXPECT_EQ(find_monoid("-"), std::nullopt);
}

}  // namespace
}  // namespace vcode
