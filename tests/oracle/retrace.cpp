#include "tests/oracle/retrace.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace hocket::oracle {

namespace {

std::string in_words(const Program& program, const Observation& observation) {
  return "thread " + std::to_string(observation.thread) + ": " + to_text(program, observation.instruction) +
         " -> " + std::to_string(observation.result);
}

using Candidates = std::vector<Candidate>;

std::string in_words(const Candidates& candidates) {
  std::string text;
  for (const auto& [turn, price] : candidates) {
    text += text.empty() ? "" : ", ";
    text += std::to_string(turn.thread);
    text += turn.way == Way::run        ? ""
            : turn.way == Way::expire   ? " (expires)"
            : turn.way == Way::spurious ? " (wakes up spuriously)"
                                        : " (no time passes)";
    text += " for " + std::to_string(price);
  }
  return "{" + text + "}";
}

class Retracing final : public Surroundings {
 public:
  Retracing(const Program& program, const runtime::ChoiceLog& log, const std::vector<Observation>& observed,
      bool without_unfair)
      : program_(program),
        machine_(program),
        program_without_seals_(without_seals(program)),
        log_(log),
        observed_(observed),
        without_unfair_(without_unfair) {
    has_plain_data_ = std::any_of(program.objects.begin(), program.objects.end(),
        [](const Object& object) { return object.kind == Kind::var; });
  }

  Retraced run() {
    State state = machine_.begin(*this);
    Last last;
    for (;;) {
      const Candidates candidates = machine_.candidates(state, last, without_unfair_);
      if (candidates.empty()) break;
      left_out_sealed_ |= candidates != without_seals_.candidates(state, last, without_unfair_);
      last = machine_.step(state, take_turn(state, last, candidates), *this);
    }
    const bool raced = state.cut == Cut::raced;
    if (position_ != log_.size) {
      fail(raced ? "the execution goes on after a data race"
                 : "the execution goes on, and in the machine nobody can");
    }
    if (completed_ != observed_.size())
      fail("more was observed: " + in_words(program_, observed_[completed_]));
    const bool is_deadlocked = state.cut == Cut::none && !Machine::all_have_ended(state);
    return {state.class_so_far(), price_, is_deadlocked, state.cut, left_out_sealed_, state.failed,
        std::move(history_), state.in_order_of_start};
  }

  unsigned choose(unsigned count, unsigned price) override {
    const runtime::LogEntry& entry = next_entry();
    if (entry.kind != runtime::LogEntry::value) fail("the machine chooses a value, the runtime a thread");
    unsigned values = 0;
    log_.for_each_candidate(entry, [&](const runtime::Candidate& candidate) {
      const unsigned expected = values == 0 ? 0 : price;
      if (candidate.code != values++ || candidate.price != expected) fail("values at other prices");
    });
    if (values != count)
      fail("a choice of " + std::to_string(values) + " values, not of " + std::to_string(count));
    if (entry.code != 0) price_ += price;
    return entry.code;
  }

  bool happened(const Event& event) override {
    if (!has_plain_data_) return false;
    history_.push_back(event);
    return !racing_with_last(history_).empty();
  }

  void completed(unsigned thread, const Instruction& instruction, int result) override {
    const Observation expected{thread, instruction, result};
    if (completed_ == observed_.size()) fail("nothing was observed of " + in_words(program_, expected));
    const Observation& observation = observed_[completed_++];
    if (observation != expected) {
      fail("observed " + in_words(program_, observation) + ", expected " + in_words(program_, expected));
    }
  }

 private:
  const runtime::LogEntry& next_entry() {
    if (position_ == log_.size) fail("the execution has ended, and the machine goes on");
    return log_.entries[position_++];
  }

  /// The runtime numbers threads in the order in which they are started.
  static std::uint8_t number_of(const State& state, unsigned index) {
    return index < state.started ? state.in_order_of_start[index] : kNobody;
  }
  static Turn turn_of(const State& state, runtime::Code code) {
    const runtime::Mode mode = runtime::mode_of(code);
    const Way way = mode == runtime::Mode::run        ? Way::run
                    : mode == runtime::Mode::expire   ? Way::expire
                    : mode == runtime::Mode::spurious ? Way::spurious
                                                      : Way::timeless;
    return {number_of(state, runtime::thread_of(code)), way};
  }

