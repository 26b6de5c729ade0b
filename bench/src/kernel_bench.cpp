/// Times fused kernels against the costliest of their operations alone, or against a loop written by hand. The two take
/// turns, so that other load on the machine affects both alike. Prints medians. Options: --elements=N, --threads=N,
/// --samples=N, --backend=NAME, --native=off|hot|always, --filter=REGEX over names such as kernel/dot.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "cvl/loader.h"
#include "peers/peers.h"
#include "runtime/evaluator.h"
#include "vcode/reader.h"

namespace bench {
namespace {

using runtime::Value;
using vcode::Op;
using vcode::Suffix;

struct Options {
  std::int64_t elements = 10000000;
  std::int64_t threads = 2;
  std::int64_t samples = 15;
  std::string backend = "cpu";
  std::string native;
  std::string filter;
};

Options take_options(int argc, char** argv) {
  Options options;
  for (int a = 1; a < argc; ++a) {
    const std::string_view arg = argv[a];
    for (auto [name, member] :
         {std::pair{"--backend=", &Options::backend}, {"--native=", &Options::native}, {"--filter=", &Options::filter}})
      if (arg.starts_with(name)) options.*member = arg.substr(std::strlen(name));
    for (auto [name, member] : {std::pair{"--elements=", &Options::elements},
                                {"--threads=", &Options::threads},
                                {"--samples=", &Options::samples}})
      if (arg.starts_with(name)) {
        const std::string_view number = arg.substr(std::strlen(name));
        std::from_chars(number.data(), number.data() + number.size(), options.*member);
      }
  }
  return options;
}

/// The vectors that all cases read.
class Data {
 public:
  Data(runtime::Evaluator& evaluator, std::int64_t n) : evaluator_(evaluator), elements(n) {
    std::mt19937_64 random(1);
    x = floats([&] { return static_cast<double>(random() % 1000 + 1) / 100; });
    y = floats([&] { return static_cast<double>(random() % 1000 + 1) / 100; });
    z = floats([&] { return static_cast<double>(random() % 1000 + 1) / 100; });
    near = fill<std::int32_t>([&] {
      return static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(std::min<std::int64_t>(n, 30000)));
    });
    reversed = fill<std::int32_t>([k = static_cast<std::int32_t>(n)]() mutable { return --k; });
    std::vector<std::int32_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    shuffled = fill<std::int32_t>([next = order.begin()]() mutable { return *next++; });
    half = fill<bool>([&] { return (random() & 1) != 0; });
    flat = Value::single_segment(n);
    short_ones = segments([&] { return static_cast<std::int64_t>(random() % 21); });
    rows = segments([] { return kRow; });
    in_row = fill<std::int32_t>([&, e = std::int64_t{0}]() mutable {
      const std::int64_t length = std::min(kRow, n - e / kRow * kRow);
      ++e;
      return static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(length));
    });
  }

  const double* doubles(const Value& v) { return static_cast<const double*>(evaluator_.heap().host_data(v)); }

 private:
  template <class T, class F>
  Value fill(F&& make) {
    runtime::VectorObject* v = evaluator_.heap().make_vector(vcode::kElemTypeOf<T>, elements);
    std::generate_n(static_cast<T*>(v->host), elements, make);
    return Value::adopt(v);
  }
  template <class F>
  Value segments(F&& length) {
    std::vector<std::int32_t> lengths;
    for (std::int64_t left = elements; left > 0; left -= lengths.back())
      lengths.push_back(static_cast<std::int32_t>(std::min<std::int64_t>(left, length())));
    runtime::VectorObject* v =
        evaluator_.heap().make_vector(cvl::ElemType::kI32, static_cast<std::int64_t>(lengths.size()));
    std::copy(lengths.begin(), lengths.end(), static_cast<std::int32_t*>(v->host));
    return evaluator_.make_segdes(Value::adopt(v));
  }
  template <class F>
  Value floats(F&& make) {
    return fill<double>(make);
  }

