#include "saved_paths.hpp"

#include <filesystem>
#include <utility>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/terms/utf8.hpp"
#include "../../scheduler/options/settings.hpp"
#include "../../scheduler/report/log.hpp"
#include "../../scheduler/schedules/schedule_file.hpp"

namespace hocket::model {

namespace {

SavedPath read_path(const std::string& file, const Schedule& schedule) {
  SavedPath path{file, schedule.kind, schedule.bound, {}};
  for (const runtime::RecordedChoice& choice : schedule.choices) {
    if (choice.is_value || choice.operation != runtime::Operation::model_step) {
      throw ScheduleError(
          file + ": this is a schedule of threads, and the test checks a model; run the test that wrote it");
    }
    path.steps.push_back({schedule.threads[choice.thread].label, choice.object,
        choice.notes.empty() ? std::string() : choice.notes.front(), choice.count});
  }
  return path;
}

/// Copies what searches through models and through schedules are both told.
template <class From, class To>
void copy_common(const From& from, To& to) {
  to.time_limit = from.time_limit;
  to.memory_limit = from.memory_limit;
  to.seed = from.seed;
  to.keep_going = from.keep_going;
  to.schedule_dir = from.schedule_dir;
  to.try_saved = from.try_saved;
  to.save_schedules = from.save_schedules;
  to.replay = from.replay;
  to.require_bound = from.require_bound;
  to.watchdog = from.watchdog;
}

}  // namespace

Options with_settings(Options options) {
  hocket::Options common;
  copy_common(options, common);
  copy_common(hocket::with_settings(std::move(common)), options);
  return options;
}

bool is_excluded(Report& report, const Options& options) {
  std::optional<ReasonNotToSearch> reason = reason_not_to_search(report.model, options.replay);
  if (!reason) return false;
  report.stopped_by = std::move(reason->asked_by);
  report.explanation = std::move(reason->explanation);
  return true;
}

SavedPath path_to_replay(const std::string& model, const Options& options) {
  const Schedule schedule = read_schedule(options.replay);
  if (schedule.test != model) {
    throw ScheduleError(fmt::format(R"({}: this schedule is of the test "{}", not of "{}"; run that test)",
        name_in_sentences(options.replay), utf8::printable(schedule.test), model));
  }
  return read_path(options.replay, schedule);
}

std::vector<SavedPath> saved_paths(const std::string& model, const Options& options) {
  std::vector<SavedPath> paths;
  if (!options.try_saved) return paths;
  for (const std::filesystem::path& file : saved_schedules(options.schedule_dir, model)) {
    try {
      const Schedule schedule = read_schedule(file);
      if (schedule.test == model) paths.push_back(read_path(file.lexically_normal().string(), schedule));
    } catch (const ScheduleError& error) {
      warn("{}; the file is ignored", error.what());
    }
  }
  return paths;
}

}  // namespace hocket::model
