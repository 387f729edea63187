#include "supervised_check.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "../../runtime/platform/ending.hpp"
#include "../../scheduler/deaths/supervisor.hpp"
#include "../../scheduler/process/fresh_start.hpp"
#include "../../scheduler/process/supervised_area.hpp"
#include "../../scheduler/process/waiting_call.hpp"
#include "call_trial.hpp"
#include "model_calls.hpp"

namespace hocket::model {

namespace {

using namespace supervised_area;

CheckOfModel* seen = nullptr;  ///< what the supervisor sees; or null

Header& header() {
  return *reinterpret_cast<Header*>(area());
}

}  // namespace

SupervisedCheck::SupervisedCheck(std::string_view name, Options& options) {
  const bool can_be_seen = fresh_start::is_possible() && can_begin_anew() && !is_process_traced();
  if (!can_be_seen || header().phase != Phase::idle || name.size() > kMostTexts) return;
  is_seen_ = true;
  std::memcpy(area() + kTexts, name.data(), name.size());
  header().text_size = static_cast<std::uint32_t>(name.size());
  seen = new (area() + kWords) CheckOfModel;
  if (const auto lost = fresh_start::lost_call(std::string(name))) {
    options.jobs = 1;
    signal_ = lost->signal;
    if (lost->number != 0) try_calls({lost->number, lost->signal});
  }
  seen->has_one_thread = options.jobs == 1;
  header().begin = std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  header().phase = Phase::checking;
}

SupervisedCheck::~SupervisedCheck() {
  if (!is_seen_) return;
  seen = nullptr;
  header().phase = Phase::idle;
}

CountOfCalls* SupervisedCheck::count() const {
  return is_seen_ ? &seen->calls : nullptr;
}

void SupervisedCheck::note_crash() {
  if (seen == nullptr || area() == nullptr) return;                 // a child process has none
  const CountOfCalls* const count = detail::calls_of_thread.count;  // none in threads beyond those watched
  if (seen->first_crash == 0 && count != nullptr) seen->first_crash = count->number();
  header().deaths = header().deaths + 1;
}

void SupervisedCheck::end_by(int signal) {
  std::fprintf(stderr, "hocket: no call of the model did that this time, so somebody else has sent %s\n",
      runtime::platform::signal_name(signal).c_str());
  std::fflush(nullptr);
  if (seen != nullptr && area() != nullptr) header().phase = Phase::told;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void SupervisedCheck::conclude(const Report& report) const {
  const bool has_passed = report.verdict == Verdict::passed_exhaustively ||
                          report.verdict == Verdict::passed_within_bound ||
                          report.verdict == Verdict::passed_sample;
  if (has_passed && may_be_from_elsewhere(signal_)) end_by(signal_);
}

void SupervisedCheck::begin_anew_if_broken(const Report& report) {
  if (seen == nullptr || seen->first_crash == 0) return;
  const bool is_saved = std::all_of(report.violations.begin(), report.violations.end(),
      [](const Violation& violation) { return violation.not_saved_because.empty(); });
  const bool can_print = fcntl(STDOUT_FILENO, F_GETFD) != -1 && fcntl(STDERR_FILENO, F_GETFD) != -1;
  if (!is_saved || !can_print) std::_Exit(1);
}

}  // namespace hocket::model
