// Random NESL programs, evaluated element by element and through flattening, code generation and interpreter, each at
// one optimization level and with one form of fusion. Programs with other widths of numbers than the evaluator's are
// run at two levels instead.

#include <chrono>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "../nesl/case_session.h"
#include "../random-programs/seed.h"
#include "element_evaluator.h"
#include "random_source.h"

namespace evaluator {
namespace {

/// The evaluator's results for a statement.
struct Expectation {
  std::string value;               ///< the value, if there is one
  std::set<std::string> messages;  ///< otherwise: the errors, one of which must occur
  bool unsupported = false;
};

/// The result of comparing a program.
struct Outcome {
  std::string difference = {};  ///< empty if both agree
  bool rejected = false;        ///< the compiler rejected the program, which counts as a difference
  bool failed = false;          ///< both ended with a run-time error
  bool unsupported = false;
};

/// Options of a run.
struct Configuration {
  const char* name;
  fcode_opt::OptimizeOptions optimize = {};
  vcode::Widths widths = {};

  /// The flags, changed to this configuration.
  nesl_cli::Flags in(nesl_cli::Flags flags) const {
    flags.optimize = optimize;
    flags.run.widths = widths;
    return flags;
  }
};

constexpr vcode::Widths kOtherWidths = {vcode::ElemType::kI64, vcode::ElemType::kF32};

/// The configuration for the program with this seed.
const Configuration& configuration(std::uint64_t seed) {
  using fcode_opt::Fusion;
  static const Configuration kConfigurations[] = {
      {"-O2"},
      {"-O0", {.level = 0}},
      {"-O1", {.level = 1}},
      {"-O2 --fusion=ilp", {.fusion = Fusion::kIlp}},
      {"-O2 --fusion=paper", {.fusion = Fusion::kPaper}},
      {"-O2 --fusion=none", {.fusion = Fusion::kNone}},
      {"-O1 --int=64 --float=32", {.level = 1}, kOtherWidths},
      {"-O2 --int=64 --float=32", {}, kOtherWidths},
      {"-O2 --int=64", {}, {.int_type = vcode::ElemType::kI64}},
      {"-O1 --float=32", {.level = 1}, {.float_type = vcode::ElemType::kF32}},
  };
  return kConfigurations[seed % std::size(kConfigurations)];
}

/// Compares programs. Needs a thread with a deep stack.
class Comparison {
 public:
  explicit Comparison(const nesl_cli::Flags& flags) : flags_(flags) {}

  Outcome compare(const std::string& program, const Configuration& configuration) {
    return configuration.widths == vcode::Widths{} ? compare_with_evaluator(program, configuration)
                                                   : compare_with_unoptimized(program, configuration);
  }

 private:
  /// A top level that prints values in full.
  struct Session {
    explicit Session(const nesl_cli::Flags& flags) : answers(flags) {
      answers.top_level().set("print_length", std::to_string(INT64_MAX));
    }
    nesl_cases::CaseSession answers;
  };

  static std::string text_of(const nesl_cases::Reply& reply) {
    return reply.error_class.empty() ? reply.value : reply.error_class + " " + said(reply);
  }
  /// The error text without the number of the element, which depends on flattening.
  static std::string said(const nesl_cases::Reply& reply) {
    return reply.error_text.substr(0, reply.error_text.find(" (element "));
  }

  Outcome compare_with_unoptimized(const std::string& program, Configuration configuration) const {
    Session session(configuration.in(flags_));
    configuration.optimize.level = 0;
    Session unoptimized(configuration.in(flags_));
    std::istringstream lines(program);
    for (std::string line; std::getline(lines, line);) {
      const nesl_cases::Reply reply = session.answers.answer(line), expected = unoptimized.answers.answer(line);
      const std::string found = text_of(reply), wanted = text_of(expected);
      // Another one of several errors may be the first.
      const bool both_failed = reply.error_class == "runtime" && expected.error_class == "runtime";
      if (!both_failed && found != wanted)
        return {.difference = "-O0: " + wanted + "\nfound: " + found + "\n" + session.answers.messages()};
      if (!expected.error_class.empty()) return {.failed = both_failed};
    }
    return {};
  }

  Outcome compare_with_evaluator(const std::string& program, const Configuration& configuration) {
    nesl::TypeStore types;
    Evaluator evaluator(types);
    front_end_.reset();
    Session session(configuration.in(flags_));
    nesl_cases::CaseSession& top_level = session.answers;
    Outcome outcome;
    std::istringstream lines(program);
    for (std::string line; std::getline(lines, line);) {
      const std::optional<Expectation> expected = expectation(evaluator, line);
      if (expected && expected->unsupported) return {.unsupported = true};
      const nesl_cases::Reply reply = top_level.answer(line);
      if (!expected && reply.error_class.empty()) continue;
      if (!expected) return {.difference = "the program is not accepted:\n" + top_level.messages(), .rejected = true};
      outcome = judge(*expected, reply, top_level.messages());
      if (outcome.failed || !outcome.difference.empty()) break;
    }
    return outcome;
  }

