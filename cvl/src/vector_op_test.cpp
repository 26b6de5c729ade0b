#include "cvl/vector_op.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cvl {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::byte memory[64];

Operand operand(int k) { return {ElemType::kI32, 1, memory + k}; }
Result result(int k) { return {ElemType::kI32, 1, memory + k}; }
SegmentDescriptor descriptor(int k) { return {k, k, 1}; }

/// Where the vectors of an operation lie in `memory`, and how many segments its descriptors have.
struct Members {
  std::vector<std::ptrdiff_t> operands, results;
  std::vector<std::int64_t> descriptors;
};

Members members_of(VectorOp op) {
  Members members;
  op.visit([&](const auto& description) {
    const auto place = [](const void* data) { return static_cast<const std::byte*>(data) - memory; };
    for_each_operand(description, [&](const Operand& o) { members.operands.push_back(place(o.data)); });
    for_each_result(description, [&](const Result& r) { members.results.push_back(place(r.data)); });
    for_each_descriptor(description, [&](const SegmentDescriptor& d) { members.descriptors.push_back(d.segments); });
  });
  return members;
}

/// The members of the operation that with_translated() makes by adding 32 to addresses and numbers of segments.
Members translated_members_of(VectorOp op) {
  struct Add {
    Operand operator()(Operand o) const {
      o.data = static_cast<const std::byte*>(o.data) + 32;
      return o;
    }
    Result operator()(Result r) const {
      r.data = static_cast<std::byte*>(r.data) + 32;
      return r;
    }
    SegmentDescriptor operator()(SegmentDescriptor d) const {
      d.segments += 32;
      return d;
    }
  };
  Members members;
  with_translated(op, Add{}, [&](VectorOp translated) {
    EXPECT_EQ(translated.kind(), op.kind());
    members = members_of(translated);
  });
  return members;
}

TEST(VectorOp, KnowsItsKind) {
  EXPECT_EQ(VectorOp(Dist{operand(1), descriptor(2), result(3)}).kind(), VectorOpKind::kDist);
  EXPECT_EQ(VectorOp(Dist{operand(1), descriptor(2), result(3)}).name(), "Dist");
  EXPECT_EQ(VectorOp(MakeSegmentHeads{descriptor(1), result(2)}).name(), "MakeSegmentHeads");
}

TEST(VectorOp, GivesItsMembers) {
  const Members dist = members_of(Dist{operand(1), descriptor(2), result(3)});
  EXPECT_THAT(dist.operands, ElementsAre(1));
  EXPECT_THAT(dist.descriptors, ElementsAre(2));
  EXPECT_THAT(dist.results, ElementsAre(3));
  const Members offsets = members_of(MakeOffsets{operand(1), result(2), result(3)});
  EXPECT_THAT(offsets.descriptors, IsEmpty());
  EXPECT_THAT(offsets.results, ElementsAre(2, 3));
}

TEST(VectorOp, GivesTheMembersOfAJoin) {
  const Join<2> join{{{{operand(2), descriptor(4)}, {operand(3), descriptor(5)}}}, descriptor(6)};
  const Members merge = members_of(Merge{operand(1), join, result(7)});
  EXPECT_THAT(merge.operands, ElementsAre(1, 2, 3));
  EXPECT_THAT(merge.descriptors, ElementsAre(4, 5, 6));
}

TEST(VectorOp, GivesOptionalOperandsThatAreThere) {
  const Scatter plain{operand(1), operand(2), {}, {}, descriptor(5), descriptor(6), result(7)};
  Scatter flagged = plain, whole = plain;
  flagged.flags = operand(3);
  whole.flags = operand(3);
  whole.defaults = operand(4);
  EXPECT_THAT(members_of(plain).operands, ElementsAre(1, 2));
  EXPECT_THAT(members_of(flagged).operands, ElementsAre(1, 2, 3));
  EXPECT_THAT(members_of(whole).operands, ElementsAre(1, 2, 3, 4));
}

TEST(VectorOp, IsTranslated) {
  const Scatter scatter{operand(1), operand(2), {}, operand(4), descriptor(5), descriptor(6), result(7)};
  const Members members = translated_members_of(scatter);
  EXPECT_THAT(members.operands, ElementsAre(33, 34, 36));
  EXPECT_THAT(members.descriptors, ElementsAre(37, 38));
  EXPECT_THAT(members.results, ElementsAre(39));
  EXPECT_THAT(members_of(scatter).operands, ElementsAre(1, 2, 4)) << "the original is changed";
}

TEST(VectorOp, IsTranslatedWithTheOperandsOfARow) {
  const Operand operands[] = {operand(1), operand(2), operand(3)};
  EXPECT_THAT(translated_members_of(Elementwise{Op::kSelect, operands, result(4)}).operands, ElementsAre(33, 34, 35));
  EXPECT_THAT(translated_members_of(Elementwise{Op::kNot, {operands, 1}, result(4)}).operands, ElementsAre(33));
}

}  // namespace
}  // namespace cvl
