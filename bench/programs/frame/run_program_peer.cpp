// Runs the peer of one NESL program: run_program_peer NAME [THREADS] < "(ROUNDS SIZE ...)", with the input of the NESL
// program. With --machine instead of a name, prints the present speed of the machine.

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <iterator>
#include <sstream>

#include "machine_speed.h"
#include "peer_run.h"

namespace {

/// Reads the numbers of standard input, "(5 1000)".
std::vector<std::int64_t> read_parameters() {
  std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '(' || c == ')'; }, ' ');
  std::istringstream numbers(text);
  return {std::istream_iterator<std::int64_t>(numbers), {}};
}

int run(int count, char** words) {
  const std::string name = count > 1 ? words[1] : "";
  const int threads = count > 2 ? std::stoi(words[2]) : 1;
  if (name == "--machine") {
    peers::Team team(threads);
    const double copied = program_peers::copy_bandwidth(team);
    const program_peers::SpinTimes spin = program_peers::spin_times();
    fmt::print("copy_GB_per_s {:.4g}\nspin_ms {:.4g}\nspin_worst_ms {:.4g}\n", copied / 1e9, spin.median * 1e3,
               spin.worst * 1e3);
    return 0;
  }
  for (const program_peers::Peer* peer : program_peers::Peer::all()) {
    if (name != peer->name) continue;
    const std::vector<std::int64_t> parameters = read_parameters();
    if (parameters.size() < 2 || parameters[0] < 1 || parameters[1] < 1) {
      fmt::print(stderr, "run_program_peer: standard input should be (ROUNDS SIZE ...), both positive\n");
      return 1;
    }
    program_peers::Run run(parameters, threads);
    peer->body(run);
    return 0;
  }
  fmt::print(stderr, "run_program_peer: no PROGRAM_PEER({}) is built in\n", name);
  return 1;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(count, words);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "run_program_peer: {}\n", failure.what());
    return 1;
  }
}
