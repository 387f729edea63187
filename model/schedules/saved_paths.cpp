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

}  // namespace

Options with_settings(Options options) {
  hocket::Options common;
  common.time_limit = options.time_limit;
  common.memory_limit = options.memory_limit;
  common.seed = options.seed;
  common.keep_going = options.keep_going;
  common.schedule_dir = std::move(options.schedule_dir);
  common.try_saved = options.try_saved;
  common.save_schedules = options.save_schedules;
  common.replay = std::move(options.replay);
  common.require_bound = options.require_bound;
  common.watchdog = options.watchdog;
  common = hocket::with_settings(std::move(common));
  options.time_limit = common.time_limit;
  options.memory_limit = common.memory_limit;
  options.seed = common.seed;
  options.keep_going = common.keep_going;
  options.schedule_dir = std::move(common.schedule_dir);
  options.try_saved = common.try_saved;
  options.save_schedules = common.save_schedules;
  options.replay = std::move(common.replay);
  options.require_bound = common.require_bound;
  options.watchdog = common.watchdog;
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
