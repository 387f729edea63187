#include "prepared_death.hpp"

#include <csignal>
#include <filesystem>
#include <utility>

#include "../../runtime/platform/files.hpp"
#include "../../runtime/terms/utf8.hpp"
#include "../api/number_text.hpp"
#include "../schedules/schedule_file.hpp"
#include "../schedules/whole_file.hpp"
#include "text_seal.hpp"

namespace hocket {

namespace {

using runtime::FailureKind;

/// It stands in the message of a thread that is stuck, for the call in which it waits: as a character, which
/// JSON escapes.
constexpr char kPlaceOfCall = '\1';
constexpr std::string_view kEscapedPlaceOfCall = "\\u0001";
constexpr std::size_t kMostOfCall = 200;

/// What is known of a kind of death before it comes.
struct DeathKind {
  FailureKind kind;
  int signal;
  const char* message;  ///< the message in the file; nullptr: it depends on the options
};

constexpr std::array<DeathKind, kDeaths> kDeathKinds{{
    {FailureKind::signal, SIGSEGV, "the process got SIGSEGV"},
    {FailureKind::signal, SIGABRT, "the process got SIGABRT"},
    {FailureKind::signal, SIGFPE, "the process got SIGFPE"},
    {FailureKind::signal, SIGBUS, "the process got SIGBUS"},
    {FailureKind::signal, SIGILL, "the process got SIGILL"},
    {FailureKind::stack_overflow, SIGSEGV, nullptr},
    {FailureKind::exit, 0, "the body ended the process: it called exit(), quick_exit() or _exit()"},
    {FailureKind::exit, 0, "the body called fork(), which would copy the search in the middle"},
    {FailureKind::stuck, 0, nullptr},
}};

std::string message_of(Death death, const Schedule& about, std::chrono::nanoseconds watchdog) {
  if (death == Death::stack_overflow) {
    return "stack overflow: a logical thread used more than its " + std::to_string(about.stack_size / 1024) +
           " KiB";
  }
  if (death == Death::stuck) {
    return "a thread has run for " + duration_text(std::chrono::duration<double>(watchdog).count()) +
           " without reaching an operation" + kPlaceOfCall;
  }
  return kDeathKinds[static_cast<std::size_t>(death)].message;
}

/// Lets set_call() change the text without allocating.
void make_room_for_call(std::string& text) {
  text.reserve(text.size() + kMostOfCall);
}

/// Writes the call, if there is one, in its place, if the text has that.
void set_call_in(std::string& text, std::string_view call) {
  constexpr std::string_view kBefore = ": it waits in ";
  const std::size_t at = text.find(kEscapedPlaceOfCall);
  if (at == std::string::npos) return;
  text.erase(at, kEscapedPlaceOfCall.size());
  if (call.empty() || kBefore.size() + call.size() > kMostOfCall) return;
  text.insert(at, call);
  text.insert(at, kBefore);
}

std::string without_end_quote(std::string json) {
  json.pop_back();
  return json;
}

PreparedText split(const std::string& json) {
  // These cannot occur inside a string of the file, because its quotes would be escaped.
  constexpr std::string_view kExecutions = "\"executions\": ";
  constexpr std::string_view kChoices = "\"choices\": [";
  const std::size_t executions = json.find(kExecutions) + kExecutions.size();
  const std::size_t after_executions = json.find_first_not_of("0123456789", executions);
  const std::size_t choices = json.find(kChoices) + kChoices.size();
  return {json.substr(0, executions), json.substr(after_executions, choices - after_executions),
      json.substr(choices)};
}

}  // namespace

PreparedDeath::PreparedDeath(const Schedule& search, const std::string& directory,
    const Report& executions_so_far, std::chrono::nanoseconds time_of_watchdog)
    : watchdog(time_of_watchdog),
      saves(!directory.empty()),
      report(&executions_so_far),
      about(search),
      test(about.test) {
  for (std::size_t n = 0; n < kDeaths; ++n) {
    kinds[n] = as_json(std::string(to_string(kDeathKinds[n].kind)));
    messages[n] = as_json(message_of(static_cast<Death>(n), about, watchdog));
    make_room_for_call(messages[n]);
  }
  if (saves) {
    prepare_texts();
    const std::filesystem::path path = runtime::platform::absolute_path(directory);
    // If the folder cannot be created, this is reported when there is something to save.
    static_cast<void>(runtime::platform::make_folders(path));
    const std::string stem_in_folder = schedule_file_stem(about.test);
    folder = path.string();
    stem = (path / stem_in_folder).string();
    extension = schedule_file_name(about.test, 1).substr(stem_in_folder.size());
    name.reserve(stem.size() + extension.size() + std::string_view("-100").size());
    quoted_stem = file_for_shell(stem);
    printable_stem = utf8::printable(stem);
    printable_folder = utf8::printable(folder);
    file_in_report = without_end_quote(as_json(stem));
    replay = replay_command();
    temporary = (path / temporary_name(0)).string();  // the others begin with 1
  }
  seal_ = number_of_text();
}

void PreparedDeath::describe(const Schedule& search) {
  about = search;
  if (!saves) return;
  prepare_texts();
  seal_ = number_of_text();
}

void PreparedDeath::expect(const std::string& file) {
  expected = file;
  printable_expected = utf8::printable(file);
  file_in_report = without_end_quote(as_json(file.empty() ? stem : file));
  seal_ = number_of_text();
}

void PreparedDeath::expect_choices(std::vector<std::uint16_t> choices, const std::string& file) {
  known.push_back({std::move(choices), file, utf8::printable(file), without_end_quote(as_json(file))});
  seal_ = number_of_text();
}

void PreparedDeath::prepare_texts() {
  for (std::size_t n = 0; n < kDeaths; ++n) {
    Schedule schedule = about;
    schedule.complete = false;
    schedule.choices.clear();
    schedule.threads.clear();
    schedule.kind = kDeathKinds[n].kind;
    schedule.signal = kDeathKinds[n].signal;
    schedule.message = message_of(static_cast<Death>(n), about, watchdog);
    texts[n] = split(to_json(schedule));
    for (std::string* const part : {&texts[n].until_executions, &texts[n].until_choices, &texts[n].rest})
      make_room_for_call(*part);
  }
}

std::uint64_t PreparedDeath::number_of_text() const {
  std::uint64_t number = 0;
  const auto add = [&number](std::string_view part) { number = with_text(number, part); };
  for (const PreparedText& text : texts) {
    for (const std::string* const part : {&text.until_executions, &text.until_choices, &text.rest})
      add(*part);
  }
  for (const std::string* const part :
      {&temporary, &folder, &stem, &extension, &quoted_stem, &printable_stem, &printable_folder,
          &replay.until_file, &replay.rest, &expected, &printable_expected, &test, &file_in_report})
    add(*part);
  for (std::size_t n = 0; n < kDeaths; ++n) {
    add(kinds[n]);
    add(messages[n]);
  }
  for (const KnownDeath& death : known) {
    for (const std::string* const part : {&death.file, &death.printable_file, &death.file_in_report})
      add(*part);
  }
  return number;
}

void PreparedDeath::set_call(Death death, std::string_view call) {
  const auto n = static_cast<std::size_t>(death);
  PreparedText& text = texts[n];
  for (std::string* const part : {&messages[n], &text.until_executions, &text.until_choices, &text.rest})
    set_call_in(*part, call);
}

}  // namespace hocket
