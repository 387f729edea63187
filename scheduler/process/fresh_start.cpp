#include "fresh_start.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../runtime/platform/system_call.hpp"
#include "interrupt.hpp"
#include "output_gate.hpp"
#include "signal_safe.hpp"
#include "supervised_area.hpp"
#include "waiting_call.hpp"

namespace hocket::fresh_start {

namespace {

using runtime::platform::as_argument;
using runtime::platform::system_call;
using signal_safe::put;

/// Names the descriptor of the file in memory.
constexpr const char* kVariable = "HOCKET_FRESH_START";
/// Kinds of records, beside those of results.
enum Kind : char {
  kEnding = 'e',
  kFollowed = 'a',     ///< the process has ended again, while it followed the schedule of the last ending
  kInterruption = 'i'  ///< the tests that are left are not to run
};
constexpr int kSignals = 64;
constexpr unsigned kMostFiles = 64;
constexpr std::size_t kSizeOfMask = 8;  ///< bytes, as the system has it

/// A signal's action as the system has it.
struct Action {
  void* handler;
  unsigned long flags;
  void* restorer;
  std::uint64_t mask;
};

struct Beginning {
  std::vector<char*> arguments;  ///< with a null pointer at the end
  std::string folder;
  std::uint64_t mask = 0;
  std::bitset<kSignals + 1> is_ignored;
  std::bitset<kMostFiles> is_open;
};

/// What a test's searches have left, in the order in which they were made.
struct Past {
  std::vector<Result> results;
  std::optional<Ending> ending;
  std::size_t taken = 0;  ///< results
};

/// What is passed on: a record for each result, and one for each death that was not reported yet.
struct Kept {
  std::string results;
  std::map<std::string, std::string> endings;  ///< by test
  std::map<std::string, Past> past;
  int interrupted_by = 0;  ///< a signal that came before the fresh start
  bool is_fresh_start = false;
};

constinit int argument_count = 0;
constinit char** first_argument = nullptr;

/// The system's library passes these to every function that runs before main(). GoogleTest and others change
/// the array later.
[[gnu::constructor(102)]] void find_arguments(int count, char** first, char** /*variables*/) {
  argument_count = count;
  first_argument = first;
}

constinit Beginning* beginning = nullptr;
constinit pid_t process = 0;          ///< that may begin anew
constinit bool is_following = false;  ///< the schedule of a death

Kept& kept() {
  static auto& instance = *new Kept;  // never destroyed, as the settings are
  return instance;
}

// ---------------------------------------------------------------------------------------------------------------------
// Records. A field is its length, a line feed and its text.

/// Writes them by `put`, which takes a part of their text and returns whether that could be written.
template <class Put>
bool put_field(Put put, std::string_view text) {
  std::array<char, 20> room{};
  const char* const digits = signal_safe::write_digits(text.size(), room);
  return put({digits, room.data() + room.size()}) && put("\n") && put(text);
}

/// Nothing if `rest` does not begin with a whole field.
std::optional<std::string_view> take_field(std::string_view& rest) {
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
  const auto digits = static_cast<std::size_t>(end - rest.data());
  if (error != std::errc{} || digits == rest.size() || size > rest.size() - digits - 1) return std::nullopt;
  const std::string_view text = rest.substr(digits + 1, size);
  rest.remove_prefix(digits + 1 + size);
  return text;
}

struct Record {
  char kind;
  std::array<std::string_view, 5> fields;  ///< of a test the first one is its name
  std::string_view whole;
};

bool is_result(char kind) {
  constexpr std::array kResults{Result::Kind::passed, Result::Kind::failed, Result::Kind::skipped};
  return std::find(kResults.begin(), kResults.end(), static_cast<Result::Kind>(kind)) != kResults.end();
}

/// Nothing if something else is among them, or one of them is cut.
std::optional<std::vector<Record>> records_in(std::string_view rest) {
  std::vector<Record> all;
  while (!rest.empty()) {
    Record& record = all.emplace_back(Record{rest.front(), {}, rest});
    if (!is_result(record.kind) && record.kind != kEnding && record.kind != kFollowed &&
        record.kind != kInterruption)
      return std::nullopt;
    rest.remove_prefix(1);
    const std::size_t fields = is_result(record.kind) ? 3 : record.kind == kEnding ? 5 : 1;
    for (std::size_t n = 0; n < fields; ++n) {
      const std::optional<std::string_view> field = take_field(rest);
      if (!field) return std::nullopt;
      record.fields[n] = *field;
    }
    record.whole.remove_suffix(rest.size());
  }
  return all;
}

Ending ending_in(const Record& record) {
  Ending ending;
  ending.what = record.fields[1];
  ending.stack = record.fields[2];
  ending.schedule_file = record.fields[3];
  Coverage& c = ending.coverage;
  unsigned milliseconds = 0;
  std::istringstream numbers{std::string(record.fields[4])};
  numbers >> ending.was_saved >> c.executions >> c.pruned >> c.dropped >> c.classes >> c.failed_classes >>
      c.steps >> milliseconds;
  ending.seconds = milliseconds / 1e3;
  return ending;
}

/// The counts of a death come last, each in as many digits as it has; their field's length is not known
/// before.
class Numbers {
 public:
  void add(std::uint64_t number) {
    std::array<char, 20> room{};
    for (const char* digit = signal_safe::write_digits(number, room); digit != room.data() + room.size();)
      text_[size_++] = *digit++;
    text_[size_++] = ' ';
  }
  [[nodiscard]] std::string_view text() const { return {text_.data(), size_}; }

