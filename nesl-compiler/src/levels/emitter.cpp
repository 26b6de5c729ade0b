#include "emitter.h"

#include <algorithm>
#include <bit>

namespace nesl {

namespace {

/// First words of keys for Emitter::find(): operations and constants here; LevelFact continues the numbering.
constexpr std::uint64_t kOpKey = 0;
constexpr std::uint64_t kConstantKey = 1;

/// True if an operation does no input or output and draws no random numbers, so that it may run twice or not at all.
bool is_pure(Op op) { return vcode::info(op).op_class != vcode::OpClass::kSystem && !vcode::info(op).draws(); }

Emitter::Key constant_key(const vcode::Constant& c) {
  Emitter::Key key{kConstantKey, static_cast<std::uint64_t>(c.type), c.bracketed};
  for (auto x : c.ints) key.push_back(static_cast<std::uint64_t>(x));
  for (auto x : c.floats) key.push_back(std::bit_cast<std::uint64_t>(x));
  for (auto x : c.bools) key.push_back(x);
  return key;
}

}  // namespace

Emitter::Emitter(letform::Program& program, std::string name, std::function<Here()> here)
    : program_(program), here_(std::move(here)) {
  function_.name = std::move(name);
  begin_block();
}

Var Emitter::fresh(Kind kind, bool scalar) {
  function_.values.push_back({kind, scalar, {}});
  is_from_index_.push_back(false);
  return static_cast<Var>(function_.values.size() - 1);
}

Var Emitter::parameter(Kind kind, std::string name) {
  Var var = fresh(kind, false);
  function_.values[var].name = std::move(name);
  function_.parameters.push_back(var);
  return var;
}

std::vector<Var> Emitter::append(letform::Binding binding, const std::vector<Kind>& kinds) {
  for (Kind kind : kinds) binding.results.push_back(fresh(kind, false));
  if (binding.form == letform::Binding::Form::kOp && kinds.size() == 1) {
    const bool is_map = vcode::info(binding.op).op_class == vcode::OpClass::kElementwise;
    is_from_index_.back() =
        binding.op == Op::kIndex || (is_map && std::any_of(binding.operands.begin(), binding.operands.end(),
                                                           [&](Var v) { return is_from_index_[v]; }));
  }
  auto results = binding.results;
  scopes_.back().block.bindings.push_back(std::move(binding));
  return results;
}

void Emitter::locate(letform::Binding& binding, const Location& location) const {
  binding.site = location.site;
  binding.nest = location.nest;
  binding.outermost = location.outermost;
  binding.inlined = here_().inlined;
}

/// Computes an operation on BYTEs with INTs.
std::vector<Var> Emitter::op_of_ints(Op op, std::vector<Var> operands, const Location* location) {
  const auto& signature = vcode::info(op).signature;
  std::vector<Var> results = op_all(op, Suffix::kInt, std::move(operands), location);
  for (std::size_t r = 0; r < results.size(); ++r)
    if (signature.results[r].type == vcode::RoleType::kSuffix) results[r] = as_bytes(results[r]);
  return results;
}

std::vector<Var> Emitter::op_all(Op op, Suffix suffix, std::vector<Var> operands, const Location* location) {
  VC_CHECK(operands.size() == static_cast<std::size_t>(vcode::info(op).signature.operand_count));
  if (suffix == Suffix::kByte && !vcode::info(op).takes(suffix)) return op_of_ints(op, std::move(operands), location);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const vcode::Role& role = vcode::info(op).signature.operands[k];
    if (role.type != vcode::RoleType::kAnything && vcode::Signature::kind(role, suffix) == Kind::kInt)
      operands[k] = as_ints(operands[k]);
  }
  Key key{kOpKey, static_cast<std::uint64_t>(op), static_cast<std::uint64_t>(suffix)};
  key.insert(key.end(), operands.begin(), operands.end());
  if (is_pure(op))
    if (const auto* known = find(key)) return *known;
  const auto& signature = vcode::info(op).signature;
  std::vector<Kind> kinds;
  for (int r = 0; r < signature.result_count; ++r)
    kinds.push_back(vcode::Signature::kind(signature.results[r], suffix));
  letform::Binding binding;
  binding.op = op;
  binding.suffix = suffix;
  binding.operands = std::move(operands);
  if (location != nullptr) {
    locate(binding, *location);
  } else {
    const Here here = here_();
    binding.site = here.site;
    binding.location_only = binding.site != vcode::kNoSite;
    binding.inlined = here.inlined;
  }
  auto results = append(std::move(binding), kinds);
  if (is_pure(op)) remember(std::move(key), results);
  return results;
}

