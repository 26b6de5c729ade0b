#include "nesl_types.h"

#include <gtest/gtest.h>

#include "definition.h"
#include "messages/near_name.h"
#include "unify.h"

namespace nesl {
namespace {

class Types : public testing::Test {
 protected:
  Type* any() { return types.variable(TypeClass::kAny); }
  Type* number() { return types.variable(TypeClass::kNumber); }
  Type* logical() { return types.variable(TypeClass::kLogical); }
  /// Kind of mismatch, or nothing if the types unify.
  std::optional<Mismatch::Kind> unify(Type* left, Type* right) {
    std::optional<Mismatch> mismatch = Unifier(types).unify(left, right);
    return mismatch ? std::optional(mismatch->kind) : std::nullopt;
  }

  TypeStore types;
  Type* const int_ = types.int_;
  Type* const float_ = types.float_;
};

TEST_F(Types, AreSpelledAsInSourceText) {
  Type* pair = types.pair(int_, float_);
  EXPECT_EQ(to_text(pair), "int, float");
  EXPECT_EQ(to_text(types.sequence(pair)), "[(int, float)]");
  EXPECT_EQ(to_text(types.pair(pair, types.pair(types.char_, types.bool_))), "(int, float), char, bool");
  EXPECT_EQ(to_text(types.function(pair, types.function(int_, int_))), "(int, float) -> int -> int");
  EXPECT_EQ(to_text(types.function(types.function(int_, int_), pair)), "(int -> int) -> (int, float)");
  EXPECT_EQ(to_text(types.pair(types.function(int_, int_), int_)), "int -> int, int");
}

TEST_F(Types, VariablesAreNamedByFirstOccurrence) {
  Type* first = any();
  Type* second = number();
  EXPECT_EQ(to_text(types.function(types.pair(second, first), first)), "(a, b) -> b :: (a in number; b in any)");
  EXPECT_EQ(to_text(generalize(types.sequence(first))), "[a] :: (a in any)");
}

TEST_F(Types, VariablesAfterZAreNumbered) {
  Type* tuple = any();
  for (int i = 0; i < 26; ++i) tuple = types.pair(any(), tuple);
  EXPECT_EQ(to_text(tuple).substr(0, 85),
            "a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, a1 :: (");
}

TEST_F(Types, DatatypesShowTheirArguments) {
  Definition point{.kind = Definition::Kind::kDatatype, .name = "point"};
  EXPECT_EQ(to_text(types.data(&point, {})), "point");
  EXPECT_EQ(to_text(types.data(&point, {int_, types.pair(int_, float_)})), "point(int, (int, float))");
}

TEST_F(Types, MessagesShareNamesAndShowRestrictionsOnly) {
  Type* free = any();
  Type* restricted = number();
  EXPECT_EQ(to_texts({types.pair(free, restricted), types.sequence(restricted), free}),
            (std::vector<std::string>{"(a, b) :: (b in number)", "[b]", "a"}));
}

TEST_F(Types, MessagesAbbreviateLongTypes) {
  Type* type = int_;
  for (int i = 0; i < 1000; ++i) type = types.pair(type, type);
  std::string text = to_texts({type})[0];
  EXPECT_LT(text.size(), 1000u);
  EXPECT_NE(text.find("..."), std::string::npos);
  EXPECT_EQ(size_of(type), kMaxTypeSize + 1);
}

TEST_F(Types, Classes) {
  struct Row {
    Type* type;
    bool scalar, ordinal, number, logical;
  };
  for (const Row& row : {Row{int_, true, true, true, true}, Row{float_, true, true, true, false},
                         Row{types.char_, true, true, false, false}, Row{types.bool_, true, false, false, true},
                         Row{types.sequence(int_), false, true, false, false},
                         Row{types.pair(int_, types.sequence(float_)), false, true, false, false},
                         Row{types.sequence(types.bool_), false, false, false, false},
                         Row{types.pair(int_, types.bool_), false, false, false, false},
                         Row{types.function(int_, int_), false, false, false, false}}) {
    EXPECT_TRUE(is_member(row.type, TypeClass::kAny)) << to_text(row.type);
    EXPECT_EQ(is_member(row.type, TypeClass::kScalar), row.scalar) << to_text(row.type);
    EXPECT_EQ(is_member(row.type, TypeClass::kOrdinal), row.ordinal) << to_text(row.type);
    EXPECT_EQ(is_member(row.type, TypeClass::kNumber), row.number) << to_text(row.type);
    EXPECT_EQ(is_member(row.type, TypeClass::kLogical), row.logical) << to_text(row.type);
  }
  EXPECT_TRUE(is_member(number(), TypeClass::kOrdinal));
  EXPECT_FALSE(is_member(number(), TypeClass::kLogical));
  EXPECT_FALSE(is_member(any(), TypeClass::kScalar));
}

TEST_F(Types, UnificationLinksVariables) {
  Type* variable = any();
  EXPECT_EQ(unify(types.sequence(variable), types.sequence(int_)), std::nullopt);
  EXPECT_EQ(resolve(variable), int_);
  EXPECT_EQ(unify(variable, float_), Mismatch::Kind::kShape);
}

TEST_F(Types, UnifiedVariableGetsTheSmallerClass) {
  Type* wide = any();
  Type* narrow = number();
  EXPECT_EQ(unify(wide, narrow), std::nullopt);
  EXPECT_EQ(resolve(wide), resolve(narrow));
  EXPECT_EQ(resolve(wide)->type_class, TypeClass::kNumber);
  EXPECT_EQ(unify(wide, types.char_), Mismatch::Kind::kClass);
}

TEST_F(Types, PartsOfOrdinalTypesAreOrdinal) {
  Type* part = any();
  Type* bits = logical();
  EXPECT_EQ(unify(types.variable(TypeClass::kOrdinal), types.pair(types.sequence(part), bits)), std::nullopt);
  EXPECT_EQ(part->type_class, TypeClass::kOrdinal);
  EXPECT_EQ(resolve(bits), int_);
  EXPECT_EQ(unify(part, types.bool_), Mismatch::Kind::kClass);
  Type* other = any();
  EXPECT_EQ(unify(types.variable(TypeClass::kOrdinal), types.pair(other, types.bool_)), Mismatch::Kind::kClass);
  EXPECT_EQ(other->type_class, TypeClass::kAny);
}

TEST_F(Types, OverlappingClassesMeetInInt) {
  Type* left = number();
  Type* right = logical();
  EXPECT_EQ(unify(left, right), std::nullopt);
  EXPECT_EQ(resolve(left), int_);
  EXPECT_EQ(resolve(right), int_);
}

TEST_F(Types, FailedUnificationChangesNothing) {
  Type* variable = any();
  Type* restricted = number();
  Type* left = types.pair(variable, types.pair(restricted, int_));
  Type* right = types.pair(restricted, types.pair(int_, float_));
  EXPECT_EQ(unify(left, right), Mismatch::Kind::kShape);
  EXPECT_EQ(resolve(variable), variable);
  EXPECT_EQ(variable->type_class, TypeClass::kAny);
  EXPECT_EQ(resolve(restricted), restricted);
}

TEST_F(Types, InfiniteTypesAreRefused) {
  Type* variable = any();
  EXPECT_EQ(unify(variable, types.sequence(types.pair(int_, variable))), Mismatch::Kind::kInfinite);
  EXPECT_EQ(unify(variable, variable), std::nullopt);
}

TEST_F(Types, TypesOfExponentialSizeAreRefusedQuickly) {
  Type* left = any();
  Type* right = any();
  Type* small = types.pair(left, right);
  Type* other = types.pair(any(), any());
  for (int i = 0; i < 200; ++i) {
    small = types.pair(small, small);
    other = types.pair(other, other);
  }
  EXPECT_EQ(unify(small, other), Mismatch::Kind::kTooLarge);
  EXPECT_EQ(unify(any(), small), Mismatch::Kind::kTooLarge);
}

TEST_F(Types, SubstitutionCopiesOnlyChangedParts) {
  Type* variable = any();
  Type* ground = types.sequence(int_);
  Type* type = types.pair(ground, types.sequence(variable));
  Type* copy = types.substitute(type, {variable}, {float_});
  EXPECT_EQ(to_text(copy), "[int], [float]");
  EXPECT_EQ(copy->arguments[0], ground);
  EXPECT_EQ(resolve(variable), variable);
}

TEST_F(Types, SchemesAreComparedUpToNames) {
  auto pair_of = [&](Type* one, Type* other) { return generalize(types.pair(one, other)); };
  Type* shared = any();
  Type* other_shared = any();
  EXPECT_TRUE(same_type(pair_of(any(), any()), pair_of(any(), any())));
  EXPECT_TRUE(same_type(pair_of(shared, shared), pair_of(other_shared, other_shared)));
  EXPECT_FALSE(same_type(pair_of(shared, shared), pair_of(any(), any())));
  EXPECT_FALSE(same_type(pair_of(any(), number()), pair_of(any(), any())));
  EXPECT_FALSE(same_type(pair_of(int_, int_), pair_of(int_, float_)));
}

TEST(NearName, FindsTheNearest) {
  auto near = [](const char* wanted) {
    NearName search(wanted);
    for (const char* name : {"count", "sum", "flatten", "max_val", "min_val", "round"}) search.consider(name);
    return search.best();
  };
  EXPECT_EQ(near("conut"), "count");
  EXPECT_EQ(near("fltten"), "flatten");
  EXPECT_EQ(near("summ"), "sum");
  EXPECT_EQ(near("mx_vall"), "max_val");
  EXPECT_EQ(near("mun_val"), "min_val");
  EXPECT_EQ(near("xs"), "");
  EXPECT_EQ(near("product"), "");
  EXPECT_EQ(near("sum"), "") << "the name itself is no suggestion";
}

}  // namespace
}  // namespace nesl
