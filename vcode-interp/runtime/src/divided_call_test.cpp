#include "runtime/joined_results.h"

#include <cstring>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "oracle.h"

namespace runtime {
namespace {

using vcode::PieceOperand;
using vcode::PieceOperands;

/// Random operands, nested to a depth of 3, with their cuts.
class DividedCallTest : public ::testing::TestWithParam<std::int64_t> {
 protected:
  std::int64_t below(std::int64_t n) { return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random_); }

  Value ints(const std::vector<std::int32_t>& numbers) {
    if (numbers.size() == 1) return Value::scalar(numbers[0]);
    VectorObject* object = evaluator_.heap().make_vector(ElemType::kI32, std::ssize(numbers));
    std::copy(numbers.begin(), numbers.end(), static_cast<std::int32_t*>(object->host));
    return Value::adopt(object);
  }
  Value numbers(std::int64_t count) {
    std::vector<std::int32_t> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), static_cast<std::int32_t>(below(1000)));
    return ints(all);
  }
  Value descriptor(std::int64_t segments, bool regular) {
    std::vector<std::int32_t> lengths(static_cast<std::size_t>(segments), 3);
    for (std::int32_t& length : lengths)
      if (!regular) length = static_cast<std::int32_t>(below(4) == 0 ? below(200) : below(4));
    return evaluator_.make_segdes(ints(lengths));
  }

  /// Makes operands over an index space of `elements` elements.
  void make_operands(std::int64_t elements) {
    using How = PieceOperand::How;
    piece_operands_ = {{How::kWhole}, {How::kShared}, {How::kEach}, {How::kEach}, {How::kShared}};
    operands_ = {Value::single_segment(elements), numbers(300), numbers(elements), descriptor(elements, below(3) == 0),
                 descriptor(5, false)};
    for (int depth = 0; depth < 2; ++depth) {
      const auto over = static_cast<std::uint32_t>(depth == 0 ? 3 : piece_operands_.size() - 1);
      const std::int64_t inner = operands_[over].elements();
      piece_operands_.insert(piece_operands_.end(), {{How::kEach, over}, {How::kWhole, over}, {How::kEach, over}});
      operands_.insert(operands_.end(),
                       {numbers(inner), Value::single_segment(inner), descriptor(inner, below(3) == 0)});
    }
  }

  std::vector<std::int64_t> content(const Value& value, Evaluator& evaluator) {
    const Value vector = value.is_segdes() ? evaluator.lengths_of(value) : value;
    std::vector<std::int64_t> all;
    const auto* data = static_cast<const std::int32_t*>(evaluator.heap().host_data(vector));
    for (std::int64_t k = 0; k < vector.length(); ++k) all.push_back(data[k]);
    return all;
  }

  std::mt19937_64 random_{static_cast<std::uint64_t>(GetParam())};
  std::unique_ptr<Backend> backend_ = conformance::make_oracle({}, conformance::Addresses::kAnyHost);
  std::unique_ptr<Backend> other_ = conformance::make_oracle({}, conformance::Addresses::kAnyHost);
  Evaluator evaluator_{*backend_, {}};
  Evaluator worker_{*other_, {}};
  PieceOperands piece_operands_;
  std::vector<Value> operands_;
};

