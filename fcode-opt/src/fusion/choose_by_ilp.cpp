#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <new>
#include <optional>

#include "base/check.h"
#include "base/end_process.h"
#include "cbc_library.h"
#include "choose.h"
#include "vcode/kernel_rules.h"

namespace fcode_opt {
namespace {

/// Limit on the nodes of the solver's search tree for one basic block. A limit in seconds would make the output depend
/// on the machine.
constexpr const char* kNodes = "1000";
/// Weight of one byte moved per element; the weight of a pair that is not fused is 1.
constexpr double kByte = 100;

/// Ends the program when memory runs out while an object of this class exists: after a std::bad_alloc the solver frees
/// some objects twice.
class MemoryIsVital {
 public:
  MemoryIsVital() : before_(std::set_new_handler([] { base::end_with("out of memory"); })) {}
  ~MemoryIsVital() { std::set_new_handler(before_); }
  MemoryIsVital(const MemoryIsVital&) = delete;

 private:
  const std::new_handler before_;
};

/// Builds and solves an integer linear program.
class LinearProgram {
 public:
  struct Term {
    int column;
    double factor;
  };

  LinearProgram() : cbc_(cbc_library()), model_(cbc_.new_model(), cbc_.delete_model) {
    cbc_.set_log_level(model_.get(), 0);
    cbc_.set_parameter(model_.get(), "maxNodes", kNodes);
    // Preprocessing such small programs takes longer than solving them.
    for (const char* part : {"preprocess", "cuts", "heuristics"}) cbc_.set_parameter(model_.get(), part, "off");
  }
  int add(double lowest, double highest, double cost, bool integer) {
    cbc_.add_col(model_.get(), "", lowest, highest, cost, integer, 0, nullptr, nullptr);
    return columns_++;
  }
  /// Adds the constraint sum >= bound.
  void require(const std::vector<Term>& sum, double bound) {
    std::vector<int> columns;
    std::vector<double> factors;
    for (auto [column, factor] : sum) {
      columns.push_back(column);
      factors.push_back(factor);
    }
    cbc_.add_row(model_.get(), "", static_cast<int>(sum.size()), columns.data(), factors.data(), 'G', bound);
  }
  /// Solves the program. Returns the value of each column; nothing if the search reached its limit of nodes.
  std::optional<std::vector<double>> solve() {
    cbc_.solve(model_.get());
    if (cbc_.is_proven_optimal(model_.get()) == 0) return std::nullopt;
    const double* solution = cbc_.get_col_solution(model_.get());
    return std::vector<double>(solution, solution + columns_);
  }

 private:
  const CbcLibrary& cbc_;
  const MemoryIsVital for_the_model_;
  std::unique_ptr<Cbc_Model, void (*)(Cbc_Model*)> model_;
  int columns_ = 0;
};

/// The choice of kernels for a basic block as an integer linear program. Its variables: for each node o, the order in
/// which its kernel runs; for each pair of nodes that might be fused f, 1 if they are not; for each vector c, 1 if it
/// is written; for each reader of a vector p, 1 if it reads the vector from memory and no earlier reader in the same
/// kernel does.
class FusionProgram {
 public:
  explicit FusionProgram(const BasicBlock& basic_block) : basic_block_(basic_block), alone_(basic_block) {
    find_pairs();
  }

  std::size_t size() const { return pairs_.size(); }

  /// Lower bound on the bytes moved: those of every pair fused at once.
  int fewest_bytes() const {
    int bytes = 0;
    for (const auto& [v, nodes] : readers_) {
      const std::uint32_t definer = kernel_definer(v);
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        bool alone = definer == kNoNumber || pair(definer, nodes[k]) == kNoPair;
        for (std::size_t l = 0; l < k; ++l) alone = alone && pair(nodes[l], nodes[k]) == kNoPair;
        if (alone) bytes += element_bytes(basic_block_.function, v);
      }
    }
    for (std::uint32_t n = 0; n < basic_block_.size(); ++n) {
      const Node& node = basic_block_.nodes[n];
      if (node.role != Node::Role::kKernel || vcode::is_reduction(node.producer)) continue;
      for (Var v : basic_block_.bindings[n].results)
        if (must_be_written(v, n)) bytes += element_bytes(basic_block_.function, v);
    }
    return bytes;
  }

  std::optional<Partition> solve() {
    write();
    std::optional<std::vector<double>> solution = program_.solve();
    if (!solution) return std::nullopt;
    Partition partition(basic_block_);
    for (auto [pair, column] : pairs_) {
      if (std::lround((*solution)[static_cast<std::size_t>(column)]) != 0) continue;
      const std::uint32_t a = partition.set_of(pair.first), b = partition.set_of(pair.second);
      if (a != b && partition.obstacle(a, b).empty()) partition.unite(a, b);
    }
    return partition;
  }

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;

