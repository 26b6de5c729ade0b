// Primitives of the prelude.
#include "primitives.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "levels/fetch.h"

namespace nesl {

namespace {

/// Splits a tuple into `count` components; the last may be a tuple again.
std::vector<ValuePtr> components(const ValuePtr& value, int count) {
  std::vector<ValuePtr> parts;
  ValuePtr rest = value;
  for (int i = 1; i < count; ++i) {
    VC_CHECK(rest->kind == FlatValue::Kind::kPair);
    parts.push_back(rest->parts[0]);
    rest = rest->parts[1];
  }
  parts.push_back(rest);
  return parts;
}

std::vector<Type*> components(Type* type, int count) {
  std::vector<Type*> parts;
  for (int i = 1; i < count; ++i) {
    type = resolve(type);
    VC_CHECK(type->kind == Type::Kind::kPair);
    parts.push_back(type->arguments[0]);
    type = type->arguments[1];
  }
  parts.push_back(type);
  return parts;
}

bool is_segmented(Op op) {
  const auto& info = vcode::info(op);
  return info.op_class == vcode::OpClass::kScan || info.op_class == vcode::OpClass::kReduce ||
         info.op_class == vcode::OpClass::kArgReduce ||
         (info.op_class == vcode::OpClass::kVector && info.signature.operand_count == 2 &&
          info.signature.operands[0].length == info.signature.operands[1].length &&
          info.signature.operands[1].type == vcode::RoleType::kSegdes && info.signature.result_count == 1);
}

}  // namespace

ValuePtr Primitives::primitive(const Definition& definition, ValuePtr argument, Type* argument_type,
                               Type* result_type) {
  const Intrinsic which = definition.intrinsic;
  if (!takes_slices(which)) argument = levels_.copied(argument);
  if (!definition.instruction.empty()) {
    if (argument->kind == FlatValue::Kind::kSequence && argument->parts[0]->kind != FlatValue::Kind::kScalar)
      context_.fail_here(
          fmt::format("there is no {} for arguments of type {}", definition.name, to_text(argument_type)));
    auto found = find_instruction(definition);
    VC_CHECK(found);
    return instruction(*found, definition.failure, argument, result_type);
  }
  auto at = [&](int count) { return components(argument, count); };
  switch (which) {
    case Intrinsic::kAppend:
      return values_.append(at(2));
    case Intrinsic::kConditionalPut:
      return put(at(4)[0], at(4)[1], at(4)[2].get(), at(4)[3]);
    case Intrinsic::kDistribute:
      return distribute(at(2)[0], at(2)[1]);
    case Intrinsic::kElement:
      return indexing_.element(at(2)[0], at(2)[1], "Sequence reference (a[i]) out of bounds.");
    case Intrinsic::kError:
      return stop(argument, result_type);
    case Intrinsic::kFlatten:
      return flatten(argument);
    case Intrinsic::kGet:
      return indexing_.get(at(2)[0], levels_.copied(at(2)[1]), "Index out of bounds for function ->.");
    case Intrinsic::kIota:
      return iota(at(3)[0], at(3)[1], at(3)[2]);
    case Intrinsic::kLength:
      if (argument->kind == FlatValue::Kind::kSlice) return scalar_value(argument->var, argument->level);
      return scalar_value(emit().op(Op::kLengths, Suffix::kNone, {argument->var}), argument->level);
    case Intrinsic::kMerge:
      return merge(at(3)[0], at(3)[1], at(3)[2]);
    case Intrinsic::kOccurrences:
      return occurrences(at(3)[0], at(3)[1], at(3)[2]);
    case Intrinsic::kPack:
      return pack(argument);
    case Intrinsic::kPartition:
      return partition(at(2)[0], at(2)[1]);
    case Intrinsic::kPermute:
      return permute(at(2)[0], at(2)[1]);
    case Intrinsic::kPut:
      return put(at(3)[0], at(3)[1], nullptr, at(3)[2]);
    case Intrinsic::kReadObject:
      return read_object(at(2)[0], at(2)[1], components(argument_type, 2)[0]);
    case Intrinsic::kReplace:
      return replace(at(3)[0], at(3)[1], at(3)[2]);
    case Intrinsic::kSelect: {
      auto parts = at(3);
      const int varies = max_level(*argument);
      return levels_.at_level(varies, [&] {
        return values_.select(levels_.lift_here(parts[0])->var, levels_.lift_here(parts[1]),
                              levels_.lift_here(parts[2]));
      });
    }
    case Intrinsic::kSubsequence: {
      auto parts = at(3);
      return indexing_.subsequence(*parts[0], parts[1], parts[2]);
    }
    case Intrinsic::kTypeText:
      return values_.string_value(to_text(argument_type));
    case Intrinsic::kWriteObject:
      return write_object(at(2)[0], at(2)[1]);
    case Intrinsic::kWriteText:
      return write_text(at(2)[0], at(2)[1]);
    case Intrinsic::kCombiningPut:  // a specialization is called
    case Intrinsic::kCheck:         // only lower_call() knows the messages
    case Intrinsic::kCheckNumbers:
    case Intrinsic::kNone:
      break;
  }
  context_.fail_here(fmt::format("there is no {} for arguments of type {}", definition.name, to_text(argument_type)));
}

ValuePtr Primitives::instruction(const PrimitiveInstruction& which, const std::string& failure,
                                 const ValuePtr& argument, Type* result_type) {
  const Op op = which.op;
  const auto& info = vcode::info(op);
  if (info.op_class == vcode::OpClass::kSystem) return system_instruction(which, argument, result_type);
  if (!is_segmented(op)) return elementwise(op, failure, argument);
  // The sequence keeps its nesting level: its descriptor has a segment for each instance.
  if (!failure.empty()) require_elements(*argument, failure);
  const Var data = argument->parts[0]->var;
  const Suffix of_data = suffix_of(emit().kind(data));
  const bool is_bare = info.takes(Suffix::kNone) && !info.takes(of_data);
  const Suffix suffix = is_bare ? Suffix::kNone : of_data;
  const Var result = emit().op(op, suffix, {data, argument->var});
  if (info.signature.results[0].length == info.signature.operands[1].segments)
    return scalar_value(result, argument->level);
  return sequence_value(argument->var, scalar_value(result, 0), argument->level);
}

void Primitives::require_elements(const FlatValue& sequence, const std::string& failure) {
  const Var lengths = emit().op(Op::kLengths, Suffix::kNone, {sequence.var});
  const Var here = levels_.lift_here(scalar_value(lengths, sequence.level))->var;
  checks_.check_flags(emit().op(Op::kGreater, Suffix::kInt, {here, levels_.spread(0)}), failure, {});
}

ValuePtr Primitives::elementwise(Op op, const std::string& failure, const ValuePtr& argument) {
  const auto& signature = vcode::info(op).signature;
  auto operands = components(argument, signature.operand_count);
  Suffix suffix = Suffix::kNone;
  if (!vcode::info(op).takes(Suffix::kNone)) {
    for (int i = 0; i < signature.operand_count; ++i)
      if (signature.operands[i].type == vcode::RoleType::kSuffix) suffix = suffix_of(emit().kind(operands[i]->var));
  }
  // An operation that draws or may fail must do so once for each instance of the current nesting level.
  const bool alone = letform::has_effect(op, suffix);
  int to = alone ? levels_.depth() : 0;
  for (const auto& operand : operands) to = std::max(to, operand->level);
  std::vector<Var> vars;
  for (const auto& operand : operands) vars.push_back(levels_.lift(operand, to)->var);
  if (!alone) return scalar_value(emit().op(op, suffix, std::move(vars)), to);
  Location here = levels_.location(failure);
  return scalar_value(emit().op(op, suffix, std::move(vars), &here), to);
}

ValuePtr Primitives::system_instruction(const PrimitiveInstruction& which, const ValuePtr& argument,
                                        Type* result_type) {
  const Op op = which.op;
  const auto& signature = vcode::info(op).signature;
  std::vector<Var> operands;
  Suffix suffix = which.suffix;
  if (signature.operand_count > 0) {
    for (const auto& part : components(argument, signature.operand_count)) {
      ValuePtr value = levels_.lift_here(part);
      operands.push_back(value->kind == FlatValue::Kind::kSequence ? value->parts[0]->var : value->var);
    }
    if (suffix == Suffix::kNone && !vcode::info(op).takes(Suffix::kNone)) suffix = suffix_of(emit().kind(operands[0]));
  }
  Location here = levels_.location("");
  auto results = emit().op_all(op, suffix, std::move(operands), &here);
  auto types = components(result_type, signature.result_count);
  ValuePtr value;
  for (std::size_t r = results.size(); r-- > 0;) {
    ValuePtr part;
    Type* const type = resolve(types[r]);
    if (type->kind == Type::Kind::kSequence) {
      if (resolve(type->arguments[0])->kind == Type::Kind::kChar) results[r] = emit().as_bytes(results[r]);
      ValuePtr data = scalar_value(results[r], 0);
      part = sequence_value(single_over(emit(), *data), data, levels_.depth());
    } else {
      part = scalar_value(results[r], levels_.depth());
    }
    value = value ? pair_value(part, value) : part;
  }
  return value ? value : scalar_value(emit().boolean(true), 0);
}

// --- building -----------------------------------------------------------------------------------------------------

ValuePtr Primitives::distribute(const ValuePtr& value, const ValuePtr& count) {
  Location here = levels_.location("The length of a sequence must not be negative.");
  Var descriptor = emit().op(Op::kMakeSegdes, Suffix::kNone, {levels_.lift_here(count)->var}, &here);
  levels_.push_elements(descriptor);
  ValuePtr copies = levels_.lift_here(value);
  levels_.pop_level();
  return sequence_value(descriptor, copies, levels_.depth());
}

ValuePtr Primitives::iota(const ValuePtr& start, const ValuePtr& stride, const ValuePtr& count) {
  Location here = levels_.location("The length of a sequence must not be negative.");
  Var descriptor = emit().op(Op::kMakeSegdes, Suffix::kNone, {levels_.lift_here(count)->var}, &here);
  Var numbers =
      emit().op(Op::kIndex, Suffix::kNone, {levels_.lift_here(start)->var, levels_.lift_here(stride)->var, descriptor});
  return sequence_value(descriptor, scalar_value(numbers, 0), levels_.depth());
}

ValuePtr Primitives::permute(const ValuePtr& sequence, const ValuePtr& indices) {
  constexpr const char* kMessage = "Bad arguments to function PERMUTE.";
  ValuePtr data = levels_.lift_here(sequence);
  ValuePtr targets = levels_.lift_here(indices);
  checks_.check_equal_lengths(data->var, targets->var, kMessage, "number of elements %a, of places %b");
  const Var index = targets->parts[0]->var;
  Location here = levels_.location(kMessage, {data->var});
  if (!values_.holds_sequence(*data->parts[0])) {
    ValuePtr moved = rebuild(
        data->parts[0],
        [&](Var leaf) {
          return emit().op(Op::kPermute, suffix_of(emit().kind(leaf)), {leaf, index, data->var}, &here);
        },
        [](int l) { return l; });
    return sequence_value(data->var, moved, levels_.depth());
  }
  Var numbers = emit().op(Op::kIndex, Suffix::kNone, {levels_.spread(0), levels_.spread(1), data->var});
  Var sources = emit().op(Op::kPermute, Suffix::kInt, {numbers, index, data->var}, &here);
  ValuePtr moved = fetch(emit(), data->parts[0], {Op::kBpermute, sources, data->var, data->var});
  return sequence_value(data->var, moved, levels_.depth());
}

ValuePtr Primitives::put(const ValuePtr& values, const ValuePtr& indices, const FlatValue* flags,
                         const ValuePtr& defaults) {
  constexpr const char* kMessage = "Index out of bounds for function <-.";
  ValuePtr source = levels_.lift_here(values);
  ValuePtr targets = levels_.lift_here(indices);
  ValuePtr base = levels_.lift_here(defaults);
  checks_.check_equal_lengths(source->var, targets->var, "Length mismatch in function PUT.",
                              "number of values %a, of places %b");
  const Var index = targets->parts[0]->var;
  Var chosen = letform::kNoVar;
  if (flags != nullptr) {
    ValuePtr which = levels_.lift_here(std::make_shared<FlatValue>(*flags));
    checks_.check_equal_lengths(source->var, which->var, "Length mismatch in function COND_PUT.",
                                "number of values %a, of flags %b");
    chosen = which->parts[0]->var;
  }
  const Location here = levels_.location(kMessage, {source->var});
  const ValuePtr written =
      values_.put(base->parts[0], source->parts[0], {index, chosen, source->var, base->var, &here});
  return sequence_value(base->var, written, levels_.depth());
}

ValuePtr Primitives::combining_put(const ValuePtr& argument) {
  const auto parts = components(argument, 4);
  const Definition* const function = parts[0]->code->definition;
  if (function == nullptr || !function->prelude) return nullptr;
  const std::optional<vcode::Monoid> monoid = vcode::find_monoid(function->name);
  if (!monoid) return nullptr;
  const Op op = vcode::op_of(vcode::OpClass::kAccumulate, *monoid);
  const ValuePtr source = levels_.lift_here(levels_.copied(parts[1]));
  const ValuePtr targets = levels_.lift_here(levels_.copied(parts[2]));
  const ValuePtr base = levels_.lift_here(levels_.copied(parts[3]));
  checks_.check_equal_lengths(source->var, targets->var, "Length mismatch in function PUT_WITH.",
                              "number of values %a, of places %b");
  const Var old = base->parts[0]->var;
  const Suffix suffix = suffix_of(emit().kind(old));
  VC_CHECK(vcode::info(op).takes(suffix));
  Location here = levels_.location("Index out of bounds for function PUT_WITH.", {source->var});
  const Var combined =
      emit().op(op, suffix, {source->parts[0]->var, targets->parts[0]->var, old, source->var, base->var}, &here);
  return sequence_value(base->var, scalar_value(combined, 0), levels_.depth());
}

ValuePtr Primitives::replace(const ValuePtr& sequence, const ValuePtr& value, const ValuePtr& index) {
  ValuePtr old = levels_.lift_here(sequence);
  ValuePtr entry = levels_.lift_here(value);
  ValuePtr target = levels_.lift_here(index);
  Location here = levels_.location("Index out of bounds for function REP.");
  if (values_.holds_sequence(*old->parts[0])) {
    auto one = [&](const ValuePtr& element) {
      return sequence_value(emit().op(Op::kMakeSegdes, Suffix::kNone, {levels_.spread(1)}), element, levels_.depth());
    };
    return put(one(entry), one(target), nullptr, old);
  }
  auto entries = leaves_of(*entry);
  std::size_t next = 0;
  // REPLACE ignores empty sequences, whatever the index; EXTRACT rejects an index out of range.
  if (const auto leaves = leaves_of(*old->parts[0]); !leaves.empty())
    emit().op(Op::kExtract, suffix_of(emit().kind(leaves[0])), {leaves[0], target->var, old->var}, &here);
  ValuePtr elements = rebuild(
      old->parts[0],
      [&](Var leaf) {
        return emit().op(Op::kReplace, suffix_of(emit().kind(leaf)), {leaf, target->var, entries[next++], old->var},
                         &here);
      },
      [](int l) { return l; });
  return sequence_value(old->var, elements, levels_.depth());
}

ValuePtr Primitives::pack(const ValuePtr& pairs) {
  ValuePtr sequence = levels_.lift_here(pairs);
  const ValuePtr elements = with_level(sequence->parts[0], levels_.depth() + 1);
  levels_.push_elements(sequence->var);
  levels_.push_subset(elements->parts[1]->var, sequence->var, letform::kNoVar, true);
  ValuePtr kept = levels_.lift_here(elements->parts[0]);
  Var descriptor = levels_.packed_descriptor();
  levels_.pop_level();
  levels_.pop_level();
  return sequence_value(descriptor, kept, levels_.depth());
}

ValuePtr Primitives::merge(const ValuePtr& flags, const ValuePtr& a, const ValuePtr& b) {
  const ValuePtr which = levels_.lift_here(flags), some = levels_.lift_here(a), others = levels_.lift_here(b);
  const ValuePtr merged = values_.merge(which->parts[0]->var, some->parts[0], others->parts[0]);
  return sequence_value(which->var, merged, levels_.depth());
}

ValuePtr Primitives::flatten(const ValuePtr& sequence) {
  const ValuePtr& inner = sequence->parts[0];
  Var descriptor;
  if (sequence->level == 0) {
    descriptor = emit().op(Op::kMakeSegdes, Suffix::kNone, {emit().op(Op::kElements, Suffix::kNone, {inner->var})});
  } else {
    Var lengths = emit().op(Op::kLengths, Suffix::kNone, {inner->var});
    Var totals = emit().op(Op::kSumReduce, Suffix::kInt, {lengths, sequence->var});
    descriptor = emit().op(Op::kMakeSegdes, Suffix::kNone, {totals});
  }
  return sequence_value(descriptor, inner->parts[0], sequence->level);
}

ValuePtr Primitives::partition(const ValuePtr& sequence, const ValuePtr& counts) {
  ValuePtr data = levels_.lift_here(sequence);
  ValuePtr pieces = levels_.lift_here(counts);
  const Var lengths = pieces->parts[0]->var;
  Var totals = emit().op(Op::kSumReduce, Suffix::kInt, {lengths, pieces->var});
  Var have = emit().op(Op::kLengths, Suffix::kNone, {data->var});
  constexpr const char* kMessage = "Length mismatch in function PARTITION.";
  checks_.check_flags(emit().op(Op::kEqual, Suffix::kInt, {totals, have}), kMessage,
                      Checks::Told{totals, have, "the lengths add up to %a, but the sequence has length %b"});
  Location here = levels_.location(kMessage, {pieces->var});
  Var inner = emit().op(Op::kMakeSegdes, Suffix::kNone, {lengths}, &here);
  return sequence_value(pieces->var, sequence_value(inner, data->parts[0], 0), levels_.depth());
}

ValuePtr Primitives::occurrences(const ValuePtr& numbers, const ValuePtr& start, const ValuePtr& count) {
  ValuePtr data = levels_.lift_here(numbers);
  const Var x = data->parts[0]->var, s = data->var, first = levels_.lift_here(start)->var;
  Location here = levels_.location("The length of a sequence must not be negative.");
  const Var to = emit().op(Op::kMakeSegdes, Suffix::kNone, {levels_.lift_here(count)->var}, &here);
  const Var counts = emit().op(Op::kCountInts, Suffix::kNone, {x, first, s, to});
  return sequence_value(to, scalar_value(counts, 0), levels_.depth());
}

// --- output ----------------------------------------------------------------------------------------

ValuePtr Primitives::stop(const ValuePtr& text, Type* result_type) {
  auto print_and_exit = [&] {
    checks_.write_message("\nERROR: ");
    emit().op_all(Op::kWrite, Suffix::kChar, {levels_.lift_here(text)->parts[0]->var});
    checks_.write_message("\n");
    Location here = levels_.location("error was called");
    Var no = levels_.depth() == 0
                 ? emit().boolean(false)
                 : emit().op(Op::kDist, Suffix::kBool, {emit().boolean(false), levels_.single(levels_.depth())});
    here.nest.insert(here.nest.begin(), no);
    emit().op_all(Op::kExit, Suffix::kNone, {}, &here);
    return std::vector<Var>{};
  };
  Var needed = levels_.depth() == 0 ? letform::kNoVar : levels_.nonempty();
  if (needed == letform::kNoVar)
    print_and_exit();
  else
    emit().conditional(needed, print_and_exit, [] { return std::vector<Var>{}; });
  return values_.placeholder(result_type);
}

ValuePtr Primitives::write_text(const ValuePtr& text, const ValuePtr& stream) {
  if (stream->level > 0)
    context_.fail_here("the strings printed inside one apply-to-each must all go to the same stream");
  Location here = levels_.location("");
  const Var characters = levels_.lift_here(text)->parts[0]->var;
  auto results = emit().op_all(Op::kFwrite, Suffix::kChar, {characters, stream->var}, &here);
  return scalar_value(results[1], 0);
}

ValuePtr Primitives::write_object(const ValuePtr& value, const ValuePtr& stream) {
  // All vectors are written, even after an error; flag and text come from the last one.
  Location here = levels_.location("");
  std::vector<Var> results;
  for (Var leaf : leaves_of(*levels_.lift_here(value)))
    results = emit().op_all(Op::kFwrite, suffix_of(emit().kind(leaf)), {leaf, stream->var}, &here);
  if (results.empty()) return pair_value(values_.string_value(""), scalar_value(emit().boolean(true), 0));
  ValuePtr text = scalar_value(emit().as_bytes(results[0]), 0);
  return pair_value(sequence_value(single_over(emit(), *text), text, 0), scalar_value(results[1], 0));
}

Var Primitives::is_whole(const FlatValue& value, Var count) {
  if (value.kind == FlatValue::Kind::kScalar) {
    Var length = emit().op(Op::kLength, suffix_of(emit().kind(value.var)), {value.var});
    return emit().op(Op::kEqual, Suffix::kInt, {length, count});
  }
  Var whole = letform::kNoVar;
  if (value.kind == FlatValue::Kind::kSequence) {
    Var segments = emit().op(Op::kLength, Suffix::kInt, {emit().op(Op::kLengths, Suffix::kNone, {value.var})});
    whole = emit().op(Op::kEqual, Suffix::kInt, {segments, count});
    count = emit().op(Op::kElements, Suffix::kNone, {value.var});
  }
  for (const ValuePtr& part : value.parts) {
    Var of_part = is_whole(*part, count);
    whole = whole == letform::kNoVar ? of_part : emit().op(Op::kAnd, Suffix::kBool, {whole, of_part});
  }
  return whole == letform::kNoVar ? emit().boolean(true) : whole;
}

ValuePtr Primitives::read_object(const ValuePtr& like, const ValuePtr& stream, Type* type) {
  if (levels_.depth() > 0) context_.fail_here("read_object cannot run inside an apply-to-each");
  std::vector<Kind> kinds;
  ValuePtr form = values_.form_of(type, 0, kinds);
  Location here = levels_.location("");
  // Text of the first error, and whether there was none.
  Var text = letform::kNoVar, good = letform::kNoVar;
  const auto choose = [&](Var condition, Var yes, Var no) {
    return emit().conditional(
        condition, [&] { return std::vector<Var>{yes}; }, [&] { return std::vector<Var>{no}; })[0];
  };
  ValuePtr read = rebuild(
      form,
      [&](Var number) {
        auto results = emit().op_all(Op::kFread, suffix_of(kinds[number]), {stream->var}, &here);
        const Var said = emit().as_bytes(results[1]);
        text = good == letform::kNoVar ? said : choose(good, said, text);
        good = good == letform::kNoVar ? results[2] : emit().op(Op::kAnd, Suffix::kBool, {good, results[2]});
        return results[0];
      },
      [](int l) { return l; });
  if (good == letform::kNoVar)
    return pair_value(like, pair_value(values_.string_value(""), scalar_value(emit().boolean(true), 0)));
  // The lengths of the vectors read are arbitrary; they must form one value.
  Var whole = emit().conditional(
      good, [&] { return std::vector<Var>{is_whole(*read, emit().integer(1))}; },
      [&] { return std::vector<Var>{emit().boolean(false)}; })[0];
  Var other = emit().conditional(
      good, [&] { return std::vector<Var>{values_.characters("input error: this is a value of another type")}; },
      [&] { return std::vector<Var>{text}; })[0];
  ValuePtr message = scalar_value(choose(whole, text, other), 0);
  std::vector<Var> leaves = emit().conditional(
      whole, [&] { return leaves_of(*read); }, [&] { return leaves_of(*levels_.lift_here(like)); });
  std::size_t next = 0;
  ValuePtr value = rebuild(
      read, [&](Var) { return leaves[next++]; }, [](int l) { return l; });
  return pair_value(value,
                    pair_value(sequence_value(single_over(emit(), *message), message, 0), scalar_value(whole, 0)));
}

}  // namespace nesl
