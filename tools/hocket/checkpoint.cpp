#include "checkpoint.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <spdlog/fmt/fmt.h>

#include "runtime/platform/files.hpp"
#include "runtime/terms/action_hash.hpp"
#include "scheduler/options/replay_command.hpp"
#include "scheduler/schedules/whole_file.hpp"

#include "child.hpp"
#include "temporary_folder.hpp"
#include "whole_verdict.hpp"

namespace hocket::tool {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr int kFormat = 1;
constexpr const char* kFormatOfSearch = "hocket_checkpoint";
constexpr const char* kFormatOfPart = "hocket_checkpoint_part";
constexpr std::string_view kPartBegin = "part-";
constexpr std::string_view kPartEnd = ".jsonl";

[[noreturn]] void refuse_file(const fs::path& file, const std::string& problem) {
  throw UsageError(file.string() + " " + problem);
}

std::string seal_of(std::string_view text) {
  std::uint64_t seal = text.size();
  for (std::uint64_t word = 0; text.size() >= sizeof word; text.remove_prefix(sizeof word)) {
    std::memcpy(&word, text.data(), sizeof word);
    seal = runtime::mix(seal, word);
  }
  for (const char character : text) seal = runtime::mix(seal, static_cast<unsigned char>(character));
  return fmt::format("{:016x}", runtime::mix(seal, text.size()));
}

std::string sealed(const std::string& line) {
  return line + "\n{\"seal\": \"" + seal_of(line) + "\"}\n";
}

/// The first line of a text that is whole; nothing if it is damaged.
std::optional<std::string> unsealed(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));
  return sealed(line) == text ? std::optional(line) : std::nullopt;
}

/// The JSON of a file. `remedy`: what to do if it is damaged.
Json read(const fs::path& file, const char* format, const std::string& remedy) {
  if (::access(file.c_str(), R_OK) != 0)
    refuse_file(file, fmt::format("cannot be read ({}); {}", std::generic_category().message(errno), remedy));
  const std::optional<std::string> line = unsealed(text_of(file));
  if (!line) refuse_file(file, "is damaged, or no file of a checkpoint; " + remedy);
  Json json = Json::parse(*line, nullptr, false);
  if (!json.is_object() || !json.contains(format)) refuse_file(file, "is no file of a checkpoint; " + remedy);
  if (json[format] != kFormat)
    refuse_file(
        file, fmt::format("is of another version of Hocket (format {}, and this one reads {}); go on with "
                          "that version, or begin anew in another folder",
                  json[format].dump(), kFormat));
  return json;
}

/// The number of the part whose file has this name; 0: it is of none.
unsigned part_of(std::string_view name) {
  if (!name.starts_with(kPartBegin) || !name.ends_with(kPartEnd)) return 0;
  const std::string digits(name.substr(kPartBegin.size(), name.size() - kPartBegin.size() - kPartEnd.size()));
  const unsigned long number = std::strtoul(digits.c_str(), nullptr, 10);
  return std::to_string(number) == digits && number <= Shard::kMost ? static_cast<unsigned>(number) : 0;
}

Json json_of(const KeptSearch& search) {
  return {{kFormatOfSearch, kFormat}, {"folder", search.folder}, {"program", search.command.binary},
      {"arguments", search.command.arguments}, {"test", search.command.test}, {"build", search.build},
      {"variables", search.variables}, {"parts", search.parts}, {"begun", search.begun}};
}

/// "HOCKET_PREEMPTIONS", if the searches differ in it.
std::string different_variable(const KeptSearch& one, const KeptSearch& other) {
  for (const auto& [a, b] : {std::pair(&one, &other), std::pair(&other, &one)}) {
    for (const auto& [name, value] : a->variables) {
      const auto its = b->variables.find(name);
      if (its == b->variables.end() || its->second != value) return name;
    }
  }
  return {};
}

/// With the text of each schedule file, as the files may be gone when the verdict is told.
Json with_schedules(Json searches) {
  for (Json& search : searches) {
    if (!search.contains("failures")) continue;
    for (Json& failure : search["failures"]) {
      const std::string text = text_of(failure.value("schedule_file", ""));
      if (!text.empty()) failure[kScheduleText] = text;
    }
  }
  return searches;
}

}  // namespace

std::string build_of(const std::string& program) {
  if (::access(program.c_str(), X_OK) != 0) refuse_program(program, errno);
  if (fs::is_directory(program)) refuse_program(program, EISDIR);
  const runtime::platform::FileBytes file(program);
  if (file.bytes().empty())
    refuse_file(program, "cannot be read; the search goes on only with the same build of it");
  return seal_of(file.bytes());
}

