#include "jit/product_code.h"

#include <array>

#include <fmt/format.h>

#include "base/check.h"
#include "cvl/fold_order.h"
#include "jit/loop_body.h"
#include "tuning/kernel_tuning.h"

namespace cvl::cpu {

using vcode::KernelVar;

namespace {

constexpr int kSegments = kProductRows * kProductColumns;

}  // namespace

bool computes_products(const NativeTarget* target) {
  return target != nullptr && target->register_bytes >= kProductRegisterBytes;
}

ProductWriter::ProductWriter(const vcode::Kernel& kernel, const Loop& loop, std::span<const ElemType> types,
                             const NativeTarget& target)
    : kernel_(kernel),
      loop_(loop),
      types_(types),
      text_(target, lanes_of(loop, types, true, target)),
      folds_(text_, loop.folds, types),
      dependences_(types.size()),
      values_(types.size(), std::vector<LaneValue>(kSegments)) {
  VC_CHECK(loop.product && loop.folds.size() == 1);
  state_types_ = {bits()};
  for (int k = 0; k < kSegments; ++k)
    for (const std::string& type : folds_.state_types()) state_types_.push_back(type);
}

std::string ProductWriter::write(const std::string& name) {
  const Loop::Product& product = *loop_.product;
  text_.label("entry");
  load_members();
  find_dependences();
  const std::string columns = load_member(text_, loop_.arguments, product.columns_count);
  const std::string length = load_member(text_, loop_.arguments, product.length);
  const std::string last_columns = text_.define(fmt::format("sub i64 {}, {}", columns, kProductColumns));
  const std::string last_rows = text_.define(fmt::format("sub i64 %last, {}", kProductRows - 1));
  text_.line("br label %columns");

  const auto tile_of = [&](std::string_view next, const std::string& last) {
    return text_.call("i64", "llvm.smin.i64", "i64, i64", fmt::format("i64 {}, i64 {}", next, last));
  };
  text_.label("columns");
  text_.line("%c = phi i64 [ 0, %entry ], [ %c.next, %rows.done ]");
  text_.line(fmt::format("%columns.bad = phi {} [ zeroinitializer, %entry ], [ %rows.bad.next, %rows.done ]", bits()));
  const std::string column = tile_of("%c", last_columns);
  enter_slices(false, column);
  text_.line("br label %rows");

  text_.label("rows");
  text_.line("%r = phi i64 [ %first, %columns ], [ %r.next, %blocks.done ]");
  text_.line(fmt::format("%rows.bad = phi {} [ %columns.bad, %columns ], [ %rows.bad.next, %blocks.done ]", bits()));
  const std::string row = tile_of("%r", last_rows);
  enter_slices(true, row);
  text_.line("br label %blocks");

  // One block after the other (cvl/fold_order.h); of a fold that does not round all elements are one block.
  text_.label("blocks");
  const std::size_t blocks = text_.body().size();
  const Loop::Fold& fold = loop_.folds[0];
  const ElemType type = types_[fold.step->operands[0]];
  const vcode::Monoid monoid = vcode::info(fold.step->op).monoid;
  const bool by_blocks = vcode::rounds(monoid, type);
  const int lanes = text_.lanes();
  sums_.clear();
  for (int k = 0; k < kSegments; ++k) sums_.push_back({fmt::format("%sum.{}", k), type});
  const std::string end = by_blocks ? tile_of(text_.define(fmt::format("add i64 %b, {}", kFoldBlock)), length) : length;
  const std::string faults = fold_block("%b", end, "%blocks.bad");
  text_.line(fmt::format("%more = icmp slt i64 {}, {}", end, length));
  text_.line("br i1 %more, label %blocks, label %blocks.done");
  const std::string from = text_.block();
  text_.set_lanes(1);
  const std::string single = text_.type(type), identity = identity_lanes(monoid, type).text;
  text_.set_lanes(lanes);
  for (int k = kSegments; k-- > 0;)
    text_.insert(blocks, fmt::format("%sum.{} = phi {} [ {}, %rows ], [ {}, %{} ]", k, single, identity,
                                     sums_[static_cast<std::size_t>(k)].text, from));
  text_.insert(blocks, fmt::format("%blocks.bad = phi {} [ %rows.bad, %rows ], [ {}, %{} ]", bits(), faults, from));
  text_.insert(blocks, fmt::format("%b = phi i64 [ 0, %rows ], [ {}, %{} ]", end, from));

  text_.label("blocks.done");
  text_.line(fmt::format("%rows.bad.next = phi {} [ {}, %{} ]", bits(), faults, from));
  store_sums(row, column);
  text_.line(fmt::format("%r.next = add i64 {}, {}", row, kProductRows));
  text_.line("%rows.more = icmp sle i64 %r.next, %last");
  text_.line("br i1 %rows.more, label %rows, label %rows.done");
  text_.label("rows.done");
  text_.line(fmt::format("%c.next = add i64 {}, {}", column, kProductColumns));
  text_.line(fmt::format("%columns.more = icmp slt i64 %c.next, {}", columns));
  text_.line("br i1 %columns.more, label %columns, label %finish");
  text_.label("finish");
  const std::string bad = text_.call("i1", fmt::format("llvm.vector.reduce.or.v{}i1", text_.lanes()), bits(),
                                     fmt::format("{} %rows.bad.next", bits()));
  text_.line(fmt::format("ret i1 {}", bad));
  return fmt::format("define i1 @\"{}\"(ptr %arguments, i64 %first, i64 %last) #0 {{\n{}}}\n\n", name, text_.body());
}

void ProductWriter::load_members() {
  const auto load = [&](kernels::Member member) { return load_member(text_, loop_.arguments, member); };
  row_distance_ = load(loop_.product->row_distance);
  column_distance_ = load(loop_.product->column_distance);
  for (const Loop::Input& input : loop_.inputs) {
    text_.line(fmt::format("; {}", kernel_.values[input.value].name));
    if (input.access == Loop::Access::kSlice) {
      slices_.push_back({&input, load(input.source), load(input.per_segment), {}});
      continue;
    }
    VC_CHECK(input.access == Loop::Access::kSpread);
    const ElemType type = types_[input.value];
    const std::string element =
        text_.define(fmt::format("load {}, ptr {}", LlvmText::stored(type), load(input.per_segment)));
    LaneValue& value = values_[input.value][0];
    value = text_.from_stored(type, text_.spread(type, element));
    if (is_divisor(loop_, types_, input.value, text_.target())) lower_divisor(text_, value);
  }
  result_ = load(loop_.folds[0].result);
}

/// Loads where the slices of a tile begin that depend on its row, or on its column.
void ProductWriter::enter_slices(bool by_row, const std::string& first) {
  for (Slice& slice : slices_) {
    if (is_by_row(slice) != by_row) continue;
    const std::string_view number = LlvmText::stored(types_[slice.input->segments]);
    slice.addresses.clear();
    for (int k = 0; k < (by_row ? kProductRows : kProductColumns); ++k) {
      const std::string place = text_.define(fmt::format("add i64 {}, {}", first, k));
      const std::string segment =
          text_.define(fmt::format("mul i64 {}, {}", place, by_row ? row_distance_ : column_distance_));
      const std::string address =
          text_.define(fmt::format("getelementptr {}, ptr {}, i64 {}", number, slice.starts, segment));
      std::string start = text_.define(fmt::format("load {}, ptr {}", number, address));
      if (number != "i64") start = text_.define(fmt::format("sext {} {} to i64", number, start));
      slice.addresses.push_back(element_address(text_, types_[slice.input->value], slice.table, start));
    }
  }
}

void ProductWriter::find_dependences() {
  for (const Slice& slice : slices_) dependences_[slice.input->value] = {is_by_row(slice), !is_by_row(slice)};
  for (const vcode::Kernel::Step* step : loop_.steps) {
    Dependence& result = dependences_[step->results[0]];
    for (const KernelVar v : step->operands) {
      result.on_row |= dependences_[v].on_row;
      result.on_column |= dependences_[v].on_column;
    }
  }
}

/// A value for a segment of the tile. Segments for which it does not differ have it in common.
LaneValue& ProductWriter::at(KernelVar v, int row, int column) {
  const Dependence& dependence = dependences_[v];
  return values_[v][static_cast<std::size_t>((dependence.on_row ? row : 0) * kProductColumns +
                                             (dependence.on_column ? column : 0))];
}

/// Adds the folds of elements [begin, end) of the tile's segments to sums_. Returns the lanes at fault so far.
std::string ProductWriter::fold_block(const std::string& begin, const std::string& end, const std::string& faults) {
  State state = {{faults, ElemType::kB8}};
  for (int k = 0; k < kSegments; ++k)
    for (const LaneValue& sum : folds_.initial()) state.push_back(sum);
  const Source done = write_turns({text_.block(), begin, state}, end);
  const auto count = static_cast<std::ptrdiff_t>((done.state.size() - 1) / kSegments);
  const vcode::Monoid monoid = vcode::info(loop_.folds[0].step->op).monoid;
  const int lanes = text_.lanes();
  for (std::ptrdiff_t k = 0; k < kSegments; ++k) {
    const LaneValue block = folds_.end(
        std::span(done.state).subspan(static_cast<std::size_t>(1 + k * count), static_cast<std::size_t>(count)), "")[0];
    LaneValue& sum = sums_[static_cast<std::size_t>(k)];
    text_.set_lanes(1);
    sum = lower_combination(text_, monoid, block, sum);
    text_.set_lanes(lanes);
  }
  return done.state[0].text;
}

/// Computes the elements from those of `before` up to `end` by turns of as many vectors as a fold has accumulators for;
/// the last turn with masks. Returns where that ends.
ProductWriter::Source ProductWriter::write_turns(const Source& before, const std::string& end) {
  const int vectors = folds_.vectors_in_turn(), n = text_.lanes();
  const auto element_behind = [&](const std::string& e, int count) {
    return text_.define(fmt::format("add i64 {}, {}", e, count));
  };
  const std::string bound = text_.define(fmt::format("sub i64 {}, {}", end, vectors * n));
  const std::string whole = text_.define(fmt::format("icmp sle i64 {}, {}", before.element, bound));
  text_.line(fmt::format("br i1 {}, label %turn, label %rest", whole));

  text_.label("turn");
  const std::size_t turn = text_.body().size();
  State state = named("turn");
  std::string e = "%turn.e";
  for (int k = 0; k < vectors; ++k) {
    compute(e, "", state, k);
    e = element_behind(e, n);
  }
  text_.line(fmt::format("%turn.more = icmp sle i64 {}, {}", e, bound));
  text_.line("br i1 %turn.more, label %turn, label %rest");
  const Source looped{text_.block(), e, state};
  insert_phis(turn, "turn", {before, looped});

  text_.label("rest");
  insert_phis(text_.body().size(), "rest", {before, looped});
  state = named("rest");
  e = "%rest.e";
  std::vector<Source> to_done;
  for (int k = 0; k < vectors; ++k) {
    const std::string left = text_.define(fmt::format("icmp slt i64 {}, {}", e, end));
    to_done.push_back({text_.block(), e, state});
    text_.line(fmt::format("br i1 {}, label %last.{}, label %folded", left, k));
    text_.label(fmt::format("last.{}", k));
    compute(e, lanes_that(text_, "slt", text_.define(fmt::format("sub i64 {}, {}", end, e))), state, k);
    e = element_behind(e, n);
  }
  to_done.push_back({text_.block(), e, state});
  text_.line("br label %folded");
  text_.label("folded");
  insert_phis(text_.body().size(), "folded", to_done);
  return {"folded", "%folded.e", named("folded")};
}

/// Computes the elements from `e` on, those in the mask if it is not empty, of all segments of the tile.
void ProductWriter::compute(const std::string& e, const std::string& mask, State& state, int vector) {
  for (Slice& slice : slices_) {
    const KernelVar v = slice.input->value;
    for (int k = 0; k < static_cast<int>(slice.addresses.size()); ++k)
      at(v, k, k) = lower_load(
          text_, types_[v], element_address(text_, types_[v], slice.addresses[static_cast<std::size_t>(k)], e), mask);
  }
  const KernelVar folded = loop_.folds[0].step->operands[0];
  const std::size_t count = (state.size() - 1) / kSegments;
  std::vector<LaneValue> values(types_.size());
  for (int row = 0; row < kProductRows; ++row)
    for (int column = 0; column < kProductColumns; ++column) {
      for (const vcode::Kernel::Step* step : loop_.steps) {
        const KernelVar result = step->results[0];
        const Dependence& dependence = dependences_[result];
        if ((!dependence.on_row && row > 0) || (!dependence.on_column && column > 0)) continue;
        std::array<LaneValue, 3> operands;
        VC_CHECK(step->operands.size() <= operands.size());
        for (std::size_t k = 0; k < step->operands.size(); ++k) operands[k] = at(step->operands[k], row, column);
        LoweredOperation lowered = lower_elementwise(text_, step->op, step->suffix, types_[result], operands);
        at(result, row, column) = lowered.value;
        if (lowered.faults.empty()) continue;
        if (!mask.empty()) lowered.faults = text_.define(fmt::format("and {} {}, {}", bits(), lowered.faults, mask));
        state[0].text = text_.define(fmt::format("or {} {}, {}", bits(), state[0].text, lowered.faults));
      }
      values[folded] = at(folded, row, column);
      const auto segment = static_cast<std::size_t>(row * kProductColumns + column);
      folds_.add(std::span(state).subspan(1 + segment * count, count), values, mask, vector);
    }
}

/// Names of the state at the beginning of a basic block.
ProductWriter::State ProductWriter::named(std::string_view block) const {
  State state(state_types_.size());
  state[0] = {fmt::format("%{}.0", block), ElemType::kB8};
  const ElemType type = types_[loop_.folds[0].step->operands[0]];
  for (std::size_t k = 1; k < state.size(); ++k) state[k] = {fmt::format("%{}.{}", block, k), type};
  return state;
}

/// Inserts, at the beginning of a basic block (position `position` of the text), the element and the state as they come
/// from other blocks.
void ProductWriter::insert_phis(std::size_t position, std::string_view block, const std::vector<Source>& sources) {
  const auto insert = [&](const std::string& name, const std::string& type, auto&& value_of) {
    std::string values;
    for (const Source& source : sources)
      values += fmt::format("{}[ {}, %{} ]", values.empty() ? "" : ", ", value_of(source), source.block);
    text_.insert(position, fmt::format("%{}.{} = phi {} {}", block, name, type, values));
  };
  for (std::size_t k = state_types_.size(); k-- > 0;)
    insert(fmt::format("{}", k), state_types_[k], [&](const Source& source) { return source.state[k].text; });
  insert("e", "i64", [](const Source& source) { return source.element; });
}

void ProductWriter::store_sums(const std::string& row, const std::string& column) {
  const std::string_view stored = LlvmText::stored(types_[loop_.folds[0].step->operands[0]]);
  const std::string of_row = text_.define(fmt::format("mul i64 {}, {}", row, row_distance_));
  const std::string of_column = text_.define(fmt::format("mul i64 {}, {}", column, column_distance_));
  std::string segment = text_.define(fmt::format("add i64 {}, {}", of_row, of_column));
  for (int r = 0; r < kProductRows; ++r) {
    std::string here = segment;
    for (int c = 0; c < kProductColumns; ++c) {
      folds_.store(0, sums_[static_cast<std::size_t>(r * kProductColumns + c)], 1,
                   text_.define(fmt::format("getelementptr {}, ptr {}, i64 {}", stored, result_, here)));
      here = text_.define(fmt::format("add i64 {}, {}", here, column_distance_));
    }
    segment = text_.define(fmt::format("add i64 {}, {}", segment, row_distance_));
  }
}

}  // namespace cvl::cpu