  /// The expected result; nothing for a definition, and for text with errors.
  std::optional<Expectation> expectation(Evaluator& evaluator, const std::string& text) {
    std::optional<Expectation> expected;
    base::Diagnostics ignored;  // the top level finds the same errors
    front_end_.read(front_end_.add_source("statement", text), ignored, [&](const nesl::Unit& unit) {
      if (unit.kind != nesl::Unit::Kind::kValue) return true;
      expected = expectation(evaluator, *unit.statement);
      front_end_.commit(unit);
      return true;
    });
    return expected;
  }

  static Expectation expectation(Evaluator& evaluator, const nesl::GlobalStatement& statement) {
    try {
      return {to_text(*evaluator.evaluate(statement), statement.value->type), {}};
    } catch (const Failure& failure) {
      return {"", failure.messages};
    } catch (const Unsupported&) {
      return {"", {}, true};
    }
  }

  static Outcome judge(const Expectation& expected, const nesl_cases::Reply& reply, const std::string& messages) {
    const std::string found = text_of(reply);
    if (!expected.messages.empty()) {
      if (reply.error_class == "runtime" && expected.messages.contains(said(reply))) return {.failed = true};
      std::string text = "one of these errors was expected:\n";
      for (const std::string& message : expected.messages) text += "  " + message + "\n";
      return {.difference = text + "but found:\n  " + found + "\n" + messages};
    }
    const std::size_t begin = reply.value.find(" = ") + 3, end = reply.value.rfind(" : ");
    if (reply.error_class.empty() && reply.value.substr(begin, end - begin) == expected.value) return {};
    return {.difference = "expected: " + expected.value + "\nfound:    " + found + "\n" + messages};
  }

  const nesl_cli::Flags flags_;
  nesl::Session front_end_;
};

struct Options {
  property::Seed seed;
  std::int64_t programs = 1000000;
  double seconds = 20;
  nesl_cli::Flags flags;
};

int run(const Options& options) {
  Comparison comparison(options.flags);
  options.seed.print();
  const auto start = std::chrono::steady_clock::now();
  auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  std::int64_t done = 0, failed = 0, unsupported = 0;
  for (; done < options.programs && elapsed() < options.seconds; ++done) {
    const std::uint64_t seed = options.seed.of(done);
    const SourceTree program = random_program(seed);
    const Configuration& how = configuration(seed);
    const Outcome outcome = comparison.compare(to_text(program), how);
    failed += outcome.failed ? 1 : 0;
    unsupported += outcome.unsupported ? 1 : 0;
    if (outcome.difference.empty()) continue;
    // A program that is rejected because shrinking has dropped a definition does not count.
    auto differs = [&](const std::string& text) {
      const Outcome shrunk = comparison.compare(text, how);
      return !shrunk.difference.empty() && shrunk.rejected == outcome.rejected;
    };
    const std::string smallest = to_text(shrink(program, differs));
    fmt::print("seed {}, {}:\n{}\n\nThe program, shrunk:\n\n{}\n\nThe program as generated:\n\n{}\nTo repeat: {}\n",
               seed, how.name, comparison.compare(smallest, how).difference, smallest, to_text(program),
               options.seed.command(done));
    return 1;
  }
  fmt::print("{} programs agree; {} of them end with a run-time error; {} more were not judged\n", done - unsupported,
             failed, unsupported);
  return 0;
}

}  // namespace
}  // namespace evaluator

int main(int argc, char** argv) {
  evaluator::Options options;
  bool print_only = false;
  CLI::App app("Evaluates random NESL programs element by element and through flattening, and compares.",
               "compare_evaluator");
  options.seed.add_to(app);
  app.add_option("--programs", options.programs, "at most so many")->capture_default_str();
  app.add_option("--seconds", options.seconds, "and for so long")
      ->envname("NESL_PROPERTY_SECONDS")
      ->capture_default_str();
  app.add_option("--pieces", options.flags.run.piece_bytes, "bytes of a piece");
  app.add_option("--threads", options.flags.backend_options.threads, "of the vector library (default: all)");
  app.add_option("--native", options.flags.native, "compiled kernels, as of vinterp");
  app.add_option("--simd", options.flags.simd, "instruction set, as of vinterp");
  app.add_flag("--print", print_only, "print the program of this seed instead");
  CLI11_PARSE(app, argc, argv);
  if (print_only) {
    fmt::print("{}", evaluator::to_text(evaluator::random_program(options.seed.of(0))));
    return 0;
  }
  int status = 0;
  nesl::run_with_deep_stack([&] { status = evaluator::run(options); });
  return status;
}
