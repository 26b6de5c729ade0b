#include "jit/loop_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "jit/lanes_code.h"
#include "jit/loop_body.h"
#include "jit/product_code.h"

namespace cvl::cpu {

namespace {

/// `name` with the characters escaped that cannot be written between quotation marks.
std::string quoted(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c >= ' ' && c <= '~' && c != '"' && c != '\\')
      text += c;
    else
      text += fmt::format("\\{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

/// Writes a function of a loop: the loops over elements and segments around its body.
class LoopWriter {
 public:
  LoopWriter(const vcode::Kernel& kernel, const Loop& loop, std::span<const ElemType> types, bool by_segments,
             const NativeTarget& target)
      : loop_(loop),
        by_segments_(by_segments),
        text_(target, lanes_of(loop, types, by_segments, target)),
        body_(text_, kernel, loop, types, by_segments) {}

  /// The text of the function, with a name that is written between quotation marks.
  std::string write(const std::string& name) {
    text_.label("entry");
    body_.load_members();
    if (by_segments_) {
      write_segments();
    } else {
      state_ = body_.initial_state({"zeroinitializer", ElemType::kB8}, begin_);
      write_range("entry");
      body_.end_state(state_);
      write_return(state_[0].text);
    }
    return fmt::format("define i1 @\"{}\"(ptr %arguments, i64 %{}, i64 %{}) #0 {{\n{}}}\n\n", name,
                       by_segments_ ? "first" : "begin", by_segments_ ? "last" : "end", text_.body());
  }
  const std::set<std::string>& declarations() const { return text_.declarations(); }

 private:
  /// A basic block from which another one is entered, the element that is next then, and the state.
  struct Source {
    std::string block, element;
    LoopBody::State state;
  };

  /// Computes elements begin_ to end_ from the current state, in basic blocks that follow `before`; ends in the block
  /// %done with the state updated. The interior, if there is one, has a loop of its own; another one computes whole
  /// vectors before and behind it, unless that would be much code, and %tail the rest.
  void write_range(const std::string& before) {
    if (const int vectors = body_.vectors_in_turn(); vectors > 1) return write_turns(before, vectors);
    std::vector<Source> to_next = {{before, begin_, state_}};
    const std::string last = text_.define(fmt::format("sub i64 {}, {}", end_, text_.lanes()));
    std::string inner_begin, inner_end, is_strided;
    const auto is_inside = [&](std::string_view element) {
      const std::string behind = text_.define(fmt::format("icmp sge i64 {}, {}", element, inner_begin));
      const std::string ahead = text_.define(fmt::format("icmp slt i64 {}, {}", element, inner_end));
      return text_.define(fmt::format("and i1 {}, {}", behind, ahead));
    };
    /// `here` before the interior, otherwise `elsewhere`.
    const auto if_before = [&](std::string_view element, const std::string& here, const std::string& elsewhere) {
      const std::string is_before = text_.define(fmt::format("icmp slt i64 {}, {}", element, inner_begin));
      return text_.define(fmt::format("select i1 {}, i64 {}, i64 {}", is_before, here, elsewhere));
    };
    if (body_.has_interior()) {
      const InteriorWriter& interior = body_.enter_interior(begin_, end_);
      inner_begin = interior.begin();
      inner_end = interior.end();
      is_strided = interior.is_strided();
      to_next[0].block = text_.block();
    }
    text_.line("br label %next");

    text_.label("next");
    const std::size_t head = text_.body().size();
    Source to_loop{"next", "%n", named("next")};
    std::string bound = last;
    if (body_.has_interior()) {
      text_.line(fmt::format("br i1 {}, label %within, label %outer", is_inside("%n")));
      text_.label("within");
      to_loop.block = "within";
      text_.line(is_strided.empty() ? "br label %inner"
                                    : fmt::format("br i1 {}, label %strided, label %inner", is_strided));
      body_.set_inside(true);
      to_next.push_back(write_loop("inner", "i", to_loop, inner_end, true, "next"));
      if (!is_strided.empty()) {
        body_.set_inside(true, true);
        to_next.push_back(write_loop("strided", "j", to_loop, inner_end, true, "next"));
      }
      body_.set_inside(false);
      text_.label("outer");
      to_loop.block = "outer";
      bound = if_before("%n", text_.define(fmt::format("sub i64 {}, {}", inner_begin, text_.lanes())), last);
    }
    std::vector<Source> to_rest = {to_loop};
    if (body_.has_loop_outside()) {
      const std::string whole = text_.define(fmt::format("icmp sle i64 %n, {}", bound));
      text_.line(fmt::format("br i1 {}, label %loop, label %rest", whole));
      to_rest.push_back(write_loop("loop", "e", to_loop, bound, false, "rest"));
    } else {
      text_.line("br label %rest");
    }

    text_.label("rest");
    insert_phis(text_.body().size(), "rest", "r", to_rest);
    text_.line(fmt::format("%left = icmp slt i64 %r, {}", end_));
    std::string end = end_;
    if (body_.has_interior()) {
      text_.line("br i1 %left, label %more, label %done");
      text_.label("more");
      text_.line(fmt::format("br i1 {}, label %next, label %tail", is_inside("%r")));
      to_next.push_back({"more", "%r", named("rest")});
    } else {
      text_.line("br i1 %left, label %tail, label %done");
    }

    text_.label("tail");
    if (body_.has_interior()) end = if_before("%r", inner_begin, end_);
    state_ = named("rest");
    const std::string present = lanes_that(text_, "slt", text_.define(fmt::format("sub i64 {}, %r", end)));
    body_.compute("%r", present, state_);
    std::string following = text_.define(fmt::format("add i64 %r, {}", text_.lanes()));
    if (body_.has_interior())
      following = text_.call("i64", "llvm.smin.i64", "i64, i64", fmt::format("i64 {}, i64 {}", following, end));
    text_.line("br label %next");
    to_next.push_back({text_.block(), following, state_});
    insert_phis(head, "next", "n", to_next);

    text_.label("done");
    state_ = named("rest");
  }

  /// Computes elements begin_ to end_ as write_range() does, by turns of so many vectors; the last turn with masks.
  void write_turns(const std::string& before, int vectors) {
    const Source entry{before, begin_, state_};
    const std::string bound = text_.define(fmt::format("sub i64 {}, {}", end_, vectors * text_.lanes()));
    const std::string whole = text_.define(fmt::format("icmp sle i64 {}, {}", begin_, bound));
    text_.line(fmt::format("br i1 {}, label %turn, label %rest", whole));
    const Source looped = write_loop("turn", "e", entry, bound, false, "rest", vectors);
    text_.label("rest");
    insert_phis(text_.body().size(), "rest", "r", {entry, looped});
    state_ = named("rest");
    std::string element = "%r";
    std::vector<Source> to_done;
    for (int k = 0; k < vectors; ++k) {
      const std::string left = text_.define(fmt::format("icmp slt i64 {}, {}", element, end_));
      to_done.push_back({text_.block(), element, state_});
      text_.line(fmt::format("br i1 {}, label %last.{}, label %done", left, k));
      text_.label(fmt::format("last.{}", k));
      const std::string present = lanes_that(text_, "slt", text_.define(fmt::format("sub i64 {}, {}", end_, element)));
      body_.compute(element, present, state_, k);
      element = text_.define(fmt::format("add i64 {}, {}", element, text_.lanes()));
    }
    to_done.push_back({text_.block(), element, state_});
    text_.line("br label %done");
    text_.label("done");
    insert_phis(text_.body().size(), "done", "d", to_done);
    state_ = named("done");
  }

  /// Writes a loop over whole vectors of elements, `vectors` at a time, which is entered from `before` and left to the
  /// block `after`. It goes on up to the vector that begins at `bound` or, if it `overlaps`, up to element `bound`,
  /// before which its last vector ends. Returns how `after` is entered.
  Source write_loop(const std::string& block, const std::string& element, const Source& before,
                    const std::string& bound, bool overlaps, std::string_view after, int vectors = 1) {
    const int n = vectors * text_.lanes();
    text_.label(block);
    const std::size_t position = text_.body().size();
    state_ = named(block);
    body_.compute("%" + element, "", state_);
    for (int k = 1; k < vectors; ++k)
      body_.compute(text_.define(fmt::format("add i64 %{}, {}", element, k * text_.lanes())), "", state_, k);
    std::string again;
    if (overlaps) {
      const std::string behind = text_.define(fmt::format("add i64 %{}, {}", element, n));
      again = text_.define(fmt::format("icmp slt i64 {}, {}", behind, bound));
      const std::string last = text_.define(fmt::format("sub i64 {}, {}", bound, n));
      const std::string next =
          text_.call("i64", "llvm.smin.i64", "i64, i64", fmt::format("i64 {}, i64 {}", behind, last));
      text_.line(fmt::format("%{}.next = select i1 {}, i64 {}, i64 {}", element, again, next, bound));
    } else {
      text_.line(fmt::format("%{0}.next = add i64 %{0}, {1}", element, n));
      again = text_.define(fmt::format("icmp sle i64 %{}.next, {}", element, bound));
    }
    text_.line(fmt::format("br i1 {}, label %{}, label %{}", again, block, after));
    const Source looped{text_.block(), fmt::format("%{}.next", element), state_};
    insert_phis(position, block, element, {before, looped});
    return looped;
  }

  /// Computes segments %first to %last, each from its start or the start of the range.
  void write_segments() {
    const std::string starts = load_member(text_, loop_.arguments, loop_.starts);
    const std::string from = load_member(text_, loop_.arguments, loop_.range_begin);
    const std::string to = load_member(text_, loop_.arguments, loop_.range_end);
    body_.set_range_end(to);
    text_.line("br label %segment");

    text_.label("segment");
    text_.line("%k = phi i64 [ %first, %entry ], [ %following, %closed ]");
    text_.line(fmt::format("%bad = phi {} [ zeroinitializer, %entry ], [ %bad.so.far, %closed ]", bits()));
    const std::string bound = text_.define(fmt::format("getelementptr i64, ptr {}, i64 %k", starts));
    text_.line(fmt::format("%start = load i64, ptr {}", bound));
    text_.line(
        fmt::format("%stop = load i64, ptr {}", text_.define(fmt::format("getelementptr i64, ptr {}, i64 1", bound))));
    begin_ = text_.call("i64", "llvm.smax.i64", "i64, i64", fmt::format("i64 %start, i64 {}", from));
    end_ = text_.call("i64", "llvm.smin.i64", "i64, i64", fmt::format("i64 %stop, i64 {}", to));
    text_.line(fmt::format("%some = icmp slt i64 {}, {}", begin_, end_));
    text_.line("br i1 %some, label %open, label %none");

    text_.label("none");
    body_.store_nothing("%k", text_.define("icmp eq i64 %start, %stop"));
    text_.line("br label %closed");

    text_.label("open");
    const std::string inside = body_.enter_segment("%k", "%start", begin_, end_);
    std::string before = text_.block();
    if (!inside.empty()) {
      before = "inside";
      text_.line(fmt::format("br i1 {}, label %inside, label %outside", inside));
      text_.label("inside");
    }
    state_ = body_.initial_state({"%bad", ElemType::kB8}, begin_);
    write_range(before);
    body_.end_state(state_);
    body_.store_segment("%k", state_, text_.define(fmt::format("sub i64 {}, {}", end_, begin_)));
    text_.line("br label %closed");

    text_.label("closed");
    text_.line(fmt::format("%bad.so.far = phi {} [ %bad, %none ], [ {}, %done ]", bits(), state_[0].text));
    text_.line("%following = add i64 %k, 1");
    text_.line("%again = icmp sle i64 %following, %last");
    text_.line("br i1 %again, label %segment, label %finish");
    text_.label("finish");
    write_return("%bad.so.far");
    if (inside.empty()) return;
    text_.label("outside");
    text_.line("ret i1 true");
  }

  void write_return(const std::string& faults) {
    const std::string bad = text_.call("i1", fmt::format("llvm.vector.reduce.or.v{}i1", text_.lanes()), bits(),
                                       fmt::format("{} {}", bits(), faults));
    text_.line(fmt::format("ret i1 {}", bad));
  }

  /// Names of the state at the beginning of a basic block.
  LoopBody::State named(std::string_view block) const {
    LoopBody::State state = state_;
    for (std::size_t k = 0; k < state.size(); ++k) state[k].text = fmt::format("%{}.{}", block, k);
    return state;
  }
  /// Inserts, at the beginning of a basic block (position `position` of the text), the number of an element and the
  /// state as they come from other blocks.
  void insert_phis(std::size_t position, std::string_view block, std::string_view element,
                   const std::vector<Source>& sources) {
    const auto insert = [&](const std::string& name, const std::string& type, auto&& value_of) {
      std::string values;
      for (const Source& source : sources)
        values += fmt::format("{}[ {}, %{} ]", values.empty() ? "" : ", ", value_of(source), source.block);
      text_.insert(position, fmt::format("%{} = phi {} {}", name, type, values));
    };
    const std::vector<std::string> types = body_.state_types();
    for (std::size_t k = types.size(); k-- > 0;)
      insert(fmt::format("{}.{}", block, k), types[k], [&](const Source& source) { return source.state[k].text; });
    insert(std::string(element), "i64", [](const Source& source) { return source.element; });
  }

  std::string bits() const { return text_.type(ElemType::kB8); }

  const Loop& loop_;
  bool by_segments_;
  LlvmText text_;
  LoopBody body_;
  LoopBody::State state_;                        ///< loop-carried state
  std::string begin_ = "%begin", end_ = "%end";  ///< the elements that write_range() computes
};

}  // namespace

void LoopModule::add(const std::string& name, const vcode::Kernel& kernel, const Loop& loop,
                     std::span<const ElemType> types, Loop::Form form) {
  VC_CHECK(loop.has(form));
  const auto take = [&](auto&& writer) {
    functions_ += writer.write(quoted(name));
    declarations_.insert(writer.declarations().begin(), writer.declarations().end());
  };
  if (form == Loop::Form::kLanes)
    take(LanesWriter(kernel, loop, types, target_));
  else if (form == Loop::Form::kProduct)
    take(ProductWriter(kernel, loop, types, target_));
  else
    take(LoopWriter(kernel, loop, types, form == Loop::Form::kNest, target_));
}

std::string LoopModule::text() const {
  std::string attributes = fmt::format("nounwind {}\"target-cpu\"=\"{}\"", can_unwind_ ? "uwtable " : "", target_.cpu);
  if (target_.is_x86())  // otherwise LLVM would not use whole registers
    attributes +=
        fmt::format(" \"prefer-vector-width\"=\"{0}\" \"min-legal-vector-width\"=\"{0}\"", 8 * target_.register_bytes);
  return fmt::format("target triple = \"{}\"\n\n{}{}\n!0 = !{{i32 1}}\nattributes #0 = {{ {} }}\n", target_.triple,
                     functions_, fmt::join(declarations_, "\n"), attributes);
}

}  // namespace cvl::cpu