  void find_pairs() {
    std::map<Var, std::vector<std::uint32_t>> readers;
    for (std::uint32_t n = 0; n < basic_block_.size(); ++n) {
      if (basic_block_.nodes[n].role != Node::Role::kKernel) continue;
      for (Var v : alone_.interface(n).read) readers[v].push_back(n);
    }
    for (const auto& [v, nodes] : readers)
      for (std::size_t k = 0; k < nodes.size(); ++k)
        for (std::size_t l = 0; l < k; ++l) add_pair(nodes[l], nodes[k]);
    for (const Edge& edge : basic_block_.edges)
      if (edge.obstacle.empty() && edge.value != letform::kNoVar) add_pair(edge.from, edge.to);
    readers_ = std::move(readers);
  }
  void add_pair(std::uint32_t a, std::uint32_t b) {
    if (a != b && alone_.obstacle(a, b).empty()) pairs_.try_emplace(std::minmax(a, b), -1);
  }
  static constexpr int kNoPair = -2;
  /// Column of a pair.
  int pair(std::uint32_t a, std::uint32_t b) const {
    auto it = pairs_.find(std::minmax(a, b));
    return it == pairs_.end() ? kNoPair : it->second;
  }
  std::uint32_t kernel_definer(Var v) const {
    const std::uint32_t definer = basic_block_.definer(v);
    return definer != kNoNumber && basic_block_.nodes[definer].role == Node::Role::kKernel ? definer : kNoNumber;
  }
  /// Whether a value that node `definer` binds must be written in any case.
  bool must_be_written(Var v, std::uint32_t definer) const {
    return basic_block_.nodes[definer].escapes ||
           std::any_of(basic_block_.edges.begin(), basic_block_.edges.end(), [&](const Edge& edge) {
             return edge.value == v && (!edge.obstacle.empty() || pair(edge.from, edge.to) == kNoPair);
           });
  }

  void write() {
    const auto count = static_cast<double>(basic_block_.size());
    for (std::size_t n = 0; n < basic_block_.size(); ++n) order_.push_back(program_.add(0, count, 0, false));
    for (auto& [pair, column] : pairs_) column = program_.add(0, 1, 1, true);
    for (auto [pair, column] : pairs_) {
      const int a = order_[pair.first], b = order_[pair.second];
      program_.require({{column, count}, {a, 1}, {b, -1}}, 0);
      program_.require({{column, count}, {b, 1}, {a, -1}}, 0);
    }
    for (const Edge& edge : basic_block_.edges) {
      const int unfused = edge.obstacle.empty() && edge.value != letform::kNoVar ? pair(edge.from, edge.to) : kNoPair;
      order(edge.from, edge.to, unfused);
    }
    for (std::uint32_t n = 0; n < basic_block_.size(); ++n)
      for (std::uint32_t m = 0; m < basic_block_.waits_for[n].size(); ++m)
        if (basic_block_.waits_for[n][m]) order(n, m, kNoPair);
    for (const auto& [v, nodes] : readers_) write_costs(v, nodes);
    keep_epilogues_apart();
  }

  /// An epilogue that is fused with its reduction cannot also be fused with an operation over the segments that cannot
  /// be an epilogue.
  void keep_epilogues_apart() {
    for (auto [behind, column] : pairs_) {
      if (basic_block_.nodes[behind.first].space == basic_block_.nodes[behind.second].space) continue;
      const std::uint32_t epilogue = behind.second;
      for (auto [other, other_column] : pairs_) {
        if (other.first != epilogue && other.second != epilogue) continue;
        const Node& node = basic_block_.nodes[other.first == epilogue ? other.second : other.first];
        if (node.space == basic_block_.nodes[epilogue].space && !node.can_be_epilogue())
          program_.require({{column, 1}, {other_column, 1}}, 1);
      }
    }
  }

  /// Requires that `from` runs with `to` if the pair is fused, otherwise before `to`.
  void order(std::uint32_t from, std::uint32_t to, int unfused) {
    std::vector<LinearProgram::Term> sum{{order_[to], 1}, {order_[from], -1}};
    if (unfused == kNoPair) return program_.require(sum, 1);
    sum.push_back({unfused, -1});
    program_.require(sum, 0);
  }

  void write_costs(Var v, const std::vector<std::uint32_t>& readers) {
    const double bytes = kByte * element_bytes(basic_block_.function, v);
    const std::uint32_t definer = kernel_definer(v);
    const bool may_vanish = definer != kNoNumber && !must_be_written(v, definer);
    const int written = may_vanish ? program_.add(0, 1, bytes, false) : -1;
    for (std::size_t k = 0; k < readers.size(); ++k) {
      const int unfused = definer == kNoNumber ? kNoPair : pair(definer, readers[k]);
      VC_CHECK(!may_vanish || unfused != kNoPair);
      if (may_vanish) program_.require({{written, 1}, {unfused, -1}}, 0);
      // p >= 1 - the number of earlier readers, and of definers, in the same kernel
      std::vector<LinearProgram::Term> sum{{program_.add(0, 1, bytes, false), 1}};
      double bound = 1;
      auto together = [&](int column) {
        if (column == kNoPair) return;
        sum.push_back({column, -1});
        bound -= 1;
      };
      together(unfused);
      for (std::size_t l = 0; l < k; ++l) together(pair(readers[l], readers[k]));
      program_.require(sum, bound);
    }
  }

  const BasicBlock& basic_block_;
  Partition alone_;
  std::map<Pair, int> pairs_;  ///< column of each pair
  std::map<Var, std::vector<std::uint32_t>> readers_;
  std::vector<int> order_;
  LinearProgram program_;
};

}  // namespace

Partition choose_by_ilp(Partition greedy, std::size_t& pairs_left) {
  FusionProgram program(greedy.basic_block());
  if (program.size() > pairs_left || greedy.total().bytes == program.fewest_bytes()) return greedy;
  pairs_left -= program.size();
  std::optional<Partition> best = program.solve();
  return best && best->total() < greedy.total() ? std::move(*best) : std::move(greedy);
}

}  // namespace fcode_opt
