#include "exploration.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>

#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include "../../runtime/execution/execution.hpp"
#include "../schedules/rule_fields.hpp"

namespace hocket {

StartFolder::StartFolder() : descriptor_(-1) {
  constexpr int kOutOfTheWay = 100;  // bodies may count on getting the least number that is free
  const int opened = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;
  descriptor_ = fcntl(opened, F_DUPFD_CLOEXEC, kOutOfTheWay);
  close(opened);
}

StartFolder::~StartFolder() {
  go_back();
  if (descriptor_ >= 0) close(descriptor_);
}

void StartFolder::go_back() const {
  if (descriptor_ >= 0) static_cast<void>(!fchdir(descriptor_));
}

void use_usual_stack(Options& options) {
  constexpr std::size_t kOfInstrumentedCode = std::size_t{8} << 20U;
  if (options.stack_size != 0) return;
  options.stack_size =
      runtime::run.host != nullptr ? kOfInstrumentedCode : runtime::ExecutionRules{}.stack_size;
}

std::chrono::steady_clock::time_point Exploration::end_after(std::chrono::nanoseconds time) const {
  constexpr std::chrono::hours kForEver(24 * 365);  // without overflow
  return std::min(end, std::chrono::steady_clock::now() + std::min<std::chrono::nanoseconds>(time, kForEver));
}

std::string Exploration::split_search() const {
  std::string text = options.strategy;
  if (options.max_preemptions != unbounded) text += fmt::format(", bound {}", options.max_preemptions);
  text += fmt::format(", seed {}", options.seed);
  if (!seals->empty()) text += fmt::format(", no preemptions {}", seals->in_words());
  Options from_the_user = options;  // which a search changes as it goes
  from_the_user.memory_model = asked_model;
  const runtime::ExecutionRules asked = execution_rules(from_the_user);
  for (const RuleField& field : rule_fields()) {
    const auto value_of = [&](auto member) {
      if constexpr (std::is_same_v<decltype(member), runtime::Detectors runtime::ExecutionRules::*>) {
        return to_string(asked.*member);
      } else {
        return fmt::format("{}", asked.*member);
      }
    };
    const std::string value = std::visit(value_of, field.member);
    if (!value.empty() && value != "false" && value != "0") text += fmt::format(", {} {}", field.name, value);
  }
  return text;
}

runtime::ExecutionResult Exploration::run(
    runtime::Chooser& chooser, const runtime::ExecutionOptions& asked) const {
  if (asked.own_process) [[unlikely]]
    return run_in_child(body, shows_output(), chooser, asked);
  const runtime::ExecutionResult result = runtime::execution.run_body(body, chooser, asked);
  if (result.outcome == runtime::Outcome::failed) [[unlikely]]
    start_folder.go_back();  // what is found is saved now
  return result;
}

}  // namespace hocket