Checkpoint::Checkpoint(fs::path folder, const KeptSearch& search) : folder_(std::move(folder)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (!fs::is_directory(folder_))
    refuse_file(folder_, fmt::format("cannot be made a folder ({}); name another one", error.message()));
  check_names();
  lock();
  is_new_ = !fs::exists(folder_ / kSearch);
  if (is_new_) {
    search_ = search;
    if (search_.parts == 0) search_.parts = KeptSearch::kUsualParts;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    search_.begun = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
    write_search();
  }
  read_search();
  check_that_it_is(search);
  begin_work();
}

Checkpoint::Checkpoint(fs::path folder) : folder_(std::move(folder)) {
  if (!fs::exists(folder_ / kSearch))
    refuse_file(
        folder_, fmt::format("has no search to go on with: there is no {} in it; one is begun with hocket "
                             "run --checkpoint",
                     kSearch));
  check_names();
  lock();
  read_search();
  begin_work();
}

Checkpoint::~Checkpoint() {
  if (lock_ >= 0) ::close(lock_);
}

void Checkpoint::check_names() const {
  const std::vector<std::string> names = runtime::platform::names_in(folder_);
  const bool has_search = std::find(names.begin(), names.end(), kSearch) != names.end();
  for (const std::string& name : names) {
    // Others that begin with a dot are of file systems and desktops.
    if (name == kWork || name == kLock || name == kSearch || name.starts_with('.')) continue;
    if (!has_search)
      refuse_file(
          folder_, fmt::format("has {} and no search; name a folder that is empty, or not there", name));
    if (part_of(name) == 0)
      refuse_file(folder_ / name, "is no file of a checkpoint; move it to another folder");
  }
}

void Checkpoint::lock() {
  const fs::path file = folder_ / kLock;
  lock_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0)
    refuse_file(file, fmt::format("cannot be written ({}); {}", std::generic_category().message(errno),
                          file_steps::advice_on(errno)));
  if (::flock(lock_, LOCK_EX | LOCK_NB) == 0) return;
  if (errno != EWOULDBLOCK)
    refuse_file(file, fmt::format("cannot be locked ({}); choose a folder on another file system",
                          std::generic_category().message(errno)));
  refuse_file(folder_, "is in use: another process searches there; wait for its end, or end it");
}

void Checkpoint::write_search() {
  write(folder_ / kSearch, json_of(search_));
}

void Checkpoint::read_search() {
  const fs::path file = folder_ / kSearch;
  const std::string remedy = "begin anew in another folder";
  const Json json = read(file, kFormatOfSearch, remedy);
  try {
    search_.folder = json.at("folder");
    search_.command.binary = json.at("program");
    search_.command.arguments = json.at("arguments").get<std::vector<std::string>>();
    search_.command.test = json.at("test");
    search_.build = json.at("build");
    search_.variables = json.at("variables").get<std::map<std::string, std::string>>();
    search_.parts = json.at("parts");
    search_.begun = json.at("begun");
  } catch (const nlohmann::json::exception&) {
    refuse_file(file, "has not what it should have; " + remedy);
  }
  if (search_.parts < 1 || search_.parts > Shard::kMost)
    refuse_file(file, "has not what it should have; " + remedy);
  const fs::path program = fs::path(search_.folder) / search_.command.binary;
  if (build_of(program.string()) != search_.build)
    refuse_file(
        program, fmt::format("is another build than the one that the search in {} began with; begin anew in "
                             "another folder",
                     folder_.string()));
  id_ = seal_of(json.dump());
  for (const std::string& name : runtime::platform::names_in(folder_)) {
    const unsigned part = part_of(name);
    if (part > search_.parts) refuse_file(folder_ / name, "is of another search; move it to another folder");
    kept_ += part != 0 ? 1 : 0;
  }
}

void Checkpoint::check_that_it_is(const KeptSearch& search) const {
  const auto refuse_other = [&](const std::string& what) {
    refuse_file(
        folder_, fmt::format("is of another search, {}; go on with it by {}, or begin this one in another "
                             "folder",
                     what, command_to_resume()));
  };
  const auto path = [](const KeptSearch& of) {
    return (fs::path(of.folder) / of.command.binary).lexically_normal();
  };
  if (path(search_) != path(search)) refuse_other("of the program " + path(search_).string());
  if (search_.folder != search.folder) refuse_other("begun in the folder " + search_.folder);
  if (search_.command.arguments != search.command.arguments) refuse_other("with other arguments");
  if (search_.command.test != search.command.test) refuse_other("of other tests");
  if (const std::string name = different_variable(search_, search); !name.empty())
    refuse_other("with other options: see " + name + " in " + kSearch);
  if (search_.parts != search.parts && search.parts != 0)
    refuse_other(fmt::format("in {} parts", search_.parts));
}

