#pragma once

#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "jit/lower_folds.h"
#include "kernels/loop.h"
#include "lanes/llvm_text.h"
#include "lanes/lower_elementwise.h"
#include "vcode/kernel.h"

namespace cvl::cpu {

/// Whether the form kProduct is compiled for a target, which may be null: its accumulators fit into the registers.
bool computes_products(const NativeTarget* target);

/// Writes the function of a loop whose segments are pairs of rows x and columns y: for rows %first to %last it computes
/// all columns, a tile of kProductRows rows and kProductColumns columns at a time ("register blocking", as in GotoBLAS:
/// Goto and van de Geijn, Anatomy of high-performance matrix multiplication, ACM TOMS 34, 2008). The columns of a tile
/// are used for all rows, so that they stay in the first-level cache. The last tiles overlap with those before them.
/// There must be as many rows and columns as a tile has, and slices must be within their tables.
class ProductWriter {
 public:
  ProductWriter(const vcode::Kernel& kernel, const Loop& loop, std::span<const ElemType> types,
                const NativeTarget& target);

  /// The text of the function, with a name that is written between quotation marks.
  std::string write(const std::string& name);
  const std::set<std::string>& declarations() const { return text_.declarations(); }

 private:
  /// On which of row and column of a tile a value depends.
  struct Dependence {
    bool on_row = false, on_column = false;
  };
  struct Slice {
    const Loop::Input* input = nullptr;
    std::string table, starts;           ///< members of the function's argument
    std::vector<std::string> addresses;  ///< of the slices of the tile
  };
  /// Loop-carried: lanes at fault, then the accumulators of each segment of the tile.
  using State = std::vector<LaneValue>;
  /// A basic block from which another one is entered, the element that is next then, and the state.
  struct Source {
    std::string block, element;
    State state;
  };

  void load_members();
  bool is_by_row(const Slice& slice) const { return slice.input->segments == loop_.product->rows; }
  void enter_slices(bool by_row, const std::string& first);
  void find_dependences();
  std::string fold_block(const std::string& begin, const std::string& end, const std::string& faults);
  Source write_turns(const Source& before, const std::string& end);
  void compute(const std::string& e, const std::string& mask, State& state, int vector);
  LaneValue& at(vcode::KernelVar v, int row, int column);
  State named(std::string_view block) const;
  void insert_phis(std::size_t position, std::string_view block, const std::vector<Source>& sources);
  void store_sums(const std::string& row, const std::string& column);

  std::string bits() const { return text_.type(ElemType::kB8); }

  const vcode::Kernel& kernel_;
  const Loop& loop_;
  std::span<const ElemType> types_;
  LlvmText text_;
  FoldWriter folds_;
  std::vector<Slice> slices_;
  std::vector<Dependence> dependences_;         ///< by value
  std::vector<std::vector<LaneValue>> values_;  ///< by value: for each segment of the tile that it differs for
  std::vector<std::string> state_types_;
  std::vector<LaneValue> sums_;  ///< of the blocks before the present one, by segment of the tile
  std::string result_;           ///< address of the result for segment 0
  std::string row_distance_, column_distance_;
};

}  // namespace cvl::cpu
