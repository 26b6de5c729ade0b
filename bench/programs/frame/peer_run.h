#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "../../peers/team.h"
#include "hashed_data.h"
#include "huge_buffer.h"

namespace program_peers {

/// One run of a peer: its parameters, its times and its result.
class Run {
 public:
  /// The parameters are those that the NESL program reads: number of rounds, size, further arguments.
  Run(const std::vector<std::int64_t>& parameters, int threads);

  std::int64_t n() const { return parameters_[1]; }
  /// Argument i after the size.
  std::int64_t argument(std::size_t i) const { return parameters_.at(2 + i); }
  peers::Team& team() { return team_; }

  /// Times `work` once, and then once per round.
  template <class Work>
  void time(Work&& work) {
    using Clock = std::chrono::steady_clock;
    for (std::int64_t round = 0; round <= parameters_[0]; ++round) {
      const auto start = Clock::now();
      work();
      seconds_.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    }
  }

  /// Adds numbers to the result, which is compared with that of the NESL program; ints must be equal.
  template <class... Numbers>
  void result(Numbers... numbers) {
    (add_result(numbers), ...);
  }

  /// Sets the least cost of the computation: bytes read and written if each vector passes once between processor and
  /// memory, and floating-point operations, or int operations where the program computes with ints.
  void cost(double bytes, double operations) { bytes_ = bytes, operations_ = operations; }

  /// Prints the result, the times, the cost, the least time that follows from the cost on this machine with this number
  /// of threads, and the ratio of the best time to the least. Requires that the buffers of the run are alive: the bytes
  /// are charged at the speed of reading them.
  void report();

 private:
  template <class Number>
  void add_result(Number number) {
    if constexpr (std::is_integral_v<Number>)
      add_int(std::int64_t(number));
    else
      add_float(double(number));
  }
  void add_int(std::int64_t number);
  void add_float(double number);

  std::vector<std::int64_t> parameters_;
  peers::Team team_;
  std::vector<double> seconds_;  ///< of the first round, in which memory is new, and of each further one
  std::string result_;
  double bytes_ = 0, operations_ = 0;
};

/// A peer that run_program_peer can run. It has the name of the NESL program.
struct Peer {
  Peer(const char* its_name, void (*its_body)(Run&));

  const char* name;
  void (*body)(Run&);

  static std::vector<const Peer*>& all();
};

}  // namespace program_peers

/// Defines the peer of the NESL program of that name. A block follows, which uses `run` and ends with run.report().
#define PROGRAM_PEER(program)                                   \
  namespace program_peers {                                     \
  static void run_##program(Run& run);                          \
  static const Peer peer_of_##program{#program, run_##program}; \
  }                                                             \
  void program_peers::run_##program(Run& run)