  Turn take_turn(const State& state, Last last, const Candidates& expected) {
    const runtime::LogEntry& entry = next_entry();
    if (entry.kind == runtime::LogEntry::value) fail("the runtime chooses a value, the machine a thread");
    if (last.thread != kNobody && number_of(state, entry.previous) != last.thread) {
      fail("the last step is said to be that of thread " + std::to_string(number_of(state, entry.previous)));
    }
    found_.clear();
    log_.for_each_candidate(entry, [&](const runtime::Candidate& candidate) {
      found_.push_back({turn_of(state, candidate.code), candidate.price});
    });
    std::sort(found_.begin(), found_.end());
    if (found_ != expected)
      fail("the candidates are " + in_words(found_) + ", expected " + in_words(expected));
    const Turn turn = turn_of(state, entry.code);
    const auto chosen = std::find_if(
        found_.begin(), found_.end(), [&](const Candidate& candidate) { return candidate.turn == turn; });
    if (chosen == found_.end()) fail("what was chosen is no candidate");
    price_ += chosen->price;
    return turn;
  }

  [[noreturn]] void fail(const std::string& what) const {
    std::string text = "at choice " + std::to_string(position_) + ": " + what + "; until then:";
    for (std::size_t n = 0; n < completed_; ++n) text += "\n    " + in_words(program_, observed_[n]);
    throw Mismatch(text);
  }

  static Program without_seals(Program program) {
    program.has_seals = false;
    return program;
  }

  const Program& program_;
  Machine machine_;
  Program program_without_seals_;
  Machine without_seals_{program_without_seals_};
  bool left_out_sealed_ = false;
  const runtime::ChoiceLog& log_;
  const std::vector<Observation>& observed_;
  bool without_unfair_;
  bool has_plain_data_ = false;
  History history_;
  Candidates found_;  ///< the candidates at one choice
  std::uint32_t position_ = 0;
  std::size_t completed_ = 0;
  unsigned price_ = 0;
};

/// The race that the runtime reports must be a race by the definition.
void check_race(const Program& program, const Retraced& retraced) {
  const runtime::Race& race = runtime::execution.race();
  const auto is_side = [&](const Event& event, const runtime::Race::Side& side) {
    if (event.thread != retraced.in_order_of_start[side.thread]) return false;
    switch (side.access) {
      case runtime::VarAccess::read:
        return event.kind == Event::Kind::read;
      case runtime::VarAccess::atomic_read:
        return event.kind == Event::Kind::load;
      case runtime::VarAccess::atomic_write:
        return event.kind == Event::Kind::store || event.kind == Event::Kind::update;
      default:
        return event.kind == Event::Kind::write;
    }
  };
  const History& history = retraced.history;
  const std::vector<std::size_t> racing = racing_with_last(history);
  const bool is_one = is_side(history.back(), race.second) &&
                      std::any_of(racing.begin(), racing.end(),
                          [&](std::size_t n) { return is_side(history[n], race.first); });
  if (!is_one) {
    throw Mismatch("the execution fails by a race of two accesses that do not race:\n" + to_text(program));
  }
}

}  // namespace

Retraced retrace(const Program& program, const runtime::ExecutionResult& result,
    const std::vector<Observation>& observed, bool without_unfair) {
  Retraced retraced = Retracing(program, result.log, observed, without_unfair).run();
  if (result.left_out_sealed != retraced.left_out_sealed) {
    throw Mismatch(retraced.left_out_sealed ? "seals have left out something, which the runtime does not tell"
                                            : "the runtime says that seals have left out something");
  }
  const auto ends = [&](runtime::Outcome outcome, const char* how) {
    if (result.outcome != outcome) throw Mismatch(std::string("the execution does not end ") + how);
  };
  const auto fails = [&](FailureKind kind, const char* how) {
    ends(runtime::Outcome::failed, how);
    const runtime::Failure& failure = runtime::Execution::failure();
    if (failure.kind != kind) {
      throw Mismatch(std::string("the execution does not end ") + how + ", but: " + failure.message);
    }
  };
  if (retraced.cut == Cut::dropped) {
    ends(runtime::Outcome::dropped, "by being dropped");
  } else if (retraced.cut == Cut::failed) {
    fails(FailureKind::check, "with a failed check");
  } else if (retraced.cut == Cut::raced) {
    fails(FailureKind::data_race, "with a data race");
    check_race(program, retraced);
  } else if (retraced.is_deadlocked) {
    fails(FailureKind::deadlock, "in a deadlock");
  } else {
    ends(runtime::Outcome::completed, "with all threads at their ends");
  }
  return retraced;
}

}  // namespace hocket::oracle
