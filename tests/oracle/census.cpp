#include "tests/oracle/census.hpp"

#include <bit>
#include <cstdio>

namespace hocket::oracle {

void Census::count(const Program& program, const Answer& answer) {
  if (answer.is_incomplete) {
    ++too_large_;
    return;
  }
  ++programs_;
  std::uint64_t verbs = 0;
  std::uint64_t threads = 0;
  const auto look_at = [&](const Classes& classes) {
    for (const auto& [actions, bound] : classes) {
      std::size_t at = 0;
      for (unsigned thread = 0; thread < kMostThreads; ++thread) {
        for (std::uint64_t left = actions[at++]; left != 0; --left) {
          const Verb verb = Action(actions[at++]).verb();
          verbs |= std::uint64_t{1} << static_cast<unsigned>(verb);
          if (verb != Verb::destroy) threads |= std::uint64_t{1} << thread;
        }
      }
    }
  };
  look_at(answer.complete);
  look_at(answer.deadlocked);
  for (const Thread& thread : program.threads) {
    for (const Instruction& instruction : thread.code) {
      const bool leaves_no_trace = instruction.verb == Verb::skip_if || instruction.verb == Verb::make ||
                                   instruction.verb == Verb::start || instruction.verb == Verb::join ||
                                   instruction.verb == Verb::assume || instruction.verb == Verb::check ||
                                   instruction.verb == Verb::forbid_preemption ||
                                   instruction.verb == Verb::allow_preemption;
      if (leaves_no_trace) verbs |= std::uint64_t{1} << static_cast<unsigned>(instruction.verb);
    }
  }
  for (unsigned v = 0; v < kVerbs; ++v) with_[v] += verbs >> v & 1U;
  of_three_or_more_ += std::popcount(threads) >= 3 ? 1 : 0;
  with_a_deadlock_ += answer.deadlocked.empty() ? 0 : 1;
  with_a_failing_check_ += answer.failed.empty() ? 0 : 1;
  classes_ += answer.complete.size() + answer.deadlocked.size();
}

std::string Census::to_text() const {
  const auto percent = [](double share) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%3.0f %%", share * 100);
    return std::string(text.data());
  };
  std::string text = std::to_string(programs_) + " programs of " + std::to_string(classes_) + " classes (" +
                     std::to_string(too_large_) + " more were too large)\n";
  text += percent(of_three_threads_or_more()) + " three threads or more\n";
  text += percent(with_a_deadlock()) + " a deadlock\n";
  text += percent(with_a_failing_check()) + " a check that fails\n";
  for (unsigned v = 0; v < kVerbs; ++v) {
    const Verb verb = static_cast<Verb>(v);
    text += percent(with(verb)) + " " + std::string(to_string(verb)) + (v % 4 == 3 ? "\n" : "  ");
  }
  if (text.back() != '\n') text += "\n";
  return text;
}

}  // namespace hocket::oracle