TEST_P(DividedCallTest, JoinedPiecesAreTheWhole) {
  make_operands(1 + below(GetParam() % 3 == 0 ? 5 : 500));
  ASSERT_EQ(complaint_about(piece_operands_), "");
  const DividedCall cut(evaluator_, piece_operands_, operands_.data());
  ASSERT_TRUE(cut.fits());
  std::vector<std::vector<Value>> pieces;
  std::vector<Evaluator*> evaluators;
  JoinedResults results(evaluator_, cut);
  ResultShapes shapes;
  const auto room_from = static_cast<std::size_t>(below(5));
  for (std::int64_t begin = 0; begin < cut.elements();) {
    const std::int64_t bytes = below(2000), end = cut.end_of_piece(begin, bytes);
    ASSERT_TRUE(begin < end && end <= cut.elements());
    EXPECT_TRUE(end == begin + 1 || cut.bytes_before(end) - cut.bytes_before(begin) <= bytes);
    EXPECT_TRUE(end == cut.elements() || cut.bytes_before(end + 1) - cut.bytes_before(begin) > bytes);
    evaluators.push_back(below(2) == 0 ? &evaluator_ : &worker_);
    pieces.push_back(cut.piece(begin, end, *evaluators.back()));
    ASSERT_EQ(pieces.back().size(), piece_operands_.size());
    EXPECT_EQ(cut.instances_before(end) - cut.instances_before(begin), pieces.back()[9].elements())
        << "the last that is whole";
    const DividedCall again(*evaluators.back(), piece_operands_, pieces.back().data());
    EXPECT_TRUE(again.fits()) << "a piece is itself a call that can be cut";
    EXPECT_EQ(again.elements(), end - begin);
    // Results are allocated after piece `room_from`, and then only some pieces are put there.
    note_results(shapes, cut, begin, end, pieces.back(), evaluator_.widths());
    if (pieces.size() == room_from) results.make_room(shapes);
    if (below(3) > 0) results.put(begin, end, pieces.back(), *evaluators.back());
    begin = end;
  }
  for (const Value& shared : {pieces[0][1], pieces[0][4]})
    EXPECT_EQ(content(shared, *evaluators[0]), content(operands_[shared.is_segdes() ? 4 : 1], evaluator_));
  ASSERT_TRUE(can_join(pieces));
  const std::vector<Value> joined = results.join(pieces, evaluators);
  ASSERT_EQ(joined.size(), operands_.size());
  for (std::size_t k = 0; k < joined.size(); ++k)
    if (piece_operands_[k].how == PieceOperand::How::kEach) {
      EXPECT_EQ(joined[k].kind(), operands_[k].kind());
      EXPECT_EQ(content(joined[k], evaluator_), content(operands_[k], evaluator_)) << "operand " << k;
    }
}

INSTANTIATE_TEST_SUITE_P(, DividedCallTest, ::testing::Range<std::int64_t>(0, 60));

/// A call over 1000 segments of 3 whose results are numbers: as many as segments, and as many as elements.
class JoinedResultsTest : public ::testing::Test {
 protected:
  Value numbers(std::int64_t first, std::int64_t count, Evaluator& evaluator) {
    VectorObject* object = evaluator.heap().make_vector(ElemType::kI32, count);
    std::iota(static_cast<std::int32_t*>(object->host), static_cast<std::int32_t*>(object->host) + count,
              static_cast<std::int32_t>(first));
    return Value::adopt(object);
  }
  std::vector<Value> results(std::int64_t begin, std::int64_t end) {
    return {numbers(begin, end - begin, worker_), numbers(3 * begin, 3 * (end - begin), worker_)};
  }
  void expect_numbers(const Value& vector, std::int64_t count) {
    ASSERT_EQ(vector.length(), count);
    const auto* data = static_cast<const std::int32_t*>(evaluator_.heap().host_data(vector));
    for (std::int64_t k = 0; k < count; ++k) ASSERT_EQ(data[k], k);
  }

  std::unique_ptr<Backend> backend_ = conformance::make_oracle({}, conformance::Addresses::kAnyHost);
  std::unique_ptr<Backend> other_ = conformance::make_oracle({}, conformance::Addresses::kAnyHost);
  Evaluator evaluator_{*backend_, {}};
  Evaluator worker_{*other_, {}};
  const PieceOperands piece_operands_{{PieceOperand::How::kEach}, {PieceOperand::How::kEach, 0}};
  const std::vector<Value> operands_{evaluator_.make_segdes(constant(3, 1000)), numbers(0, 3000, evaluator_)};
  const DividedCall cut_{evaluator_, piece_operands_, operands_.data()};

 private:
  Value constant(std::int32_t number, std::int64_t count) {
    VectorObject* object = evaluator_.heap().make_vector(ElemType::kI32, count);
    std::fill_n(static_cast<std::int32_t*>(object->host), count, number);
    return Value::adopt(object);
  }
};

TEST_F(JoinedResultsTest, ResultsPutInPlaceTakeNoMemoryOfTheirPiece) {
  ResultShapes shapes;
  note_results(shapes, cut_, 0, 10, results(0, 10), {});
  JoinedResults joined(evaluator_, cut_);
  joined.make_room(shapes);
  const std::size_t live = evaluator_.heap().live();
  std::vector<std::vector<Value>> pieces;
  for (std::int64_t begin = 0; begin < 1000; begin += 100) {
    pieces.push_back(results(begin, begin + 100));
    joined.put(begin, begin + 100, pieces.back(), worker_);
    EXPECT_EQ(worker_.heap().live(), 0u);
  }
  const std::vector<Value> whole = joined.join(pieces, std::vector<Evaluator*>(pieces.size(), &worker_));
  ASSERT_EQ(whole.size(), 2u);
  expect_numbers(whole[0], 1000);
  expect_numbers(whole[1], 3000);
  EXPECT_EQ(evaluator_.heap().live(), live) << "the room has become the results";
}