void Checkpoint::begin_work() const {
  remove_leftovers(folder_);
  const fs::path work = this->work();
  std::error_code error;
  fs::create_directories(work, error);
  if (error)
    refuse_file(
        work, fmt::format("cannot be made ({}); {}", error.message(), file_steps::advice_on(error.value())));
  for (const std::string& name : runtime::platform::names_in(work)) fs::remove_all(work / name, error);
}

fs::file_time_type Checkpoint::begin() const {
  const std::chrono::sys_time<std::chrono::milliseconds> begun{std::chrono::milliseconds(search_.begun)};
  return std::chrono::file_clock::from_sys(begun);
}

fs::path Checkpoint::file_of(unsigned part) const {
  return folder_ / fmt::format("{}{}{}", kPartBegin, part, kPartEnd);
}

std::vector<PartRun> Checkpoint::parts() const {
  std::vector<PartRun> parts;
  for (unsigned number = 1; number <= search_.parts; ++number) {
    std::error_code error;
    const fs::file_status status = fs::symlink_status(file_of(number), error);
    if (status.type() != fs::file_type::not_found) parts.push_back(read_part(number));
  }
  return parts;
}

PartRun Checkpoint::read_part(unsigned number) const {
  const fs::path file = file_of(number);
  const std::string remedy = "move it away, and that part is run again";
  Json json = read(file, kFormatOfPart, remedy);
  PartRun part{number};
  try {
    if (json.at("search") != id_ || json.at("part") != number)
      refuse_file(file, "is of another search, or another part of it; " + remedy);
    part.jobs = json.at("jobs");
    part.end.status = json.at("status");
    part.output = json.at("output");
    part.errors = json.at("errors");
    part.searches = std::move(json.at("searches"));
  } catch (const nlohmann::json::exception&) {
    refuse_file(file, "has not what it should have; " + remedy);
  }
  if (!part.searches.is_array()) refuse_file(file, "has not what it should have; " + remedy);
  return part;
}

void Checkpoint::keep(const PartRun& part) {
  const bool is_told = part.number == 1 || part.status() != kPassed;
  write(file_of(part.number),
      {{kFormatOfPart, kFormat}, {"search", id_}, {"part", part.number}, {"jobs", part.jobs},
          {"status", part.status()}, {"output", part.is_to_be_shown() ? part.output : ""},
          {"errors", is_told ? part.errors : ""}, {"searches", with_schedules(part.searches)}});
  ++kept_;
}

void Checkpoint::write(const fs::path& file, const Json& json) {
  const std::string text = sealed(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  most_written_ = std::max(most_written_, text.size());
  try {
    replace_file(file, text);
  } catch (const std::system_error& error) {
    const bool is_begun = !id_.empty();
    refuse_file(file, fmt::format("cannot be written ({}); {}", error.code().message(),
                          is_begun ? "when it can be, go on with " + command_to_resume()
                                   : file_steps::advice_on(error.code().value())));
  }
}

void Checkpoint::check_room() const {
  constexpr std::size_t kRoom = std::size_t{1} << 20U;  // more than most parts need
  const fs::path file = work() / "room";
  try {
    replace_file(file, std::string(std::max(kRoom, 4 * most_written_), ' '), file_steps::Outlives::processes);
    fs::remove(file);
  } catch (const std::system_error& error) {
    refuse_file(folder_, fmt::format("cannot be written to ({}); make room there, and go on with {}",
                             error.code().message(), command_to_resume()));
  }
}

void Checkpoint::forget_unless_begun() {
  if (!is_new_ || kept_ != 0) return;
  std::error_code ignored;
  for (const char* name : {kSearch, kWork, kLock}) fs::remove_all(folder_ / name, ignored);
}

std::string Checkpoint::command_to_resume() const {
  const char* const command = std::getenv("HOCKET_COMMAND");
  return quoted_for_shell(command != nullptr ? command : "hocket") + " resume " +
         file_for_shell(folder_.string());
}

}  // namespace hocket::tool
