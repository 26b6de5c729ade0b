#include "type_table.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "base/check.h"

namespace vcode {
namespace {

constexpr KindSet kPairOnly = kinds::one(Kind::kPair);

bool is_single(KindSet set) { return std::has_single_bit(set); }
Kind only_kind(KindSet set) { return static_cast<Kind>(std::countr_zero(set)); }

/// The kinds of a set, as in "Int, Bool or Float" with the separators ", " and " or ".
std::string list_of_kinds(KindSet set, std::string_view separator, std::string_view last_separator) {
  std::string out;
  for (Kind k : {Kind::kInt, Kind::kBool, Kind::kFloat, Kind::kByte, Kind::kSegdes, Kind::kPair}) {
    if (!(set & kinds::one(k))) continue;
    if (!out.empty()) out += set >> (static_cast<int>(k) + 1) ? separator : last_separator;
    out += kind_name(k);
  }
  return out;
}

}  // namespace

std::string kinds_text(KindSet set) { return set == kinds::kAny ? "anything" : list_of_kinds(set, ", ", " or "); }

TypeTable::TypeTable() {
  for (Kind k : {Kind::kInt, Kind::kBool, Kind::kFloat, Kind::kByte, Kind::kSegdes})
    add({.kinds = kinds::one(k), .required = kinds::one(k)}, 0, 0);
}

TypeId TypeTable::add(const ValueType& type, int height, int level) {
  nodes_.push_back({type, height, level});
  return static_cast<TypeId>(nodes_.size() - 1);
}

TypeId TypeTable::fresh(KindSet kinds) {
  if (is_single(kinds) && kinds != kPairOnly) return ground(only_kind(kinds));
  return add({.kinds = kinds}, 0, 0);
}

TypeId TypeTable::pair(TypeId first, TypeId second) {
  int height = 1 + std::max(nodes_[first].height, nodes_[second].height);
  if (height > kMaxPairDepth) return fresh(kPairOnly);
  return add({.kinds = kPairOnly, .first = first, .second = second}, height, 0);
}

std::pair<TypeId, TypeId> TypeTable::parts(TypeId id) {
  if (nodes_[id].type.first != kNoType) return {nodes_[id].type.first, nodes_[id].type.second};
  int level = nodes_[id].level + 1;
  TypeId first = add({}, 0, level), second = add({}, 0, level);
  if (level <= kMaxPairDepth) {
    nodes_[id].type.first = first;
    nodes_[id].type.second = second;
  }
  return {first, second};
}

TypeTable::Knowledge TypeTable::read(TypeId id) const {
  const ValueType& type = nodes_[id].type;
  return {id, type.kinds, type.required, type.demand};
}

void TypeTable::write(const Knowledge& knowledge) {
  ValueType& type = nodes_[knowledge.id].type;
  type.kinds = knowledge.kinds;
  type.required = knowledge.required;
  type.demand = knowledge.demand;
}

void TypeTable::remember(TypeId id) { log_.push_back(read(id)); }

void TypeTable::restrict(TypeId id, KindSet kinds) {
  KindSet left = nodes_[id].type.kinds & kinds;
  if (left == nodes_[id].type.kinds || left == 0) return;
  remember(id);
  nodes_[id].type.kinds = left;
}

void TypeTable::require(TypeId id, KindSet required, Demand demand) {
  KindSet left = nodes_[id].type.required & required;
  if (left == nodes_[id].type.required || left == 0) return;
  remember(id);
  nodes_[id].type.required = left;
  nodes_[id].type.demand = demand;
}

TypeTable::Branch TypeTable::take_back(std::size_t mark) {
  VC_CHECK(mark <= log_.size());
  Branch branch;
  ++seen_epoch_;
  seen_.resize(nodes_.size());
  for (std::size_t i = mark; i < log_.size(); ++i) {
    TypeId id = log_[i].id;
    if (seen_[id] == seen_epoch_) continue;
    seen_[id] = seen_epoch_;
    branch.push_back(read(id));
  }
  while (log_.size() > mark) {
    write(log_.back());
    log_.pop_back();
  }
  return branch;
}

void TypeTable::Lookup::build(const Branch& branch, std::size_t types) {
  branch_ = &branch;
  ++epoch_;
  stamp_.resize(types);
  position_.resize(types);
  for (std::size_t i = 0; i < branch.size(); ++i) {
    stamp_[branch[i].id] = epoch_;
    position_[branch[i].id] = static_cast<std::uint32_t>(i);
  }
}

void TypeTable::enter_union(const Branch& a, const Branch& b) {
  a_.build(a, nodes_.size());
  b_.build(b, nodes_.size());
}

KindSet TypeTable::kinds_after(const Lookup& branch, TypeId id) const {
  const Knowledge* known = branch.find(id);
  return known ? known->kinds : nodes_[id].type.kinds;
}

TypeId TypeTable::join(TypeId a, TypeId b) { return join(a, b, kJoinedPairDepth); }

TypeId TypeTable::join(TypeId a, TypeId b, int depth) {
  if (a == b) return a;
  KindSet in_a = kinds_after(a_, a), in_b = kinds_after(b_, b);
  TypeId joined = fresh(in_a | in_b);
  if (joined < kGroundTypes) return joined;
  // Copies, because the table grows below.
  ValueType type_a = nodes_[a].type, type_b = nodes_[b].type;
  bool parts_a = (in_a & kPairOnly) && type_a.first != kNoType, parts_b = (in_b & kPairOnly) && type_b.first != kNoType;
  TypeId first = kNoType, second = kNoType;
  if (parts_a && parts_b && depth > 0) {
    first = join(type_a.first, type_b.first, depth - 1);
    second = join(type_a.second, type_b.second, depth - 1);
  } else if (parts_a && !(in_b & kPairOnly)) {
    first = type_a.first;
    second = type_a.second;
  } else if (parts_b && !(in_a & kPairOnly)) {
    first = type_b.first;
    second = type_b.second;
  }
  if (first == kNoType) return joined;
  int height = 1 + std::max(nodes_[first].height, nodes_[second].height);
  if (height > kMaxPairDepth) return joined;
  nodes_[joined].type.first = first;
  nodes_[joined].type.second = second;
  nodes_[joined].height = height;
  return joined;
}

void TypeTable::adopt_union(BranchEnd a, BranchEnd b) {
  auto adopt = [&](TypeId id) {
    Knowledge before = read(id), now = before;
    const Knowledge* in_a = a_.find(id);
    const Knowledge* in_b = b_.find(id);
    const Knowledge& from_a = in_a ? *in_a : before;
    const Knowledge& from_b = in_b ? *in_b : before;
    if (a.goes_on || b.goes_on)
      now.kinds = static_cast<KindSet>((a.goes_on ? from_a.kinds : 0) | (b.goes_on ? from_b.kinds : 0));
    bool use_a = a.succeeds || !b.succeeds, use_b = b.succeeds || !a.succeeds;
    now.required = static_cast<KindSet>((use_a ? from_a.required : 0) | (use_b ? from_b.required : 0));
    now.demand = use_a && in_a ? from_a.demand : from_b.demand;
    if (now.kinds == before.kinds && now.required == before.required) return;
    log_.push_back(before);
    write(now);
  };
  for (const Knowledge& known : a.branch) adopt(known.id);
  for (const Knowledge& known : b.branch)
    if (!a_.find(known.id)) adopt(known.id);
}

std::string TypeTable::text(TypeId id, int depth) const {
  const ValueType& type = nodes_[id].type;
  if (type.kinds == kinds::kAny) return "?";
  if (type.kinds != kPairOnly) return list_of_kinds(type.kinds, "|", "|");
  if (type.first == kNoType || depth == 0) return "pair(?,?)";
  return fmt::format("pair({},{})", text(type.first, depth - 1), text(type.second, depth - 1));
}

}  // namespace vcode
