#include "tests/oracle/native_runs.hpp"

#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/oracle/every_value.hpp"
#include "tests/oracle/machine.hpp"

namespace hocket::oracle {

namespace {

using Counts = std::array<std::size_t, kMostThreads>;

/// Compares what the machine does with the observations, up to the first difference.
class Following final : public EveryValue {
 public:
  Following(const ObservationsByThread& seen, Counts done) : seen_(seen), first_done_(done), done_(done) {}

  /// To be called before each combination of values.
  void begin() {
    done_ = first_done_;
    differs_ = false;
  }

  void completed(unsigned thread, const Instruction& instruction, int result) override {
    const std::vector<Observation>& its = seen_.of(thread);
    std::size_t& n = done_[thread];
    differs_ |= n == its.size() || its[n] != Observation{thread, instruction, result};
    if (!differs_) ++n;
  }

  [[nodiscard]] bool differs() const { return differs_; }
  [[nodiscard]] const Counts& done() const { return done_; }

 private:
  const ObservationsByThread& seen_;
  Counts first_done_;
  Counts done_;
  bool differs_ = false;
};

std::string to_text(const ObservationsByThread& seen) {
  std::string text;
  for (unsigned t = 0; t < kMostThreads; ++t) {
    if (seen.of(t).empty()) continue;
    text += "thread " + std::to_string(t) + ":";
    for (const Observation& observation : seen.of(t)) text += " " + std::to_string(observation.result);
    text += "\n";
  }
  return text;
}

struct Node {
  State state;
  Last last;
  Counts done{};
};

}  // namespace

Program for_threads_of_the_system(Program program) {
  for (Thread& thread : program.threads) {
    std::erase_if(thread.code, [](const Instruction& instruction) {
      return instruction.verb == Verb::forbid_preemption || instruction.verb == Verb::allow_preemption;
    });
  }
  // The standard allows both, whether or not they occur.
  program.spurious_wakeups = program.spurious_failures = true;
  program.is_fair = program.is_late = false;
  return with_all_seq_cst(std::move(program));
}

bool always_ends(const Program& program, const Answer& answer) {
  const bool assumes = any_verb(program, [](Verb verb) { return verb == Verb::assume; });
  return !assumes && answer.deadlocked.empty() && answer.failed.empty();
}

std::optional<bool> allows(
    const Program& program, const ObservationsByThread& seen, std::size_t most_states) {
  const Machine machine(program);
  std::vector<Node> left;
  std::set<std::pair<Class, Last>> known;
  const auto reach = [&](const State& state, Last last, const Following& following) {
    if (following.differs()) return;
    if (known.emplace(state.class_so_far(), last).second) left.push_back({state, last, following.done()});
  };
  Following beginnings(seen, {});
  do {
    beginnings.begin();
    const State state = machine.begin(beginnings);
    reach(state, {}, beginnings);
  } while (beginnings.next());
  while (!left.empty()) {
    if (known.size() > most_states) return {};
    const Node node = left.back();
    left.pop_back();
    if (Machine::all_have_ended(node.state)) {
      bool is_all = true;
      for (unsigned t = 0; t < kMostThreads; ++t) is_all &= node.done[t] == seen.of(t).size();
      if (is_all) return true;
    }
    for (const auto& [turn, price] : machine.candidates(node.state, node.last)) {
      Following values(seen, node.done);
      do {
        values.begin();
        State state = node.state;
        const Last last = machine.step(state, turn, values);
        reach(state, last, values);
      } while (values.next());
    }
  }
  return false;
}

std::optional<std::string> NativeRuns::contradiction(const Program& generated) {
  const Program program = for_threads_of_the_system(generated);
  const Answer answer = enumerate(program, most_states);
  if (answer.is_incomplete || !always_ends(program, answer)) return {};
  ++programs;
  std::set<std::string> seen;
  for (unsigned r = 0; r < runs; ++r) {
    NativeBody body(program);  // with outside objects as they are at first
    body.run();
    std::string text = to_text(body.notes());
    if (!seen.insert(text).second) continue;
    ++outcomes;
    const std::optional<bool> is_allowed = allows(program, body.notes(), most_states_alike);
    unknown += is_allowed ? 0 : 1;
    if (is_allowed == false) return "On threads of the system:\n" + text;
  }
  return {};
}

}  // namespace hocket::oracle
