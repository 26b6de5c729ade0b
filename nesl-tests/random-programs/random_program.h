#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "random_data.h"
#include "vcode/op.h"

namespace property {

using vcode::Kind;
using vcode::Op;
using vcode::Suffix;

/// A value of a random program, by number.
using ValueId = int;
/// A length that several values share, by number: unknown, but the same for all of them. 0 is the length of a scalar.
using LengthId = int;

/// Facts about a value before the program runs.
struct ValueInfo {
  Kind kind = Kind::kInt;
  LengthId length = 0;    ///< elements; for a descriptor, of the vector that it divides
  LengthId segments = 0;  ///< segments of a descriptor
  /// False for floats that may differ in their last bits between configurations.
  bool exact = true;
  bool no_empty_segment = false;    ///< descriptors: true if known to have no empty segment
  ValueId first = -1, second = -1;  ///< parts of a pair
};

struct Node;

/// A sequence of nodes that returns some of its values.
struct Block {
  std::vector<ValueId> params;
  std::vector<Node> nodes;
  std::vector<ValueId> results;
};

/// A computation in a program.
struct Node {
  enum class What {
    kConst,  ///< text
    kOp,     ///< op, suffix
    kPair,
    kUnpair,
    kIf,      ///< operands[0] chooses blocks[0] or blocks[1]
    kCall,    ///< function blocks[0] on the operands; results of a call are those of its block, renamed
    kRepeat,  ///< the last operand, the accumulator, replaced `count` times by blocks[0], by recursion
  };
  What what = What::kConst;
  Op op = Op::kExit;
  Suffix suffix = Suffix::kNone;
  std::string text = {};
  std::int64_t size = -1;  ///< value of a scalar constant that lengths come from; else -1
  std::int64_t count = 0;
  std::vector<ValueId> operands = {};
  std::vector<ValueId> results = {};
  std::vector<Block> blocks = {};
};

/// A program in which every value is named and computed once, before its conversion to stack code.
struct RandomProgram {
  std::vector<ValueInfo> values;
  std::vector<double> lengths;  ///< estimate of each LengthId
  Block main;
};

/// Makes a well-typed program of about `nodes` computations from the operation table. Most programs run
/// to the end; some are stopped by their data (an index out of range, a shift count too large).
RandomProgram make_program(cvl::conformance::Rng& rng, int nodes);

/// Adds the values that a node uses from outside, those used by its branches included.
void add_used(const Node& node, std::set<ValueId>& used);

/// The program reduced to the computations of `results`, which become its results.
RandomProgram slice(const RandomProgram& program, const std::vector<ValueId>& results);

/// The names of the results of all nodes of the main block, in order.
std::vector<ValueId> main_values(const RandomProgram& program);

/// The program as VCODE. Values are copied, or moved on their last use. `style` seeds the choices that do not change
/// the meaning, such as moving values around on the stack.
std::string print_program(const RandomProgram& program, std::uint64_t style);

}  // namespace property