  runtime::Evaluator& evaluator_;

 public:
  std::int64_t elements;
  Value x, y, z, near, reversed, shuffled, half, flat, short_ones;
  static constexpr std::int64_t kRow = 100;
  Value rows, in_row;  ///< segments of kRow elements, and indices within them
};

/// A kernel in FCODE, its inputs, and its competitor.
struct Case {
  std::string name, against;
  std::string kernel;
  std::vector<Value> inputs;
  std::function<void()> reference;
};

/// Operations of one suffix as a program: the name of the first operand, then "= op …" lines.
std::string chain_of_twenty() {
  std::string text = "(x FLOAT y FLOAT) OVER x\n";
  std::string last = "x";
  for (int k = 0; k < 20; ++k) {
    text += fmt::format("c{} = {} FLOAT {} y\n", k, std::array{"+", "*", "-"}[static_cast<std::size_t>(k % 3)], last);
    last = fmt::format("c{}", k);
  }
  return text + "OUT c19\n";
}

constexpr const char* kBlackScholes = R"((s FLOAT k FLOAT t FLOAT d SEGDES) OVER d
r0 = CONST FLOAT 0.02
r = DIST FLOAT r0 d
v0 = CONST FLOAT 0.3
v = DIST FLOAT v0 d
g0 = CONST FLOAT 0.065
g = DIST FLOAT g0 d
zero0 = CONST FLOAT 0.0
zero = DIST FLOAT zero0 d
one0 = CONST FLOAT 1.0
one = DIST FLOAT one0 d
minus0 = CONST FLOAT -0.5
minus = DIST FLOAT minus0 d
p0 = CONST FLOAT 0.2316419
p = DIST FLOAT p0 d
q0 = CONST FLOAT 0.39894228040143267794
q = DIST FLOAT q0 d
a10 = CONST FLOAT 0.31938153
a1 = DIST FLOAT a10 d
a20 = CONST FLOAT -0.356563782
a2 = DIST FLOAT a20 d
a30 = CONST FLOAT 1.781477937
a3 = DIST FLOAT a30 d
a40 = CONST FLOAT -1.821255978
a4 = DIST FLOAT a40 d
a50 = CONST FLOAT 1.330274429
a5 = DIST FLOAT a50 d
root = SQRT t
spread = * FLOAT v root
ratio = / FLOAT s k
logarithm = LOG ratio
drift = * FLOAT g t
above = + FLOAT logarithm drift
d1 = / FLOAT above spread
d2 = - FLOAT d1 spread
%NORMAL1%%NORMAL2%rt = * FLOAT r t
nrt = - FLOAT zero rt
discount = EXP nrt
kd = * FLOAT k discount
left = * FLOAT s n1
right = * FLOAT kd n2
call = - FLOAT left right
OUT call
)";

/// The cumulative normal distribution of d1 or d2 as steps.
std::string normal_steps(int i) {
  std::string text = R"(neg# = - FLOAT zero d#
isneg# = < FLOAT d# zero
l# = SELECT FLOAT isneg# neg# d#
pl# = * FLOAT p l#
opl# = + FLOAT one pl#
k# = / FLOAT one opl#
e1# = * FLOAT k# a5
e2# = + FLOAT a4 e1#
e3# = * FLOAT k# e2#
e4# = + FLOAT a3 e3#
e5# = * FLOAT k# e4#
e6# = + FLOAT a2 e5#
e7# = * FLOAT k# e6#
e8# = + FLOAT a1 e7#
e9# = * FLOAT k# e8#
ll# = * FLOAT l# l#
hll# = * FLOAT minus ll#
ex# = EXP hll#
qe# = * FLOAT q ex#
w# = * FLOAT qe# e9#
ow# = - FLOAT one w#
n# = SELECT FLOAT isneg# w# ow#
)";
  for (std::size_t at; (at = text.find('#')) != std::string::npos;) text[at] = static_cast<char>('0' + i);
  return text;
}

