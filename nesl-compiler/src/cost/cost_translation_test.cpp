// Translated programs are typed as all others, loops stay loops, and code without a cost of its own stays as it is.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

#include "facts/expression_facts.h"
#include "nesl-compiler/session.h"
#include "typed_tree_check.h"

namespace nesl {
namespace {

/// Reads definitions and calls `use` with the translation of an expression.
void with_translation(const std::string& definitions, const std::string& expression,
                      const std::function<void(Session&, const CostProgram&)>& use) {
  run_with_deep_stack([&] {
    Session session;
    const base::Source& source = session.add_source("a.nesl", definitions);
    base::Diagnostics diagnostics;
    session.read(source, diagnostics, [&](Unit& unit) {
      if (unit.kind == Unit::Kind::kValue) session.commit(unit);
      return true;
    });
    ASSERT_FALSE(diagnostics.has_errors()) << render(source, diagnostics);
    const base::Source& measured = session.add_expression("<expression>", expression);
    const std::optional<CostProgram> program = session.analyze_cost(measured, "n", diagnostics);
    ASSERT_TRUE(program) << render(measured, diagnostics);
    use(session, *program);
  });
}

/// The definitions that an expression reaches, none of the library but its translations.
void collect(const Expr& expr, std::set<const Definition*>& found) {
  if (const auto* name = std::get_if<Name>(&expr.node);
      name != nullptr && name->definition != nullptr && found.insert(name->definition).second) {
    if (name->definition->body != nullptr) collect(*name->definition->body, found);
    for (const auto& special : name->definition->specializations) {
      found.insert(special.get());
      if (special->body != nullptr) collect(*special->body, found);
    }
  }
  for_each_child(expr, [&](const Expr& child) { collect(child, found); });
}

TEST(CostTranslation, IsTypedAsOtherPrograms) {
  constexpr const char* kDefinitions = R"(
    datatype point(x : float, y : float);
    function qsort(s) =
      if #s < 2 then s
      else let pivot = s[#s / 2]; parts = {qsort(p) : p in [{x in s | x < pivot}, {x in s | x > pivot}]}
           in parts[0] ++ {x in s | x == pivot} ++ parts[1];
    function equal(a, b) = a == b;
    function swap((a, b), c) = (c, equal(a, b));
    rows = [[1, 2], [3]];
  )";
  for (const char* expression : {
           "qsort([3, 1, 2])",
           "let s = {rand(9) : i in [0:9]} in (qsort(s), #s)",
           "{p.x + p.y : p in [point(1.0, 2.0)] | equal([p.x], [1.0])}",
           "{sum([0:i]) : i in [0:9] | any({j == i : j in [0:i]})}",
           "{* sum([0:i]) : i in [0:9] | any({j == i : j in [0:i]}) }",
           "{{if i > 1 then sum(row) else if i > 0 then 1 + i else 0 : i in row} : row in rows; k in [1, 2]}",
           "swap(([1], [2]), \"text\")",
           "let (v, seconds) = time(qsort([2, 1])) in v",
           "(sort([2, 1]), unique(\"text\"), group_by([1, 2, 3], [1, 1, 2]), contains([1, 2], [2]), @rows)",
           "write_with('+, [1, 2], {(i, 1) : i in [0:9]})",
           "[[] int, [1], {x in [1] | equal(x, 1)}]",
       })
    with_translation(kDefinitions, expression, [&](Session& session, const CostProgram& program) {
      const GlobalStatement& statement = *program.counted.statement;
      EXPECT_EQ(check_typed_tree(statement), "") << expression;
      EXPECT_EQ(program.counted.type, "float, float");
      std::set<const Definition*> found;
      collect(*statement.value, found);
      for (const Definition* definition : found) {
        if (definition->body == nullptr) continue;
        EXPECT_EQ(check_typed_tree(*definition), "") << expression << " " << definition->name;
      }
      base::Diagnostics diagnostics;
      EXPECT_TRUE(session.compile(program.counted, false, diagnostics)) << expression;
      EXPECT_TRUE(session.compile(program.bench.measured, false, diagnostics)) << expression;
    });
}

TEST(CostTranslation, LoopsStayLoops) {
  with_translation("function down(n, s) = if n == 0 then sum(s) else let k = n - 1 in down(k, s);", "down(n, [1])",
                   [](Session&, const CostProgram& program) {
                     const auto& let = std::get<Let>(program.counted.statement->value->node);
                     const Expr* value = let.bindings.at(0).second.get();
                     while (const auto* inner = std::get_if<Let>(&value->node)) value = inner->body.get();
                     const Definition* down = std::get<Name>(std::get<Call>(value->node).function->node).definition;
                     EXPECT_TRUE(down->recursive);
                     const Expr* end = down->body.get();
                     while (const auto* inner = std::get_if<Let>(&end->node)) end = inner->body.get();
                     end = std::get<If>(end->node).else_branch.get();
                     while (const auto* inner = std::get_if<Let>(&end->node)) end = inner->body.get();
                     EXPECT_EQ(std::get<Name>(std::get<Call>(end->node).function->node).definition, down);
                   });
}

TEST(CostTranslation, LeavesExpressionsWithAFixedCostAlone) {
  with_translation("function norm(x, y) = sqrt(x * x + y * y);", "{norm(float(i), 1.0) : i in [0:n]}",
                   [](Session&, const CostProgram& program) {
                     int bodies = 0;
                     const std::function<void(const Expr&)> visit = [&](const Expr& expr) {
                       if (const auto* each = std::get_if<Each>(&expr.node)) {
                         const auto& call = std::get<Call>(each->body->node);
                         EXPECT_EQ(std::get<Name>(call.function->node).name, "norm");
                         EXPECT_EQ(to_text(each->body->type), "float") << "it has no cost beside its value";
                         ++bodies;
                       }
                       for_each_child(expr, visit);
                     };
                     visit(*program.counted.statement->value);
                     EXPECT_EQ(bodies, 1);
                   });
}

}  // namespace
}  // namespace nesl
