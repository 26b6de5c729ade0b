#include "runner.h"

#include <algorithm>
#include <chrono>

#include "contestant.h"

namespace bench {
void run_case(benchmark::State& state, const Case& row, ElemType type, Workspace& w, const Effort& effort) {
  const Prepared prepared = row.prepare(w, type);
  const std::int64_t half = std::max<std::int64_t>(64, prepared.bytes / 2);
  const char* from = w.vector<char>(half);
  char* to = w.vector<char>(half);

  prepared.library();
  if (const cvl::Fault fault = w.backend().take_fault(); fault.kind != cvl::FaultKind::kNone) {
    state.SkipWithError("the library reports a fault");
    return;
  }
  prepared.peer();
  if (!prepared.agrees()) {
    state.SkipWithError("library and peer disagree");
    return;
  }

  Contestant library{[&] {
    prepared.library();
    w.backend().take_fault();
  }};
  Contestant peer{prepared.peer};
  Contestant copies[] = {{[&] { peers::copy_bytes(w.team(), to, from, half, false); }},
                         {[&] { peers::copy_bytes(w.team(), to, from, half, true); }}};
  for (Contestant* c : {&library, &peer, &copies[0], &copies[1]}) c->calibrate(effort.sample_seconds);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  // Library and peer swap places in each round, and a copy runs before each. Otherwise the second of the two would find
  // data in the caches that the first has just read.
  Contestant* pair[] = {&library, &peer};
  for (int s = 0; s < effort.least_samples || elapsed() < effort.seconds; ++s) {
    pair[0]->sample();
    copies[0].sample();
    pair[1]->sample();
    copies[1].sample();
    std::swap(pair[0], pair[1]);
  }

  const double time = library.median();
  const double copy = std::min(copies[0].median(), copies[1].median());
  const double n = double(w.elements());
  for (auto _ : state) state.SetIterationTime(time);
  state.counters["ns_per_element"] = time * 1e9 / n;
  state.counters["least_ns_per_element"] = library.least() * 1e9 / n;
  state.counters["peer_ns_per_element"] = peer.median() * 1e9 / n;
  state.counters["bytes"] = double(prepared.bytes);
  state.counters["GB_per_s"] = double(prepared.bytes) / time * 1e-9;
  state.counters["copy_GB_per_s"] = double(2 * half) / copy * 1e-9;
  state.counters["of_copy"] = double(prepared.bytes) / time / (double(2 * half) / copy);
  state.counters["times_peer"] = time / peer.median();
  state.counters["samples"] = double(library.samples.size());
}

}  // namespace bench