 private:
  std::array<char, 256> text_{};
  std::size_t size_ = 0;
};

template <class Put>
bool put_followed(Put put, std::string_view test) {
  constexpr char kKind = kFollowed;
  return put({&kKind, 1}) && put_field(put, test);
}

template <class Put>
bool put_ending(Put put, const LastWords& words) {
  constexpr char kKind = kEnding;
  const bool has_texts = put({&kKind, 1}) && put_field(put, words.test) && put_field(put, words.what) &&
                         put_field(put, words.stack) && put_field(put, words.schedule_file);
  const Coverage& c = words.coverage;
  Numbers numbers;
  for (const std::uint64_t number : {std::uint64_t{words.was_saved}, c.executions, c.pruned, c.dropped,
           c.classes, c.failed_classes, c.steps, static_cast<std::uint64_t>(words.seconds * 1e3)}) {
    numbers.add(number);
  }
  return has_texts && put_field(put, numbers.text());
}

/// What is new when this process dies.
template <class Put>
bool put_end(Put put, const LastWords& words) {
  return is_following ? put_followed(put, words.test) : put_ending(put, words);
}

/// Writes all that is to be passed on. Returns whether all of it could be written.
bool put_what_was_kept(int file, const LastWords& words) {
  const auto put_text = [file](std::string_view text) { return put(file, text.data(), text.size()); };
  if (!put_text(kept().results)) return false;
  for (const auto& [test, record] : kept().endings) {
    if (!put_text(record)) return false;
  }
  return put_end(put_text, words);
}

// ---------------------------------------------------------------------------------------------------------------------
// In the program that has begun anew

std::string whole_text_of(int file) {
  std::string text;
  std::array<char, 4096> part{};
  lseek(file, 0, SEEK_SET);
  for (ssize_t size = 0; (size = read(file, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(size));
  return text;
}

void read_what_was_kept(std::string_view text) {
  const std::optional<std::vector<Record>> records = records_in(text);
  if (!records) return;  // something else has written there
  Kept& all = kept();
  all.is_fresh_start = true;
  for (const Record& record : *records) {
    const std::string test(record.fields[0]);
    if (record.kind == kInterruption) {
      all.interrupted_by = std::atoi(test.c_str());
      continue;
    }
    Past& past = all.past[test];
    if (record.kind == kFollowed) {
      if (past.ending.has_value()) past.ending->was_followed = true;
      all.endings[test] += record.whole;
    } else if (record.kind == kEnding) {
      past.ending = ending_in(record);
      all.endings[test] = record.whole;
    } else {
      past.results.push_back({static_cast<Result::Kind>(record.kind), std::string(record.fields[1]),
          std::string(record.fields[2])});
      past.ending.reset();  // this is what has become of it
      all.endings.erase(test);
      all.results += record.whole;
    }
  }
}

void take_over() {
  if (const std::string_view records = supervised_area::records_from_before(); !records.empty())
    return read_what_was_kept(records);
  const char* const number = std::getenv(kVariable);
  if (number == nullptr) return;
  const int file = std::atoi(number);
  unsetenv(kVariable);  // it is not for the processes that tests start
  read_what_was_kept(whole_text_of(file));
  close(file);
}

// ---------------------------------------------------------------------------------------------------------------------
// In the process that dies. It can no longer use libc, except where that only calls the system.

/// The program's variables, and the one that names `file`.
class Variables {
 public:
  explicit Variables(int file) {
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
      if (count_ + 2 == all_.size()) {
        are_too_many_ = true;
        return;
      }
      all_[count_++] = *variable;
    }
    std::array<char, 20> room{};
    const char* digit = signal_safe::write_digits(static_cast<std::uint64_t>(file), room);
    char* end = own_.data();
    for (const char* name = kVariable; *name != '\0';) *end++ = *name++;
    *end++ = '=';
    while (digit != room.data() + room.size()) *end++ = *digit++;
    all_[count_] = own_.data();
  }

  [[nodiscard]] bool are_too_many() const { return are_too_many_; }
  [[nodiscard]] char* const* all() const { return all_.data(); }

 private:
  std::array<char*, 2048> all_{};
  std::array<char, 64> own_{};
  std::size_t count_ = 0;
  bool are_too_many_ = false;
};

template <class Visit>
void for_each_signal(Visit visit) {
  for (int signal = 1; signal <= kSignals; ++signal) {
    Action action{};
    if (system_call(SYS_rt_sigaction, signal, 0, as_argument(&action), kSizeOfMask) == 0)
      visit(signal, action);
  }
}

bool is_ignoring(const Action& action) {
  return action.handler == reinterpret_cast<void*>(SIG_IGN);
}

/// Has the program find signals, files and its folder as it found them when it began.
void put_back(int to_be_kept) {
  for_each_signal([](int signal, Action action) {
    if (!is_ignoring(action) || beginning->is_ignored[static_cast<std::size_t>(signal)]) return;
    action = {};
    system_call(SYS_rt_sigaction, signal, as_argument(&action), 0, kSizeOfMask);
  });
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, as_argument(&beginning->mask), 0, kSizeOfMask);
  OutputGate::open_for_good();
  for (unsigned file = 3; file < kMostFiles; ++file) {
    if (!beginning->is_open[file] && static_cast<int>(file) != to_be_kept)
      system_call(SYS_fcntl, file, F_SETFD, FD_CLOEXEC);
  }
  constexpr long kLast = ~0U;
  const long after = to_be_kept < static_cast<int>(kMostFiles) ? kMostFiles : to_be_kept + 1L;
  if (to_be_kept > static_cast<int>(kMostFiles))
    system_call(SYS_close_range, kMostFiles, to_be_kept - 1, CLOSE_RANGE_CLOEXEC);
  system_call(SYS_close_range, after, kLast, CLOSE_RANGE_CLOEXEC);
  system_call(SYS_chdir, as_argument(beginning->folder.c_str()));
}

}  // namespace

void note_how_the_program_began() {
  if (beginning != nullptr) return;
  beginning = new Beginning;
  beginning->arguments.assign(first_argument, first_argument + argument_count);
  beginning->arguments.push_back(nullptr);
  std::array<char, 4096> folder{};
  if (getcwd(folder.data(), folder.size()) != nullptr) beginning->folder = folder.data();
  system_call(SYS_rt_sigprocmask, SIG_BLOCK, 0, as_argument(&beginning->mask), kSizeOfMask);
  for_each_signal([](int signal, const Action& action) {
    beginning->is_ignored[static_cast<std::size_t>(signal)] = is_ignoring(action);
  });
  take_over();  // so that its file does not count as open
  for (unsigned file = 0; file < kMostFiles; ++file)
    beginning->is_open[file] = system_call(SYS_fcntl, file, F_GETFD) >= 0;
}

bool is_one() {
  return kept().is_fresh_start;
}

std::optional<Result> take_result(const std::string& test) {
  const auto place = kept().past.find(test);
  if (place == kept().past.end() || place->second.taken == place->second.results.size()) return std::nullopt;
  return place->second.results[place->second.taken++];
}

bool has_ending(const std::string& test) {
  const auto place = kept().past.find(test);
  if (place == kept().past.end()) return false;
  const Past& past = place->second;
  return past.ending.has_value() && past.taken == past.results.size();
}

bool has_anything_left() {
  return std::any_of(kept().past.begin(), kept().past.end(),
      [](const auto& each) { return each.second.taken != each.second.results.size(); });
}

std::optional<Ending> take_ending(const std::string& test) {
  const auto place = kept().past.find(test);
  if (place == kept().past.end()) return std::nullopt;
  return std::exchange(place->second.ending, std::nullopt);
}

void keep(const std::string& test, const Result& result) {
  std::string record(1, static_cast<char>(result.kind));
  const auto add = [&](std::string_view text) { return record += text, true; };
  put_field(add, test);
  put_field(add, result.text);
  put_field(add, result.outcomes);
  Kept& all = kept();
  all.results += record;
  all.endings.erase(test);
  if (supervised_area::can_begin_anew()) {
    supervised_area::Record shared;
    shared.end(shared.put(record));
  }
  if (all.interrupted_by != 0 && all.endings.empty()) note_past_interruption(all.interrupted_by);
}

void keep_order(int seed) {
  setenv(kOrderVariable, std::to_string(seed).c_str(), 1);  // for a program that this process executes
  if (supervised_area::can_begin_anew()) supervised_area::keep_order(seed);
}

Possible::Possible(bool follows_a_death) : is_supervised_(supervised_area::can_begin_anew()) {
  using supervised_area::BeginsAnew;
  is_following = follows_a_death;
  static_cast<void>(kept());  // because a handler cannot make it
  process = beginning != nullptr ? getpid() : 0;
  if (is_supervised_)
    supervised_area::begin_anew(follows_a_death ? BeginsAnew::if_it_dies_following : BeginsAnew::if_it_dies);
}

Possible::~Possible() {
  process = 0;
  if (is_supervised_) supervised_area::begin_anew(supervised_area::BeginsAnew::no);
}

void begin(const LastWords& words) {
  if (process == 0 || system_call(SYS_getpid) != process || is_process_traced()) return;
  if (supervised_area::can_begin_anew()) {
    supervised_area::Record record;
    const bool is_whole = put_end([&](std::string_view text) { return record.put(text); }, words);
    record.end(is_whole);
    supervised_area::begin_anew(
        is_whole ? supervised_area::BeginsAnew::yes : supervised_area::BeginsAnew::no);
    while (is_whole) system_call(SYS_exit_group, 1);
  }
  const int file = memfd_create("hocket", 0);
  if (file < 0) return;
  const Variables variables(file);
  if (variables.are_too_many()) return;
  if (!put_what_was_kept(file, words)) return;
  put_back(file);
  put(STDERR_FILENO, kBeginsAgain.data(), kBeginsAgain.size());
  system_call(SYS_execve, as_argument("/proc/self/exe"), as_argument(beginning->arguments.data()),
      as_argument(variables.all()));
}

std::optional<std::size_t> results_in(std::string_view text) {
  const std::optional<std::vector<Record>> records = records_in(text);
  if (!records) return std::nullopt;
  return std::count_if(
      records->begin(), records->end(), [](const Record& record) { return is_result(record.kind); });
}

std::string record_of(const LastWords& words) {
  std::string record;
  put_ending([&](std::string_view text) { return record += text, true; }, words);
  return record;
}

std::string record_of_following(std::string_view test) {
  std::string record;
  put_followed([&](std::string_view text) { return record += text, true; }, test);
  return record;
}

std::string record_of_interruption(int signal) {
  std::string record(1, kInterruption);
  put_field([&](std::string_view text) { return record += text, true; }, std::to_string(signal));
  return record;
}

}  // namespace hocket::fresh_start
