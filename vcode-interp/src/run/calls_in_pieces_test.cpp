// Programs whose calls run in pieces of various sizes and on several threads.

#include <gtest/gtest.h>

#include <chrono>
#include <limits>

#include "interpreter_testing.h"
#include "machine/piece.h"
#include "oracle.h"
#include "separate_memory.h"
#include "vcode-interp/profile.h"

namespace interp {
namespace {

using testing::Outcome;

/// A program that computes, for each element x, x squared and x copies of it. `extra` is code that is applied to x
/// first.
std::string squares(const std::string& numbers, const std::string& extra) {
  return "FCODE 1\n"
         "FUNC MAIN CONST INT " +
         numbers +
         " CALL f RET\n"
         "FUNC f PIECES EACH\n" +
         extra + "COPY 1 0 COPY 1 0 * INT CPOP 1 1 COPY 1 0 MAKE_SEGDES CPOP 1 1 COPY 1 1 DIST INT RET\n";
}

class PiecesTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  Outcome run(const std::string& text, cvl::Backend& backend) {
    RunOptions options;
    options.piece_bytes = GetParam();
    return testing::run_text(text, backend, options);
  }
  Outcome run(const std::string& text, int threads = 3, std::size_t memory = 0) {
    std::string error;
    cvl::BackendOptions options;
    options.threads = threads;
    options.memory_limit = memory;
    const cvl::BackendPtr backend = cvl::load_backend("cpu", cvl::default_backend_directories(), options, error);
    EXPECT_TRUE(backend) << error;
    return run(text, *backend);
  }
};

std::string list(int n) {
  std::string numbers = "(";
  for (int k = 0; k < n; ++k) numbers += std::to_string(k % 7) + (k + 1 < n ? " " : ")");
  return numbers;
}

TEST_P(PiecesTest, ResultsEqualThoseOfAWholeCall) {
  const auto oracle = cvl::conformance::make_oracle({}, cvl::conformance::Addresses::kAnyHost);
  for (const int n : {1, 2, 3, 100, 2000}) {
    const std::string text = squares(list(n), "");
    RunOptions whole;
    whole.piece_bytes = 0;
    const Outcome expected = testing::run_text(text, *oracle, whole);
    EXPECT_EQ(expected.status, 0) << expected.errors;
    const auto device = cvl::conformance::make_separate_memory(
        cvl::conformance::make_oracle({}, cvl::conformance::Addresses::kAnyHost));
    for (const Outcome& found : {run(text, *oracle), run(text, *device), run(text, 1), run(text, 3)}) {
      EXPECT_EQ(found.out, expected.out);
      EXPECT_EQ(found.status, 0) << found.errors;
    }
  }
}

TEST_P(PiecesTest, TheFaultOfTheFirstPieceIsReported) {
  const std::string divides =
      "FCODE 1\nFUNC MAIN CONST INT (4 2 1 0 0 3 0) CALL f RET\n"
      "FUNC f PIECES EACH\n"
      "COPY 1 0 CPOP 1 1 / INT RET\n";
  for (const int threads : {1, 3}) {
    const Outcome found = run(divides, threads);
    EXPECT_EQ(found.status, 1);
    EXPECT_NE(found.errors.find("division by zero"), std::string::npos) << found.errors;
    EXPECT_NE(found.errors.find("in function f"), std::string::npos) << found.errors;
    EXPECT_NE(found.errors.find("called from MAIN"), std::string::npos) << found.errors;
  }
}

TEST_P(PiecesTest, PiecesWithResultsOfDifferentKindsAreRefused) {
  // f returns a vector if there is a 1, else a descriptor.
  const Outcome found =
      run("FCODE 1\nFUNC MAIN CONST INT (1 2 3) CALL f RET\n"
          "FUNC f PIECES EACH\nCOPY 1 0 COPY 1 0 LENGTH INT MAKE_SEGDES MIN_REDUCE INT\n"
          "CONST INT 1 = INT IF ELSE MAKE_SEGDES ENDIF RET\n");
  const bool is_refused = found.errors.find("return values of different kinds") != std::string::npos;
  EXPECT_EQ(is_refused, found.status != 0) << found.errors;
  EXPECT_EQ(is_refused, GetParam() == 1);
}

TEST_P(PiecesTest, LoopsOfTailCallsTakeConstantStack) {
  // go(x, k) = if k = 0 then x else go(x, k - 1), for all x at once
  const Outcome found =
      run("FCODE 1\nFUNC MAIN CONST INT (1 2 3 4) CONST INT 100000 CALL go RET\n"
          "FUNC go PIECES EACH SHARED\n"
          "COPY 1 0 CONST INT 0 = INT IF POP 1 0 ELSE CONST INT 1 - INT CALL go ENDIF RET\n");
  EXPECT_EQ(found.status, 0) << found.errors;
  EXPECT_NE(found.out.find("( 1 2 3 4 )"), std::string::npos) << found.out;
}

TEST_P(PiecesTest, ProfilesCountTheWorkOfAllWorkers) {
  Profile profile(false);
  RunOptions options;
  options.piece_bytes = GetParam();
  options.profile = &profile;
  std::string error;
  const cvl::BackendPtr backend = cvl::load_backend("cpu", cvl::default_backend_directories(), {.threads = 3}, error);
  const Outcome found = testing::run_text(squares(list(100), ""), *backend, options);
  EXPECT_EQ(found.status, 0) << found.errors;
  const ProfileRow& row = profile.instructions().at("* INT");
  EXPECT_EQ(row.elements, 100u);
  EXPECT_GE(row.count, GetParam() == 1 ? 100u : 1u);
}

TEST_P(PiecesTest, ProfilesCountEachCallOnce) {
  Profile profile(false);
  RunOptions options;
  options.piece_bytes = GetParam();
  options.profile = &profile;
  std::string error;
  const cvl::BackendPtr backend = cvl::load_backend("cpu", cvl::default_backend_directories(), {.threads = 1}, error);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(testing::run_text(squares(list(10000), ""), *backend, options).status, 0);
  const double whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  double instructions = 0, functions = 0;
  for (const auto& [name, row] : profile.instructions()) instructions += row.seconds;
  for (const auto& [name, row] : profile.functions()) functions += row.seconds;
  EXPECT_LE(instructions, whole);
  EXPECT_LE(functions, whole);
  EXPECT_EQ(profile.functions().at("f").count, profile.instructions().at("* INT").count);
}

INSTANTIATE_TEST_SUITE_P(, PiecesTest, ::testing::Values(0, 1, 200, 5000, std::size_t{4} << 20));

TEST(Pieces, PiecesThatDoNotFitIntoMemoryAreMadeSmaller) {
  // Each of 64 elements makes 10^6 numbers and adds them up: 256 MB as a whole, 4 MB for one.
  const std::string text =
      "FCODE 1\nFUNC MAIN\nCONST INT 1000000 CONST SEGDES 64 DIST INT CALL f RET\n"
      "FUNC f PIECES EACH\nCOPY 1 0 COPY 1 0 LENGTH INT MAKE_SEGDES +_REDUCE INT MAKE_SEGDES\n"
      "CONST INT 1 CPOP 1 1 DIST INT CPOP 1 1 MAKE_SEGDES +_REDUCE INT RET\n";
  std::string error;
  for (const int threads : {1, 3}) {
    const cvl::BackendPtr backend = cvl::load_backend("cpu", cvl::default_backend_directories(),
                                                      {.threads = threads, .memory_limit = 64 << 20}, error);
    RunOptions whole;
    whole.piece_bytes = 0;
    const Outcome refused = testing::run_text(text, *backend, whole);
    EXPECT_EQ(refused.status, 1) << refused.out;
    EXPECT_NE(refused.errors.find("out of memory"), std::string::npos) << refused.errors;
    const Outcome found = testing::run_text(text, *backend);
    EXPECT_EQ(found.status, 0) << found.errors;
    EXPECT_NE(found.out.find("1000000"), std::string::npos) << found.out;
    EXPECT_EQ(backend->memory_use().live, 0u);
  }
}

TEST(Pieces, OnADeviceCallsRunAsAWholeUntilMemoryRunsOut) {
  // f(x) of 64 elements, twice: the sum of x ones, 40000 of them. A call writes 160000 bytes for each element: 16 fit
  // into 3 MB.
  const std::string text =
      "FCODE 1\nFUNC MAIN\nCONST INT 40000 CONST SEGDES 64 DIST INT COPY 1 0 CALL f CPOP 1 1 CALL f RET\n"
      "FUNC f PIECES EACH\nMAKE_SEGDES CONST INT 1 COPY 1 1 ELEMENTS MAKE_SEGDES DIST INT CPOP 1 1 +_REDUCE INT RET\n";
  for (const auto& [limit, runs] : {std::pair{std::size_t{0}, 2u}, {std::size_t{3} << 20, 8u}}) {
    const auto device = cvl::conformance::make_separate_memory(
        cvl::conformance::make_oracle({.memory_limit = limit}, cvl::conformance::Addresses::kAnyHost));
    Profile profile(false);
    RunOptions options;
    options.profile = &profile;
    const Outcome found = testing::run_text(text, *device, options);
    EXPECT_EQ(found.status, 0) << found.errors;
    EXPECT_NE(found.out.find("40000 40000"), std::string::npos) << found.out;
    EXPECT_EQ(profile.instructions().at("+_REDUCE INT").count, runs);
    EXPECT_EQ(device->memory_use().live, 0u);
  }
}

TEST(Pieces, ElementsThatTakeMuchMoreThanTheirOperandsAreFewInAPiece) {
  // Each of 2000 elements makes 100000 numbers and adds them up: 800 MB as a whole, 0.4 for one.
  const std::string text =
      "FCODE 1\nFUNC MAIN\nCONST INT 100000 CONST SEGDES 2000 DIST INT CALL f RET\n"
      "FUNC f PIECES EACH\nMAKE_SEGDES CONST INT 1 COPY 1 1 ELEMENTS MAKE_SEGDES DIST INT CPOP 1 1 +_REDUCE INT RET\n";
  std::string error;
  const cvl::BackendPtr backend = cvl::load_backend("cpu", cvl::default_backend_directories(), {.threads = 2}, error);
  const Outcome found = testing::run_text(text, *backend);
  EXPECT_EQ(found.status, 0) << found.errors;
  EXPECT_LT(backend->memory_use().held, 100u << 20);
}

/// Runs a program of calls with short vectors in the pieces that the run time chooses.
Outcome run_on_threads(const std::string& text, int threads, Profile* profile = nullptr) {
  std::string error;
  RunOptions options;
  options.profile = profile;
  const cvl::BackendPtr backend =
      cvl::load_backend("cpu", cvl::default_backend_directories(), {.threads = threads}, error);
  EXPECT_TRUE(backend) << error;
  return testing::run_text(text, *backend, options);
}

TEST(Pieces, ThreadsDivideCallsWhoseVectorsAreShort) {
  const std::string text = "FCODE 1\nFUNC MAIN CONST INT " + list(2000) +
                           " CONST INT 1000 CALL go RET\n"
                           "FUNC go PIECES EACH SHARED\n"
                           "COPY 1 0 CONST INT 0 = INT IF POP 1 0 ELSE\n"
                           "CONST INT 1 - INT CPOP 1 1 COPY 1 0 * INT CPOP 1 1 CALL go ENDIF RET\n";
  Profile of_one(false), of_two(false);
  const Outcome one = run_on_threads(text, 1, &of_one), two = run_on_threads(text, 2, &of_two);
  EXPECT_EQ(one.status, 0) << one.errors;
  EXPECT_EQ(two.out, one.out);
  EXPECT_GE(of_two.instructions().at("* INT").count, of_one.instructions().at("* INT").count + 1000);
}

TEST(Pieces, ThreadsDoNotDecideWhichFaultIsReported) {
  // In step y, an element y divides by zero: element 1900 before element 700.
  std::string numbers = "(";
  for (int k = 0; k < 2000; ++k) numbers += k == 700 ? "900 " : k == 1900 ? "500 " : "2000 ";
  const std::string text = "FCODE 1\nFUNC MAIN CONST INT " + numbers +
                           ") CONST INT 1000 CALL go RET\n"
                           "FUNC go PIECES EACH SHARED\n"
                           "COPY 1 0 CONST INT 0 = INT IF POP 1 0 ELSE\n"
                           "CONST INT 1 - INT CPOP 1 1 COPY 1 0 COPY 1 0 / INT - INT CPOP 1 1 CALL go ENDIF RET\n";
  const Outcome one = run_on_threads(text, 1);
  EXPECT_EQ(one.status, 1);
  EXPECT_NE(one.errors.find("called from go, 500 times"), std::string::npos) << one.errors;
  EXPECT_EQ(run_on_threads(text, 2).errors, one.errors);
}

TEST(PieceSizes, ThreadsDivideMostOfTheWork) {
  const double million = 1 << 20;
  const auto pieces = [&](double fixed, double divided, int threads) {
    return pieces_for_threads({1e9, {.bytes = 1000, .steps = fixed}, fixed, divided / 1000}, 1000, threads);
  };
  EXPECT_EQ(pieces(2 * million, 16 * million, 4), 4);
  EXPECT_EQ(pieces(2 * million, 16 * million, 16), 8);
  EXPECT_EQ(pieces(0.2 * million, 16 * million, 4), 8);
  // Mostly fixed, little, or long vectors.
  EXPECT_EQ(pieces(20 * million, 4 * million, 4), 1);
  EXPECT_EQ(pieces(2 * million, 3 * million, 4), 2);
  EXPECT_EQ(pieces(0.1 * million, million, 4), 1);
  EXPECT_EQ(pieces(0.01 * million, 16 * million, 4), 1);
  EXPECT_EQ(pieces_for_threads({}, 1e9, 4), 1);
}

TEST(PieceSizes, TwoSamplesGiveTheSize) {
  // A piece takes twelve bytes of memory for each byte of operands.
  EXPECT_EQ(piece_size({10, 120, 0, 0}, {80, 960, 0, 0}, 24000).bytes, 2000);
  // Memory that does not depend on the size is not counted, nor the memory of the operands.
  EXPECT_EQ(piece_size({10, 1000, 0, 0}, {80, 1070, 0, 0}, 24000).bytes, 12000);
  // The fixed work is at most a tenth.
  EXPECT_EQ(piece_size({10, 120, 50000 + 10, 0}, {80, 960, 50000 + 80, 0}, 24000).bytes, 500000);
  // The work of the interpreter counts as fixed, although the larger sample has more of it.
  EXPECT_EQ(piece_size({10, 120, 1000 + 10, 0, 1000}, {80, 960, 5000 + 80, 0, 5000}, 24000).bytes, 50000);
}

TEST(PieceSizes, FunctionsWithLittleMemoryBesidesResultsHaveInfinitePieces) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(piece_size({}, {8000, 9000, 20000, 8000}, 24000).bytes, infinity);
  EXPECT_LT(piece_size({}, {8000, 16000, 20000, 8000}, 24000).bytes, infinity);
  // Too few results decide nothing.
  EXPECT_LT(piece_size({}, {80, 90, 200, 80}, 24000).bytes, infinity);
}

}  // namespace
}  // namespace interp
