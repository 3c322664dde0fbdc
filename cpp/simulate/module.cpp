// The Python module alpha_build._simulated: the runtime on the simulated kernel
// (alpha_build.simulate is its face).
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <sys/auxv.h>

#include <tuple>

#include "base/processor.h"
#include "simulate/search.h"

namespace alpha::simulate {

namespace {

namespace nb = nanobind;

const char* state_name(Process::State state) {
  switch (state) {
    case Process::State::ended:
      return "ended";
    case Process::State::killed:
      return "killed";
    case Process::State::stopped:
      return "stopped";
    case Process::State::asserted:
      return "asserted";
    case Process::State::spinning:
      return "spinning";
    default:
      return "hanging";
  }
}

// role's state, exit code, last line, end in nanoseconds, calls
using EndRow = std::tuple<std::string, int, std::string, u64, u64>;
// choices, how many there were to choose from, violation, ends, story, nanoseconds, harms
using Run = std::tuple<std::vector<u16>, std::vector<u16>, std::string, std::vector<EndRow>,
                       std::vector<std::string>, u64, u64>;
// run, choices, violation
using FindingRow = std::tuple<u64, std::vector<u16>, std::string>;
// runs, complete, harmed, exit codes, lost, calls, longest, whole, findings
using TallyRow =
    std::tuple<u64, u64, u64, std::vector<u64>, u64, u64, u64, bool, std::vector<FindingRow>>;

TallyRow row(const Tally& tally) {
  std::vector<FindingRow> findings;
  for (const Finding& each : tally.findings) {
    findings.emplace_back(each.run, each.choices, each.violation);
  }
  return {tally.runs, tally.complete, tally.harmed,      {tally.codes, tally.codes + 256},
          tally.lost, tally.calls,    tally.choices_max, tally.whole,
          findings};
}

class Simulator {
 public:
  Simulator(std::vector<u32> parents, u64 rounds, u64 elements, u64 frame_bytes,
            const std::tuple<u64, u64, u64, u64>& budgets_ns, bool announced, bool exchange,
            bool canonical, u64 lives)
      : world_({std::move(parents),
                rounds,
                elements,
                frame_bytes,
                {std::get<0>(budgets_ns), std::get<1>(budgets_ns), std::get<2>(budgets_ns),
                 std::get<3>(budgets_ns), 0},
                announced,
                exchange,
                canonical,
                lives}) {}

  Run seeded(u64 seed, u32 rough, u32 harm, u32 harm_count_max) {
    world_.choices().seed(seed, {rough, harm}, harm_count_max);
    return told();
  }
  Run listed(const std::vector<u16>& choices) {
    world_.choices().follow(choices.data(), choices.size());
    return told();
  }
  TallyRow many(u64 first, u64 count, u32 rough, u32 harm, u32 harm_count_max) {
    const nb::gil_scoped_release released;
    return row(run_many(world_, first, count, {rough, harm}, harm_count_max));
  }
  TallyRow search(u32 departures_max, u64 runs_max) {
    const nb::gil_scoped_release released;
    return row(simulate::search(world_, departures_max, runs_max));
  }

 private:
  Run told() {
    world_.machine().tell = true;
    const Result result = world_.run();
    world_.machine().tell = false;
    std::vector<u16> counts;
    for (const Choices::Made& made : world_.choices().made()) counts.push_back(made.count);
    std::vector<EndRow> ends;
    for (const End& end : result.ends) {
      ends.emplace_back(state_name(end.state), end.code, end.text, end.ns, end.calls);
    }
    return {trimmed(world_.choices()), counts,    result.violation, ends,
            world_.machine().story,    result.ns, result.harms};
  }

  World world_;
};

}  // namespace

}  // namespace alpha::simulate

NB_MODULE(_simulated, module) {
  namespace nb = nanobind;
  using alpha::simulate::Simulator;
  module.doc() = "The code of the executables on a simulated kernel; see alpha_build.simulate.";
  alpha::detect_processor(getauxval(AT_HWCAP));
  nb::class_<Simulator>(module, "Simulator", "One small system and its machine.")
      .def(nb::init<std::vector<alpha::u32>, alpha::u64, alpha::u64, alpha::u64,
                    const std::tuple<alpha::u64, alpha::u64, alpha::u64, alpha::u64>&, bool, bool,
                    bool, alpha::u64>(),
           nb::arg("parents"), nb::arg("rounds"), nb::arg("elements"), nb::arg("frame_bytes"),
           nb::arg("budgets_ns"), nb::arg("announced"), nb::arg("exchange"), nb::arg("canonical"),
           nb::arg("lives"))
      .def("seeded", &Simulator::seeded, nb::arg("seed"), nb::arg("rough"), nb::arg("harm"),
           nb::arg("harm_count_max"))
      .def("listed", &Simulator::listed, nb::arg("choices"))
      .def("many", &Simulator::many, nb::arg("first"), nb::arg("count"), nb::arg("rough"),
           nb::arg("harm"), nb::arg("harm_count_max"))
      .def("search", &Simulator::search, nb::arg("departures_max"), nb::arg("runs_max"));
}
