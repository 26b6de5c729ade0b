#include <vector>

#include "verify_loop.h"

namespace kernels {

namespace {

/// Takes the members that a loop needs. Each must exist, have the right type and be nobody else's.
class ArgumentVerifier {
 public:
  ArgumentVerifier(const ArgumentStruct& arguments, PlanMistake& mistake)
      : arguments_(arguments), mistake_(mistake), taken_(arguments.members().size()) {}

  void address(Member member, const std::string& owner) { take(member, ArgumentStruct::Type::kAddress, owner); }
  void number(Member member, const std::string& owner) { take(member, ArgumentStruct::Type::kNumber, owner); }

  void end() {
    for (std::size_t k = 0; k < taken_.size(); ++k)
      mistake_.expect(taken_[k], "nothing reads the member {} of the argument", arguments_.members()[k].name);
  }

 private:
  void take(Member member, ArgumentStruct::Type type, const std::string& owner) {
    if (!mistake_.expect(member.number < taken_.size(), "{} lacks a member of the argument", owner)) return;
    const ArgumentStruct::Entry& entry = arguments_[member];
    mistake_.expect(entry.type == type, "the member {} of {} is not {}", entry.name, owner,
                    type == ArgumentStruct::Type::kAddress ? "an address" : "a number");
    mistake_.expect(!taken_[member.number], "{} has the member {} of another value", owner, entry.name);
    taken_[member.number] = true;
  }

  const ArgumentStruct& arguments_;
  PlanMistake& mistake_;
  std::vector<bool> taken_;
};

}  // namespace

void verify_arguments(const Loop& loop, PlanMistake& mistake) {
  ArgumentVerifier members(loop.arguments, mistake);
  for (const Loop::Input& input : loop.inputs) {
    const std::string owner = mistake.name(input.value);
    members.address(input.elements, owner);
    if (!input.is_made()) continue;
    members.address(input.per_segment, owner);
    if (!input.is_constant) members.number(input.step, owner);
    if (input.access == Loop::Access::kProgression) members.address(input.strides, owner);
    if (input.access != Loop::Access::kSlice) continue;
    members.address(input.source, owner);
    members.number(input.length, owner);
  }
  for (const Loop::Output& output : loop.outputs) {
    members.address(output.elements, mistake.name(output.value));
    if (output.may_stream) members.number(output.stream, mistake.name(output.value));
  }
  for (const Loop::Table& table : loop.tables) {
    const std::string owner = "table " + mistake.name(table.value);
    members.address(table.elements, owner);
    members.number(table.length, owner);
    members.address(table.starts, owner);
    members.number(table.step, owner);
  }
  for (const Loop::Scan& scan : loop.scans) {
    const std::string owner = mistake.name(scan.step);
    for (const Member member : {scan.carry, scan.identity, scan.heads}) members.address(member, owner);
    members.number(scan.whole, owner);
  }
  for (const Loop::Pack& pack : loop.packs) {
    const std::string owner = mistake.name(pack.step);
    for (const Member member : {pack.result, pack.position}) members.address(member, owner);
    members.number(pack.room, owner);
    if (!pack.counts) continue;
    members.address(pack.lengths, owner);
    members.number(pack.distance, owner);
  }
  for (const Loop::Scatter& scatter : loop.scatters) {
    const std::string owner = mistake.name(scatter.step);
    members.address(scatter.result, owner);
    members.number(scatter.targets, owner);
    if (!vcode::has_defaults(scatter.step->op)) members.address(scatter.hashes, owner);
  }
  for (const Loop::Fold& fold : loop.folds) members.address(fold.result, mistake.name(fold.step));
  for (const Loop::ArgReduction& reduction : loop.arg_reductions)
    members.address(reduction.result, mistake.name(reduction.step));
  if (loop.product)
    for (const Member member : {loop.product->row_distance, loop.product->column_distance, loop.product->columns_count,
                                loop.product->length})
      members.number(member, "the product");
  members.address(loop.starts, "the loop");
  members.number(loop.range_begin, "the loop");
  members.number(loop.range_end, "the loop");
  members.end();
}

}  // namespace kernels