std::string black_scholes_kernel() {
  std::string text = kBlackScholes;
  text.replace(text.find("%NORMAL1%"), 9, normal_steps(1));
  text.replace(text.find("%NORMAL2%"), 9, normal_steps(2));
  return text;
}

/// The result of one operation.
Value apply(runtime::Evaluator& evaluator, Op op, Suffix suffix, std::vector<Value> stack) {
  if (!evaluator.apply(op, suffix, stack.data())) {
    fmt::print(stderr, "{}\n", evaluator.failure());
    std::exit(1);
  }
  return std::move(stack[0]);
}

/// Runs one operation on copies of the operands.
std::function<void()> operation(runtime::Evaluator& evaluator, Op op, Suffix suffix,
                                const std::vector<Value>& operands) {
  return [&evaluator, op, suffix, operands] { apply(evaluator, op, suffix, operands); };
}

void permute_squares_one_by_one(runtime::Evaluator& evaluator, const Value& x, const Value& places, const Value& flat) {
  const Value squares = apply(evaluator, Op::kMultiply, Suffix::kFloat, {x, x});
  const Value indices = apply(evaluator, Op::kAnd, Suffix::kInt, {places, places});
  apply(evaluator, Op::kPermute, Suffix::kFloat, {squares, indices, flat});
}

