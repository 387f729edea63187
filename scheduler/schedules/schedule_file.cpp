#include "schedule_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../runtime/platform/files.hpp"
#include "../../runtime/terms/utf8.hpp"
#include "file_steps.hpp"
#include "whole_file.hpp"

namespace hocket {

namespace {

constexpr std::string_view kExtension = ".schedule.json";

std::string reason(int error) {
  return std::generic_category().message(error);
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading

class Descriptor {
 public:
  explicit Descriptor(const std::filesystem::path& file)
      // Without O_NONBLOCK, opening a pipe that has no writer would block forever.
      : number_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

std::string too_large(std::uintmax_t bytes) {
  return "the file has " + std::to_string(bytes) + " bytes, and a schedule file has at most " +
         std::to_string(kMostScheduleBytes) + "; check the path";
}

[[noreturn]] void refuse_to_read(const std::string& name, int error) {
  throw ScheduleError(name + ": the file cannot be read (" + reason(error) + "); get another copy of it");
}

/// The text from where the descriptor is to its end.
std::string read_to_end(int descriptor, const std::string& name) {
  std::string text;
  std::array<char, std::size_t{64} * 1024> part;
  for (;;) {
    const ssize_t size = ::read(descriptor, part.data(), part.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) refuse_to_read(name, errno);
    if (size == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(size));
    if (text.size() > kMostScheduleBytes)  // it is growing, or its reported size is wrong
      throw ScheduleError(name + ": " + too_large(text.size()));
  }
}

bool is_regular_file(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

/// Puts a file in memory that has the text in the place of standard input.
void replace_standard_input(const std::string& text, const std::string& name) {
  const int file = ::memfd_create("schedule", MFD_CLOEXEC);
  if (file < 0) refuse_to_read(name, errno);
  const file_steps::TooLargeIsAnError guard;
  const int error = file_steps::put(file, text.data(), text.size());
  if (error == 0) ::dup2(file, STDIN_FILENO);
  ::close(file);
  if (error != 0) refuse_to_read(name, error);
}

std::string read_standard_input() {
  const std::string name = name_in_sentences(kStandardInput);
  if (!is_regular_file(STDIN_FILENO)) replace_standard_input(read_to_end(STDIN_FILENO, name), name);
  ::lseek(STDIN_FILENO, 0, SEEK_SET);
  return read_to_end(STDIN_FILENO, name);
}

std::string read_whole(const std::filesystem::path& file, const std::string& name) {
  const auto refuse = [&name](const std::string& sentence) { throw ScheduleError(name + ": " + sentence); };
  const Descriptor descriptor(file);
  if (descriptor.number() < 0) {
    const int error = errno;
    if (error == ENOENT) refuse("there is no such file; check the path");
    refuse("the file cannot be opened (" + reason(error) + "); check the path and its permissions");
  }
  struct stat status {};
  if (::fstat(descriptor.number(), &status) != 0) {
    refuse_to_read(name, errno);
  }
  if (S_ISDIR(status.st_mode)) refuse("this is a folder; name a schedule file in it");
  if (!S_ISREG(status.st_mode)) refuse("this is not a regular file; copy the schedule into one");
  if (std::cmp_greater(status.st_size, kMostScheduleBytes)) {
    refuse(too_large(static_cast<std::uintmax_t>(status.st_size)));
  }
  return read_to_end(descriptor.number(), name);
}

// ---------------------------------------------------------------------------------------------------------------------
// Writing

[[noreturn]] void refuse_to_save(const std::filesystem::path& where, int error) {
  throw ScheduleError("the schedule cannot be saved in " + utf8::printable(where.string()) + " (" +
                      reason(error) + "); " + file_steps::advice_on(error));
}

std::string text_to_save(const Schedule& schedule) {
  std::string text = to_json(schedule);
  if (text.size() > kMostScheduleBytes) {
    throw ScheduleError("the schedule cannot be saved: it would take " + std::to_string(text.size()) +
                        " bytes, and a schedule file has at most " + std::to_string(kMostScheduleBytes) +
                        "; lower the limit on steps");
  }
  return text;
}

// The n in "stem-n.schedule.json"; 1 for "stem.schedule.json"; empty for other names.
std::optional<unsigned> number_of(std::string_view name, std::string_view stem) {
  if (!name.starts_with(stem) || !name.ends_with(kExtension)) return {};
  if (name.size() < stem.size() + kExtension.size()) return {};
  name.remove_prefix(stem.size());
  name.remove_suffix(kExtension.size());
  if (name.empty()) return 1;
  if (name.size() < 2 || name[0] != '-' || name[1] < '1' || name[1] > '9') return {};
  unsigned n = 0;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), n);
  if (error != std::errc{} || end != name.data() + name.size() || n < 2) return {};
  return n;
}

}  // namespace

std::string name_in_sentences(const std::filesystem::path& file) {
  return file == kStandardInput ? "standard input" : utf8::printable(file.string());
}

Schedule read_schedule(const std::filesystem::path& file) {
  const std::string name = name_in_sentences(file);
  return schedule_from_json(file == kStandardInput ? read_standard_input() : read_whole(file, name), name);
}

std::string essential_line(const Schedule& schedule) {
  constexpr std::size_t kMostOfMessage = 500;
  Schedule essential = schedule;
  essential.message = utf8::shortened(utf8::valid(schedule.message), kMostOfMessage);
  essential.complete = false;
  essential.threads.clear();
  essential.stacks.clear();
  essential.found_choices.clear();
  essential.remedy.clear();
  essential.hardware.clear();
  std::string line = to_json(essential);
  std::erase(line, '\n');  // which is nowhere but between the parts of the text
  return line;
}

std::filesystem::path save_new(const Schedule& schedule, const std::filesystem::path& folder) {
  const std::string text = text_to_save(schedule);
  const std::filesystem::path where = folder.empty() ? std::filesystem::path(".") : folder;
  if (const int error = runtime::platform::make_folders(where); error != 0) refuse_to_save(where, error);
  try {
    return write_new_file(
        where, [&](unsigned n) { return schedule_file_name(schedule.test, n); }, text);
  } catch (const std::system_error& e) {
    refuse_to_save(where, e.code().value());
  }
}

void replace(const std::filesystem::path& file, const Schedule& schedule) {
  const std::string text = text_to_save(schedule);
  try {
    replace_file(file, text);
  } catch (const std::system_error& e) {
    refuse_to_save(file, e.code().value());
  }
}

std::filesystem::path move_to_fixed(const std::filesystem::path& file, std::string_view test) {
  const std::filesystem::path folder = file.parent_path() / "fixed";
  if (runtime::platform::make_folders(folder) != 0) return {};
  for (unsigned n = 1;; ++n) {
    std::filesystem::path moved = folder / schedule_file_name(test, n);
    const int error = file_steps::give_name(file.c_str(), moved.c_str());
    if (error == EEXIST) continue;
    return error == 0 ? moved : std::filesystem::path();
  }
}

std::vector<std::filesystem::path> saved_schedules(
    const std::filesystem::path& folder, std::string_view test) {
  const std::string stem = schedule_file_stem(test);
  const std::filesystem::path where = folder.empty() ? std::filesystem::path(".") : folder;
  std::vector<std::pair<unsigned, std::filesystem::path>> found;
  for (const std::string& name : runtime::platform::names_in(where)) {
    if (const auto n = number_of(name, stem)) found.emplace_back(*n, where / name);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::filesystem::path> files;
  files.reserve(found.size());
  for (auto& [n, path] : found) files.push_back(std::move(path));
  return files;
}

std::string schedule_file_stem(std::string_view test) {
  constexpr std::size_t kMostBytes =
      180;  // with number, extension and hash well below the 255 of most file systems
  std::string stem;
  for (std::string_view rest = test; !rest.empty();) {
    const utf8::CodePoint c = utf8::first(rest);
    const bool is_plain = (c.value >= '0' && c.value <= '9') || (c.value >= 'A' && c.value <= 'Z') ||
                          (c.value >= 'a' && c.value <= 'z') || c.value == '.' || c.value == '-';
    const bool is_foreign = c.is_valid && c.value >= 0xa0;
    // A name that begins with a dot is hidden, and one that begins with a hyphen looks like an option.
    const bool is_hiding = stem.empty() && (c.value == '.' || c.value == '-');
    if ((is_plain || is_foreign) && !is_hiding) {
      stem += rest.substr(0, c.length);
    } else {
      stem += '_';
    }
    rest.remove_prefix(c.length);
    if (stem.size() <= kMostBytes || rest.empty()) continue;

    std::uint32_t hash = 0x811c9dc5U;  // FNV-1a, for names that differ only after the cut
    for (const char byte : test) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x01000193U;
    std::array<char, 8> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), hash, 16);
    return stem + "_" + std::string(digits.data(), end);
  }
  return stem.empty() ? "unnamed" : stem;
}

std::string schedule_file_name(std::string_view test, unsigned n) {
  std::string name = schedule_file_stem(test);
  if (n > 1) name.append("-").append(std::to_string(n));
  return name.append(kExtension);
}

}  // namespace hocket
