// Programs on several devices, each a host executor of the CUDA library.

#include <algorithm>
#include <map>
#include <regex>

#include "command.h"

namespace {

struct Devices : Command {
  const ProcessResult& run(const std::string& options) {
    return shell(std::string(NESL_COMMAND " run --backend=cuda-host --kernel-cache=off ") + options + " a.nesl");
  }
  /// Launches by device, as the profile of the last run has them.
  std::map<int, int> launches() const {
    std::map<int, int> found;
    const std::regex line("device ([0-9]+):[^\n]*?([0-9]+) launches");
    for (std::sregex_iterator at(result.errors.begin(), result.errors.end(), line), end; at != end; ++at)
      found[std::stoi((*at)[1])] = std::stoi((*at)[2]);
    return found;
  }
  /// Expects that a device has run pieces, or none. Its start takes one launch.
  void expect_pieces(int device, bool any) const {
    const std::map<int, int> found = launches();
    ASSERT_TRUE(found.contains(device)) << result.errors;
    EXPECT_EQ(found.at(device) > 1, any) << result.errors;
  }
};

constexpr const char* kQuicksort = R"(
function quicksort(v) =
  if #v < 2 then v
  else
    let pivot = v[#v / 2];
        parts = {quicksort(part) : part in [{x in v | x < pivot}, {x in v | x > pivot}]}
    in parts[0] ++ {x in v | x == pivot} ++ parts[1];
function check(v) = (sum({rem(x * (i + 1), 1009) : x in v; i in [0:#v]}), v[0], v[#v - 1]);
check(quicksort({rem(i * 7919, 1000003) : i in [0:600000]}));
)";

// A vector that pieces share, results of floats, and results that are sequences.
constexpr const char* kWalks = R"(
function walk(x, k, table) =
  if k == 0 then x else walk(rem(x + table[rem(x, #table)], 1000003), k - 1, table);
function root(x, k) = if k == 0 then x else root((x + float(k) / x) * 0.5, k - 1);
function some(x, table) = let y = walk(x, 3, table) in [y:y + rem(y, 3)];
let table = {i * i + 7 : i in [0:1000]};
    n = 600000;
    ints = {walk(i, 9 + rem(i, 2), table) : i in [0:n]};
    floats = {root(float(i + 1), 5) : i in [0:n]};
    sequences = {some(i, table) : i in [0:n]};
in (sum({rem(a * (i + 1), 1009) : a in ints; i in [0:n]}),
    max_val(floats), floats[n / 3], floats[n - 1], #flatten(sequences), sequences[n - 2]);
)";

TEST_F(Devices, ResultsAreThoseOfOneDevice) {
  file("a.nesl", kWalks);
  for (const char* pieces : {"", "--pieces=1M "}) {
    const std::string expected = run(pieces).output;
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    for (const std::string devices : {"2", "0,1", "3,0,1"}) {
      SCOPED_TRACE(pieces + devices);
      run(pieces + ("--profile --devices=" + devices));
      EXPECT_EQ(result.exit_status, 0) << result.errors;
      EXPECT_EQ(result.output, expected);
      EXPECT_EQ(std::ssize(launches()), 1 + std::ranges::count(devices, ','));
      for (const auto& [device, count] : launches()) expect_pieces(device, true);
    }
  }
}

TEST_F(Devices, RecursionsAreSharedOutWhereTheirArgumentsAreBalanced) {
  file("a.nesl", kQuicksort);
  const std::string expected = run("--devices=0").output;
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  run("--profile --devices=1,0");
  EXPECT_EQ(result.output, expected);
  expect_pieces(0, true);
  expect_pieces(1, true);
}

TEST_F(Devices, SumsOfFloatsAreCutAsOnOneDevice) {
  file("a.nesl",
       "function mean(v, k) = if k == 0 then sum(v) / float(#v) else mean({x * 1.0001 : x in v}, k - 1);\n"
       "let rows = {{float(i) / float(j + 1) : j in [0:100]} : i in [0:20000]};\n"
       "    means = {mean(row, 3) : row in rows} in (means[7], sum(means));\n");
  for (const char* pieces : {"", "--pieces=1M "}) {
    const std::string expected = run(std::string(pieces) + "--devices=0").output;
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    run(std::string(pieces) + "--profile --devices=0,1");
    EXPECT_EQ(result.output, expected);
    expect_pieces(1, pieces[0] != 0);
  }
}

TEST_F(Devices, ShortCallsStayOnTheFirstDevice) {
  file("a.nesl",
       "function walk(x, k) = if k == 0 then x else walk(x + 1, k - 1);\nsum({walk(i, 9) : i in [0:100000]});\n");
  run("--profile --devices=0,1");
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  expect_pieces(1, false);
}

TEST_F(Devices, TheFirstFaultIsReportedAsByOneDevice) {
  for (const char* zeros : {"555555", "1234", "555555 * (x - 1234)"}) {
    const std::string fault =
        zeros == std::string("555555 * (x - 1234)") ? "(x - 555555) * (x - 1234)" : "x - " + std::string(zeros);
    file("a.nesl", "function walk(x, k) = if k == 0 then 1000 / (" + fault +
                       ") else walk(x + 1, k - 1);\nsum({walk(i, 3) : i in [0:600000]});\n");
    const std::string expected = run("--devices=1").errors;
    EXPECT_NE(expected.find("Divide by zero"), std::string::npos) << expected;
    EXPECT_NE(
        expected.find(std::string("at element [") + (fault.find("1234") != std::string::npos ? "1231]" : "555552]")),
        std::string::npos)
        << expected;
    run("--devices=0,1");
    expect(1, "", expected);
  }
}

TEST_F(Devices, PiecesThatDoNotFitAreHalved) {
  file("a.nesl",
       "function walk(x, k) = if k == 0 then x else\n"
       "  let t = [x:x + (if k < 3 then 30 else 1)] in walk(rem(sum({a * a : a in t}), 1003), k - 1);\n"
       "let v = {walk(i, 3) : i in [0:600000]} in (sum(v), v[599999]);\n");
  const std::string expected = run("--devices=0").output;
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  run("--devices=0,1 --memory=60M --trace-out=trace.json");
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.output, expected);
  // The pieces of both devices, and halves.
  const std::string trace = text_of("trace.json");
  std::size_t pieces = 0;
  for (std::size_t at = 0; (at = trace.find("\"cat\":\"piece\"", at)) != std::string::npos; ++at) ++pieces;
  EXPECT_GT(pieces, 2u);
  run("--devices=0,1 --memory=10M");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("out of memory: asked for "), std::string::npos) << result.errors;
}

TEST_F(Devices, TimeoutEndsThePiecesOfAllDevices) {
  // Without end on the second device only.
  file("a.nesl",
       "function spin(x, k) = if k == 0 then x else spin(rem(x * x + 1, 1003), k);\n"
       "sum({spin(i, if i > 300000 then 1 else 0) : i in [0:600000]});\n");
  run("--devices=0,1 --timeout=1");
  expect_error("a.nesl:1:");
  EXPECT_NE(result.errors.find("the time given by --timeout is over"), std::string::npos) << result.errors;
}

TEST_F(Devices, ALostDeviceIsNamed) {
  file("a.nesl", kWalks);
  shell("CVL_CUDA_HOST_LOSE=20:1 " NESL_COMMAND " run --backend=cuda-host --kernel-cache=off --devices=0,1 a.nesl");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.output, "");
  EXPECT_NE(result.errors.find(": device 1: the CUDA device failed while computing"), std::string::npos)
      << result.errors;
}

TEST_F(Devices, ProfilesAndTracesNameTheDevice) {
  file("a.nesl", kWalks);
  run("--devices=2,1 --profile --trace-out=trace.json");
  EXPECT_NE(result.errors.find("\ndevice 2: "), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("\ndevice 1: "), std::string::npos) << result.errors;
  EXPECT_NE(text_of("trace.json").find("\"name\":\"pieces, device 1\""), std::string::npos);
}

TEST_F(Devices, WrongListsAreRefused) {
  file("a.nesl", "1;");
  for (const char* list : {"0,,1", "0,1,", ",", "x", "-1", "0 1", "1.5", "99999999999", "1024", "''"}) {
    run(std::string("--devices='") + list + "'");
    EXPECT_EQ(result.exit_status, 1) << list;
    EXPECT_NE(result.errors.find("is not a list of devices; give their numbers, with commas between, as in 0,1"),
              std::string::npos)
        << result.errors;
  }
  run("--devices=1,0,1");
  expect_error("nesl: --devices: device 1 is there twice in '1,0,1'\n");
  run("--devices=0,7");
  expect_error("nesl: devices: there is no device 7: devices are numbered from 0 to 3\n");
  shell(NESL_COMMAND " run --backend=cpu --devices=0 a.nesl");
  expect_error("nesl: devices: backend 'cpu' has no devices to choose among\n");
  shell(NESL_COMMAND " run --backend=nonesuch --devices=0 a.nesl");
  expect_error("nesl: devices: there is no backend 'nonesuch': ");
}

}  // namespace