/// A function may return another type than that of the pieces from which the room was made.
TEST_F(JoinedResultsTest, PiecesOfAnotherTypeThanPredictedAreNotPutIntoTheRoom) {
  for (const ElemType type : {ElemType::kF32, ElemType::kI64, ElemType::kB8}) {
    ResultShapes shapes;
    note_results(shapes, cut_, 0, 10, results(0, 10), {});
    JoinedResults joined(evaluator_, cut_);
    joined.make_room(shapes);
    std::vector<std::vector<Value>> pieces;
    for (std::int64_t begin = 0; begin < 1000; begin += 500) {
      VectorObject* const object = worker_.heap().make_vector(type, 500);
      std::memset(object->host, begin == 0 ? 0 : 1, 500 * elem_size(type));
      pieces.push_back({Value::adopt(object), numbers(3 * begin, 1500, worker_)});
      joined.put(begin, begin + 500, pieces.back(), worker_);
      EXPECT_EQ(worker_.heap().host_data(pieces.back()[0]), object->host) << "stays where it is";
    }
    const std::vector<Value> whole = joined.join(pieces, std::vector<Evaluator*>(pieces.size(), &worker_));
    ASSERT_EQ(whole.size(), 2u);
    ASSERT_EQ(whole[0].type(), type);
    ASSERT_EQ(whole[0].length(), 1000);
    const auto* bytes = static_cast<const char*>(evaluator_.heap().host_data(whole[0]));
    for (std::size_t k = 0; k < 1000 * elem_size(type); ++k) ASSERT_EQ(bytes[k], k < 500 * elem_size(type) ? 0 : 1);
    expect_numbers(whole[1], 3000);
  }
}

/// Pieces are joined only if all of them have the type of the first.
TEST_F(JoinedResultsTest, APieceOfAnotherTypeIsNotJoined) {
  const auto pieces_with = [&](Value last) {
    std::vector<std::vector<Value>> pieces{results(0, 500), results(500, 1000)};
    pieces[1][0] = std::move(last);
    return can_join(pieces);
  };
  EXPECT_TRUE(pieces_with(numbers(500, 500, worker_)));
  for (const ElemType type : {ElemType::kF32, ElemType::kF64, ElemType::kI64, ElemType::kB8})
    EXPECT_FALSE(pieces_with(Value::adopt(worker_.heap().make_vector(type, 500)))) << static_cast<int>(type);
}

TEST_F(JoinedResultsTest, ResultsOfUnpredictedLengthsAreJoined) {
  ResultShapes shapes;
  note_results(shapes, cut_, 0, 10, results(0, 10), {});
  JoinedResults joined(evaluator_, cut_);
  joined.make_room(shapes);
  std::vector<std::vector<Value>> pieces{results(0, 100), results(100, 700), results(700, 1100)};
  const std::int64_t ends[] = {100, 900, 1000};
  for (std::size_t k = 0; k < 3; ++k) joined.put(k == 0 ? 0 : ends[k - 1], ends[k], pieces[k], worker_);
  note_results(shapes, cut_, 100, 900, pieces[1], {});
  EXPECT_TRUE(shapes[0].like.empty());
  const std::vector<Value> whole = joined.join(pieces, std::vector<Evaluator*>(pieces.size(), &worker_));
  ASSERT_EQ(whole.size(), 2u);
  expect_numbers(whole[0], 1100);
  expect_numbers(whole[1], 3300);
}