std::vector<Var> Emitter::clock(Op op, std::vector<Var> awaited) {
  std::vector<Var> results = op_all(op, Suffix::kNone, {});
  scopes_.back().block.bindings.back().nest = std::move(awaited);
  if (op == Op::kStartTimer) forget();
  return results;
}

Var Emitter::constant(vcode::Constant constant) {
  Key key = constant_key(constant);
  if (const auto* known = find(key)) return (*known)[0];
  letform::Binding binding;
  binding.form = letform::Binding::Form::kConst;
  binding.target = static_cast<std::uint32_t>(program_.constants.size());
  Kind kind = vcode::suffix_kind(constant.type);
  auto results = append(std::move(binding), {kind});
  if (!constant.bracketed && (kind == Kind::kInt || kind == Kind::kBool) && constant.size() == 1)
    integers_[results[0]] = constant.ints.empty() ? constant.bools[0] : constant.ints[0];
  function_.values[results[0]].scalar = constant.size() == 1;
  program_.constants.push_back(std::move(constant));
  remember(std::move(key), results);
  return results[0];
}

Var Emitter::integer(std::int64_t value) {
  vcode::Constant c;
  c.ints = {value};
  return constant(std::move(c));
}

Var Emitter::boolean(bool value) {
  vcode::Constant c;
  c.type = Suffix::kBool;
  c.bools = {value};
  return constant(std::move(c));
}

std::vector<Var> Emitter::call(std::uint32_t function, std::vector<Var> operands, const std::vector<Kind>& results,
                               const Location& location) {
  letform::Binding binding;
  binding.form = letform::Binding::Form::kCall;
  binding.target = function;
  binding.operands = std::move(operands);
  locate(binding, location);
  return append(std::move(binding), results);
}

void Emitter::begin_block(letform::Block block) { scopes_.push_back({std::move(block), {}}); }

letform::Block Emitter::end_block(std::vector<Var> results) {
  VC_CHECK(!scopes_.empty());
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  for (const Key* key : scope.keys) known_.erase(known_.find(*key));
  scope.block.results = std::move(results);
  return std::move(scope.block);
}

std::vector<Var> Emitter::conditional(Var condition, letform::Block then_block, letform::Block else_block) {
  VC_CHECK(then_block.results.size() == else_block.results.size());
  letform::Binding binding;
  binding.form = letform::Binding::Form::kIf;
  binding.operands = {condition};
  std::vector<Kind> kinds;
  for (Var v : then_block.results) kinds.push_back(kind(v));
  binding.blocks.push_back(std::move(then_block));
  binding.blocks.push_back(std::move(else_block));
  return append(std::move(binding), kinds);
}

void Emitter::lifted_conditional(std::vector<Var> operands, letform::Block then_block, letform::Block else_block,
                                 std::vector<Var> results, const Location& where) {
  letform::Binding binding;
  binding.form = letform::Binding::Form::kLiftedIf;
  binding.operands = std::move(operands);
  binding.results = std::move(results);
  locate(binding, where);
  binding.blocks.push_back(std::move(then_block));
  binding.blocks.push_back(std::move(else_block));
  scopes_.back().block.bindings.push_back(std::move(binding));
}

void Emitter::steps(std::vector<Var> operands, letform::Block block, std::vector<Var> results, std::uint32_t site) {
  letform::Binding binding;
  binding.form = letform::Binding::Form::kSteps;
  binding.operands = std::move(operands);
  binding.results = std::move(results);
  binding.blocks.push_back(std::move(block));
  binding.site = site;
  scopes_.back().block.bindings.push_back(std::move(binding));
}

std::optional<std::int64_t> Emitter::known_integer(Var var) const {
  auto it = integers_.find(var);
  if (it == integers_.end()) return std::nullopt;
  return it->second;
}

// Multiplicative hashing with the golden ratio of 64 bits: D. Knuth, "The Art of Computer Programming", volume 3
// (1973), section 6.4.
std::size_t Emitter::Hash::operator()(const Key& key) const {
  std::uint64_t hash = key.size();
  for (std::uint64_t part : key) hash = (std::rotl(hash, 23) ^ part) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 32);
}

const std::vector<Var>* Emitter::find(const Key& key) const {
  auto it = known_.find(key);
  return it == known_.end() ? nullptr : &it->second;
}

void Emitter::remember(Key key, std::vector<Var> vars) {
  auto [entry, is_new] = known_.emplace(std::move(key), std::move(vars));
  if (is_new) scopes_.back().keys.push_back(&entry->first);
}

void Emitter::forget() {
  known_.clear();
  for (Scope& scope : scopes_) scope.keys.clear();
}

letform::Function Emitter::finish(std::vector<Var> results) {
  function_.body = end_block(std::move(results));
  VC_CHECK(scopes_.empty());
  return std::move(function_);
}

}  // namespace nesl