std::vector<Case> all_cases(runtime::Evaluator& evaluator, Data& d, peers::Team& team) {
  const std::int64_t n = d.elements;
  auto run = [&](Op op, Suffix suffix, const std::vector<Value>& operands) {
    return operation(evaluator, op, suffix, operands);
  };
  const auto reduce_x = run(Op::kSumReduce, Suffix::kFloat, {d.x, d.flat});
  const std::string permute_squares =
      "(x FLOAT i INT s SEGDES) OVER s\np = * FLOAT x x\nj = AND INT i i\nt = PERMUTE FLOAT p j s\nOUT t\n";
  const auto result = std::make_shared<std::vector<double>>(static_cast<std::size_t>(n));
  return {
      {"dot",
       "a loop by hand",
       "(x FLOAT y FLOAT s SEGDES) OVER s\np = * FLOAT x y\nt = +_REDUCE FLOAT p s\nOUT t\n",
       {d.x, d.y, d.flat},
       [&d, &team, n] { peers::dot(team, d.doubles(d.x), d.doubles(d.y), n); }},
      {"chain of 20", "one of them", chain_of_twenty(), {d.x, d.y}, run(Op::kAdd, Suffix::kFloat, {d.x, d.y})},
      {"map, reduce",
       "the reduction",
       "(x FLOAT s SEGDES) OVER s\nc = CONST FLOAT 2.0\nd = DIST FLOAT c s\np = * FLOAT x d\nq = + FLOAT p d\n"
       "t = +_REDUCE FLOAT q s\nOUT t\n",
       {d.x, d.flat},
       reduce_x},
      {"map, reduce short segments",
       "the reduction",
       "(x FLOAT s SEGDES) OVER s\np = * FLOAT x x\nt = +_REDUCE FLOAT p s\nOUT t\n",
       {d.x, d.short_ones},
       run(Op::kSumReduce, Suffix::kFloat, {d.x, d.short_ones})},
      {"reduce, map short segments",
       "one by one",
       "(x FLOAT s SEGDES) OVER s\nt = +_REDUCE FLOAT x s\nq = * FLOAT t t\nOUT q\n",
       {d.x, d.short_ones},
       [&evaluator, &d] {
         const Value sums = apply(evaluator, Op::kSumReduce, Suffix::kFloat, {d.x, d.short_ones});
         apply(evaluator, Op::kMultiply, Suffix::kFloat, {sums, sums});
       }},
      {"map, reduce, map short segments",
       "one by one",
       "(x FLOAT s SEGDES) OVER s\np = * FLOAT x x\nt = +_REDUCE FLOAT p s\nq = * FLOAT t t\nOUT q\n",
       {d.x, d.short_ones},
       [&evaluator, &d] {
         const Value squares = apply(evaluator, Op::kMultiply, Suffix::kFloat, {d.x, d.x});
         const Value sums = apply(evaluator, Op::kSumReduce, Suffix::kFloat, {squares, d.short_ones});
         apply(evaluator, Op::kMultiply, Suffix::kFloat, {sums, sums});
       }},
      {"map, scan",
       "the scan",
       "(x FLOAT s SEGDES) OVER s\nc = CONST FLOAT 2.0\nd = DIST FLOAT c s\np = * FLOAT x d\nq = + FLOAT p d\n"
       "t = +_SCAN FLOAT q s\nOUT t\n",
       {d.x, d.flat},
       run(Op::kSumScan, Suffix::kFloat, {d.x, d.flat})},
      {"map, scan short segments",
       "the scan",
       "(x FLOAT s SEGDES) OVER s\np = * FLOAT x x\nt = +_SCAN FLOAT p s\nOUT t\n",
       {d.x, d.short_ones},
       run(Op::kSumScan, Suffix::kFloat, {d.x, d.short_ones})},
      {"map, pack",
       "the pack",
       "(x FLOAT s SEGDES) OVER s\nc = CONST FLOAT 5.0\nd = DIST FLOAT c s\nf = > FLOAT x d\n"
       "p ps = PACK FLOAT x f s\nOUT p ps\n",
       {d.x, d.flat},
       run(Op::kPack, Suffix::kFloat, {d.x, d.half, d.flat})},
      {"gather, map, reduce",
       "the gather",
       "(v FLOAT i INT s SEGDES) OVER s\ng = BPERMUTE FLOAT v i s s\nc = CONST FLOAT 2.0\nd = DIST FLOAT c s\n"
       "p = * FLOAT g d\nq = + FLOAT p d\nt = +_REDUCE FLOAT q s\nOUT t\n",
       {d.x, d.near, d.flat},
       run(Op::kBpermute, Suffix::kFloat, {d.x, d.near, d.flat, d.flat})},
      {"gather, weigh, reduce",
       "the gather",
       "(v FLOAT i INT x FLOAT s SEGDES) OVER s\ng = BPERMUTE FLOAT v i s s\np = * FLOAT g x\n"
       "t = +_REDUCE FLOAT p s\nOUT t\n",
       {d.x, d.near, d.y, d.flat},
       run(Op::kBpermute, Suffix::kFloat, {d.x, d.near, d.flat, d.flat})},
      {"gather in rows, reduce",
       "the gather",
       "(v FLOAT i INT s SEGDES) OVER s\ng = BPERMUTE FLOAT v i s s\np = * FLOAT g g\nt = +_REDUCE FLOAT p s\nOUT t\n",
       {d.x, d.in_row, d.rows},
       run(Op::kBpermute, Suffix::kFloat, {d.x, d.in_row, d.rows, d.rows})},
      {"map, permute reversing",
       "the permute",
       permute_squares,
       {d.x, d.reversed, d.flat},
       run(Op::kPermute, Suffix::kFloat, {d.x, d.reversed, d.flat})},
      {"map, permute at random",
       "the permute",
       permute_squares,
       {d.x, d.shuffled, d.flat},
       run(Op::kPermute, Suffix::kFloat, {d.x, d.shuffled, d.flat})},
      {"map, permute reversing",
       "one by one",
       permute_squares,
       {d.x, d.reversed, d.flat},
       [&evaluator, &d] { permute_squares_one_by_one(evaluator, d.x, d.reversed, d.flat); }},
      {"map, permute at random",
       "one by one",
       permute_squares,
       {d.x, d.shuffled, d.flat},
       [&evaluator, &d] { permute_squares_one_by_one(evaluator, d.x, d.shuffled, d.flat); }},
      {"map, two reductions",
       "one reduction",
       "(x FLOAT s SEGDES) OVER s\np = * FLOAT x x\nt = +_REDUCE FLOAT p s\nm = MAX_REDUCE FLOAT x s\nOUT t m\n",
       {d.x, d.flat},
       reduce_x},
      {"Black-Scholes",
       "a loop by hand",
       black_scholes_kernel(),
       {d.x, d.y, d.z, d.flat},
       [&d, &team, n, result] {
         peers::black_scholes(team, d.doubles(d.x), d.doubles(d.y), d.doubles(d.z), result->data(), n);
       }},
  };
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> samples) {
  std::nth_element(samples.begin(), samples.begin() + std::ptrdiff_t(samples.size() / 2), samples.end());
  return samples[samples.size() / 2];
}

