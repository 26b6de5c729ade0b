#include "fuse.h"

#include <utility>

#include "base/stop_request.h"
#include "choose.h"
#include "fcode-opt/passes.h"
#include "fusion_report.h"
#include "rewrite.h"

namespace fcode_opt {
namespace {

using letform::Binding;
using letform::Block;

/// Number of bindings at which basic blocks are divided, so that the time is linear in the size of the program.
constexpr std::size_t kLargestBasicBlock = 1000;
/// Number of pairs of operations of a program that the solver may decide about; the other kernels are chosen greedily.
constexpr std::size_t kSolvedPairs = 300;

/// Whether a binding ends a basic block.
bool is_border(const Binding& binding) {
  return binding.form == Binding::Form::kCall || binding.form == Binding::Form::kIf ||
         binding.form == Binding::Form::kFused ||
         (binding.form == Binding::Form::kOp && vcode::info(binding.op).op_class == vcode::OpClass::kSystem);
}

void count_uses(const Block& block, std::vector<std::uint32_t>& uses) {
  for (const Binding& binding : block.bindings) {
    for (Var v : binding.operands) ++uses[v];
    for (Var v : binding.nest) ++uses[v];
    for (const Block& inner : binding.blocks) count_uses(inner, uses);
  }
  for (Var v : block.results) ++uses[v];
}

/// Fuses the operations of one function.
class Fuser {
 public:
  Fuser(const letform::Program& program, letform::Function& function, const letform::ShapeFacts& facts,
        const OptimizeOptions& options, std::size_t& pairs_left, Report& report)
      : program_(program),
        function_(function),
        shapes_(program, function, facts),
        options_(options),
        pairs_left_(pairs_left),
        report_(report),
        uses_(function.values.size()) {
    count_uses(function.body, uses_);
  }

  void run() { fuse(function_.body); }

 private:
  letform::Shapes::Branch fuse_branch(Block& block) {
    const letform::Shapes::Mark mark = shapes_.enter();
    const std::vector<Var> results = block.results;
    fuse(block);
    return shapes_.leave(mark, results);
  }

  void fuse(Block& block) {
    std::vector<Binding> fused;
    std::vector<bool> lengths_agree(block.bindings.size(), true);
    std::size_t begin = 0;
    for (std::size_t k = 0; k <= block.bindings.size(); ++k) {
      if (k < block.bindings.size() && !is_border(block.bindings[k])) {
        if (block.bindings[k].form == Binding::Form::kOp && !program_.lengths_agree)
          lengths_agree[k] = shapes_.lengths_agree(block.bindings[k]);
        shapes_.note(block.bindings[k]);
        if (k + 1 - begin == kLargestBasicBlock) {
          fuse_basic_block(block, begin, k + 1, lengths_agree, fused);
          begin = k + 1;
        }
        continue;
      }
      fuse_basic_block(block, begin, k, lengths_agree, fused);
      begin = k + 1;
      if (k == block.bindings.size()) break;
      Binding& border = block.bindings[k];
      if (border.form == Binding::Form::kIf) {
        const letform::Shapes::Branch first = fuse_branch(border.blocks[0]), second = fuse_branch(border.blocks[1]);
        shapes_.note_if(border, first, second);
      } else {
        shapes_.note(border);
      }
      fused.push_back(std::move(border));
    }
    block.bindings = std::move(fused);
  }

  void fuse_basic_block(const Block& block, std::size_t begin, std::size_t end, const std::vector<bool>& lengths_agree,
                        std::vector<Binding>& to) {
    if (begin == end) return;
    const bool trees = options_.fusion == Fusion::kPaper;
    const BasicBlock basic_block =
        make_basic_block(program_, function_, block, begin, end, uses_, shapes_, {trees, lengths_agree});
    const Partition partition = trees ? choose_trees(basic_block) : choose(basic_block);
    report_.add(partition);
    for (Binding& binding : rewrite(partition, function_)) to.push_back(std::move(binding));
  }

  Partition choose(const BasicBlock& basic_block) {
    Partition greedy = choose_greedily(basic_block);
    return with_copies(options_.fusion == Fusion::kIlp ? choose_by_ilp(std::move(greedy), pairs_left_)
                                                       : std::move(greedy));
  }

  const letform::Program& program_;
  letform::Function& function_;
  letform::Shapes shapes_;
  const OptimizeOptions& options_;
  std::size_t& pairs_left_;
  Report& report_;
  std::vector<std::uint32_t> uses_;
};

}  // namespace

void fuse(letform::Program& program, PassContext& context) {
  if (context.options.fusion == Fusion::kNone) return;
  const letform::ShapeFacts facts = letform::find_shape_facts(program);
  Report report(context);
  std::size_t pairs_left = kSolvedPairs;
  for (letform::Function& function : program.functions) {
    base::check_stop();
    report.begin(program, function);
    Fuser(program, function, facts, context.options, pairs_left, report).run();
    report.end();
  }
  letform::remove_dead_bindings(program);
}

}  // namespace fcode_opt