TEST(DividedCall, OperandsOfOtherKindsAndLengthsDoNotFit) {
  const auto backend = conformance::make_oracle({}, conformance::Addresses::kAnyHost);
  Evaluator evaluator(*backend, {});
  const auto fits = [&](const PieceOperands& piece_operands, std::vector<Value> operands) {
    return DividedCall(evaluator, piece_operands, operands.data()).fits();
  };
  const Value one = Value::scalar<std::int32_t>(1), single = Value::single_segment(1),
              longer = Value::single_segment(2);
  const Value pair = Value::adopt(evaluator.heap().make_pair(one, one));
  EXPECT_TRUE(fits({{PieceOperand::How::kEach}}, {one}));
  EXPECT_TRUE(fits({{PieceOperand::How::kEach}, {PieceOperand::How::kWhole}}, {one, single}));
  EXPECT_FALSE(fits({{PieceOperand::How::kEach}, {PieceOperand::How::kWhole}}, {one, longer}));
  EXPECT_FALSE(fits({{PieceOperand::How::kEach}, {PieceOperand::How::kWhole}}, {one, one}));
  EXPECT_TRUE(fits({{PieceOperand::How::kEach}, {PieceOperand::How::kEach, 0}}, {single, one}));
  EXPECT_FALSE(fits({{PieceOperand::How::kEach}, {PieceOperand::How::kEach, 0}}, {longer, one}));
  EXPECT_FALSE(fits({{PieceOperand::How::kEach}, {PieceOperand::How::kEach, 0}}, {one, one}));
  EXPECT_FALSE(fits({{PieceOperand::How::kEach}}, {pair}));
  EXPECT_FALSE(fits({{PieceOperand::How::kEach}, {PieceOperand::How::kShared}}, {one, pair}));
}

/// Of several segments it would be cut to one, whichever these were.
TEST(DividedCall, AWholeOperandHasOneSegment) {
  const auto backend = conformance::make_oracle({}, conformance::Addresses::kAnyHost);
  Evaluator evaluator(*backend, {});
  const auto vector = [&](const std::vector<std::int32_t>& numbers) {
    VectorObject* object = evaluator.heap().make_vector(ElemType::kI32, std::ssize(numbers));
    std::copy(numbers.begin(), numbers.end(), static_cast<std::int32_t*>(object->host));
    return Value::adopt(object);
  };
  const auto fits = [&](const PieceOperands& piece_operands, std::vector<Value> operands) {
    return DividedCall(evaluator, piece_operands, operands.data()).fits();
  };
  const Value three = vector({7, 8, 9}), six = vector({1, 2, 3, 4, 5, 6});
  const auto descriptor = [&](const std::vector<std::int32_t>& lengths) {
    return evaluator.make_segdes(vector(lengths));
  };
  const PieceOperands of_elements{{PieceOperand::How::kEach}, {PieceOperand::How::kWhole}};
  EXPECT_TRUE(fits(of_elements, {three, Value::single_segment(3)}));
  EXPECT_TRUE(fits({{PieceOperand::How::kWhole}, {PieceOperand::How::kEach}}, {Value::single_segment(3), three}));
  for (const std::vector<std::int32_t>& lengths : {std::vector{1, 2}, {3, 0}, {0, 3}, {1, 1, 1}, {0, 0, 3}}) {
    EXPECT_FALSE(fits(of_elements, {three, descriptor(lengths)}));
    EXPECT_FALSE(fits({{PieceOperand::How::kWhole}, {PieceOperand::How::kEach}}, {descriptor(lengths), three}));
  }
  const PieceOperands of_rows{
      {PieceOperand::How::kEach}, {PieceOperand::How::kEach, 0}, {PieceOperand::How::kWhole, 0}};
  EXPECT_TRUE(fits(of_rows, {descriptor({2, 4}), six, Value::single_segment(6)}));
  EXPECT_FALSE(fits(of_rows, {descriptor({2, 4}), six, descriptor({2, 4})}));
  EXPECT_FALSE(fits(of_rows, {descriptor({2, 4}), six, Value::single_segment(2)}));
  EXPECT_FALSE(fits(of_rows, {descriptor({2, 4}), three, Value::single_segment(6)}));
}

TEST(DividedCall, OnlyValuesOfTheSameKindsAreJoined) {
  const Value one = Value::scalar<std::int32_t>(1), flag = Value::scalar(true), single = Value::single_segment(1);
  const auto joins = [](const std::vector<std::vector<Value>>& pieces) { return can_join(pieces); };
  EXPECT_TRUE(joins({{one, single}, {one, single}}));
  EXPECT_FALSE(joins({{one, single}, {one}}));
  EXPECT_FALSE(joins({{one}, {flag}}));
  EXPECT_FALSE(joins({{one}, {single}}));
}

}  // namespace
}  // namespace runtime