/// A kernel read from its text.
class Fused {
 public:
  Fused(const std::string& text, runtime::Evaluator& evaluator)
      : evaluator_(evaluator), source_("kernel", "FCODE 1\nKERNEL 0 k " + text + "RET\nFUNC MAIN\nRET\n") {
    base::Diagnostics diagnostics;
    program_ = vcode::parse_vcode(source_, diagnostics);
    if (!program_ || diagnostics.has_errors()) {
      fmt::print(stderr, "{}", base::render(source_, diagnostics));
      std::exit(1);
    }
    for (const vcode::Constant& constant : program_->constants) constants_.push_back(Value::scalar(constant.floats[0]));
    prepared_ = std::make_unique<runtime::PreparedKernel>(program_->kernels[0], constants_, evaluator.heap().device(),
                                                          evaluator.widths());
  }

  void run(const std::vector<Value>& inputs) {
    std::vector<Value> stack = inputs;
    stack.resize(std::max(inputs.size(), program_->kernels[0].outputs.size()));
    if (evaluator_.run_kernel(*prepared_, stack.data())) return;
    fmt::print(stderr, "{}\n", evaluator_.failure());
    std::exit(1);
  }

 private:
  runtime::Evaluator& evaluator_;
  base::Source source_;
  std::optional<vcode::Program> program_;
  std::vector<Value> constants_;
  std::unique_ptr<runtime::PreparedKernel> prepared_;
};

void run_case(const Case& row, runtime::Evaluator& evaluator, const Options& options) {
  Fused fused(row.kernel, evaluator);
  std::vector<double> ours, theirs;
  fused.run(row.inputs);
  row.reference();
  for (std::int64_t k = 0; k < options.samples; ++k) {
    ours.push_back(seconds_of([&] { fused.run(row.inputs); }));
    theirs.push_back(seconds_of(row.reference));
  }
  fmt::print("{:<28}{:>12.3f} us  {:>12.3f} us for {:<16}{:>7.2f}\n", row.name, median(ours) * 1e6,
             median(theirs) * 1e6, row.against, median(ours) / median(theirs));
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  const bench::Options options = bench::take_options(argc, argv);
  cvl::BackendOptions backend_options;
  backend_options.threads = static_cast<int>(options.threads);
  backend_options.native = options.native.c_str();
  std::string error;
  cvl::BackendPtr backend =
      cvl::load_backend(options.backend, cvl::default_backend_directories(), backend_options, error);
  if (backend == nullptr) {
    fmt::print(stderr, "kernel_bench: {}\n", error);
    return 1;
  }
  fmt::print("{}, {} elements\n", backend->description(), options.elements);
  runtime::Evaluator evaluator(*backend, {});
  bench::Data data(evaluator, options.elements);
  peers::Team team(backend_options.threads);
  const std::regex filter(options.filter);
  for (const bench::Case& row : bench::all_cases(evaluator, data, team))
    if (std::regex_search("kernel/" + row.name, filter)) bench::run_case(row, evaluator, options);
  return 0;
}
