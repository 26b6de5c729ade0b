#include "peer_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "machine_speed.h"

namespace program_peers {
Run::Run(const std::vector<std::int64_t>& parameters, int threads) : parameters_(parameters), team_(threads) {}

void Run::add_int(std::int64_t number) { result_ += fmt::format(" {}", number); }
void Run::add_float(double number) { result_ += fmt::format(" {:#.17g}", number); }

void Run::report() {
  const double by_bytes = HugeBlock::all().empty() ? 0.0 : bytes_ / read_bandwidth(team_);
  const double by_operations = operations_ / (operation_rate() * team_.threads());
  const double floor = std::max(by_bytes, by_operations);
  const double best = *std::min_element(seconds_.begin() + 1, seconds_.end());
  fmt::print("result{}\nseconds {}\n", result_, fmt::join(seconds_, " "));
  fmt::print("bytes {:.6g}\noperations {:.6g}\n", bytes_, operations_);
  fmt::print("floor {:.4g} ({})\nratio {:.3g}\n", floor, by_bytes > by_operations ? "bytes" : "operations",
             best / floor);
}

std::vector<const Peer*>& Peer::all() {
  static std::vector<const Peer*> peers;
  return peers;
}

Peer::Peer(const char* its_name, void (*its_body)(Run&)) : name(its_name), body(its_body) { all().push_back(this); }

}  // namespace program_peers
