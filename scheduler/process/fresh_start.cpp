#include "fresh_start.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "interrupt.hpp"
#include "output_gate.hpp"
#include "supervised_area.hpp"
#include "waiting_call.hpp"

namespace hocket::fresh_start {

namespace {

/// Kinds of records, beside those of results.
enum Kind : char {
  kEnding = 'e',
  kFollowed = 'a',  ///< the process has ended again, while it followed the schedule of the last ending
  kLostCall = 'c',
  kInterruption = 'i'  ///< the tests that are left are not to run
};

/// What a test's searches have left, in the order in which they were made.
struct Past {
  std::vector<Result> results;
  std::optional<Ending> ending;
  std::optional<LostCall> lost_call;
  std::size_t taken = 0;  ///< results
};

/// What was passed on.
struct Kept {
  std::map<std::string, Past> past;  ///< by test
  int interrupted_by = 0;            ///< a signal that came before the fresh start
  bool is_fresh_start = false;
  void (*call)() = nullptr;  ///< when_it_is_one()
};

constinit bool may_begin = false;
constinit bool is_following = false;  ///< the schedule of a death

Kept& kept() {
  static auto& instance = *new Kept;  // never destroyed, as the settings are
  return instance;
}

// ---------------------------------------------------------------------------------------------------------------------
// Records. A field is its length, a line feed and its text.

void add_field(std::string& record, std::string_view text) {
  record += std::to_string(text.size()) + '\n';
  record += text;
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
  std::array<std::string_view, 5> fields = {};  ///< of a test the first one is its name
};

bool is_result(char kind) {
  constexpr std::array kResults{Result::Kind::passed, Result::Kind::failed, Result::Kind::skipped};
  return std::find(kResults.begin(), kResults.end(), static_cast<Result::Kind>(kind)) != kResults.end();
}

/// 0 if there are no records of this kind.
std::size_t fields_of(char kind) {
  if (is_result(kind) || kind == kLostCall) return 3;
  if (kind == kEnding) return 5;
  return kind == kFollowed || kind == kInterruption ? 1 : 0;
}

/// Nothing if something else is among them, or one of them is cut.
std::optional<std::vector<Record>> records_in(std::string_view rest) {
  std::vector<Record> all;
  while (!rest.empty()) {
    Record& record = all.emplace_back(Record{rest.front()});
    const std::size_t fields = fields_of(record.kind);
    if (fields == 0) return std::nullopt;
    rest.remove_prefix(1);
    for (std::size_t n = 0; n < fields; ++n) {
      const std::optional<std::string_view> field = take_field(rest);
      if (!field) return std::nullopt;
      record.fields[n] = *field;
    }
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
  for (BoundReport bound; numbers >> bound.executions >> bound.classes >> bound.failures >> bound.complete;)
    c.bounds.push_back(bound);
  return ending;
}

// ---------------------------------------------------------------------------------------------------------------------
// In the program that has begun anew

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
    } else if (record.kind == kEnding) {
      past.ending = ending_in(record);
    } else if (record.kind == kLostCall) {
      past.lost_call = {std::strtoull(std::string(record.fields[1]).c_str(), nullptr, 10),
          std::atoi(std::string(record.fields[2]).c_str())};
    } else {
      past.results.push_back({static_cast<Result::Kind>(record.kind), std::string(record.fields[1]),
          std::string(record.fields[2])});
      past.ending.reset();  // this is what has become of it
      past.lost_call.reset();
    }
  }
}

}  // namespace

void take_over() {
  const std::string_view records = supervised_area::records_from_before();
  if (records.empty() || kept().is_fresh_start) return;
  read_what_was_kept(records);
  if (kept().call != nullptr) std::exchange(kept().call, nullptr)();
}

bool is_one() {
  return kept().is_fresh_start;
}

void when_it_is_one(void (*call)()) {
  kept().call = call;
  take_over();
}

namespace {

int output = -1;  ///< the standard output, while that is discarded

}  // namespace

void discard_output() {
  constexpr int kFileAside = 100;  // so that tests get the same numbers as before
  flush_standard_streams();
  output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, kFileAside);
  const int nowhere = output < 0 ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  dup2(nowhere, STDOUT_FILENO);
  close(nowhere);
}

void show_output() {
  if (output < 0) return;
  flush_standard_streams();
  dup2(output, STDOUT_FILENO);
  close(std::exchange(output, -1));
}

std::optional<Result> take_result(const std::string& test) {
  const auto place = kept().past.find(test);
  if (place == kept().past.end() || place->second.taken == place->second.results.size()) return std::nullopt;
  return place->second.results[place->second.taken++];
}

std::optional<LostCall> lost_call(const std::string& test) {
  const auto place = kept().past.find(test);
  return place != kept().past.end() ? place->second.lost_call : std::nullopt;
}

bool has_ending(const std::string& test) {
  const auto place = kept().past.find(test);
  if (place == kept().past.end()) return false;
  const Past& past = place->second;
  return (past.ending.has_value() || past.lost_call.has_value()) && past.taken == past.results.size();
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
  if (supervised_area::can_begin_anew()) {
    std::string record(1, static_cast<char>(result.kind));
    for (const std::string_view field :
        {std::string_view(test), std::string_view(result.text), std::string_view(result.outcomes)})
      add_field(record, field);
    supervised_area::add_record(record);
  }
  const bool is_a_death_left = std::any_of(kept().past.begin(), kept().past.end(),
      [](const auto& each) { return each.second.ending.has_value(); });
  if (kept().interrupted_by != 0 && !is_a_death_left) note_past_interruption(kept().interrupted_by);
}

void keep_order(int seed) {
  if (supervised_area::can_begin_anew()) supervised_area::keep_order(seed);
}

Possible::Possible(bool follows_a_death) : is_supervised_(supervised_area::can_begin_anew()) {
  using supervised_area::BeginsAnew;
  may_begin = true;
  is_following = follows_a_death;
  if (is_supervised_)
    supervised_area::begin_anew(follows_a_death ? BeginsAnew::if_it_dies_following : BeginsAnew::if_it_dies);
}

Possible::~Possible() {
  may_begin = false;
  if (is_supervised_) supervised_area::begin_anew(supervised_area::BeginsAnew::no);
}

bool is_possible() {
  return may_begin;
}

void begin(const std::string& test, const Ending& ending) {
  if (!may_begin || is_process_traced()) return;
  if (supervised_area::can_begin_anew() &&
      supervised_area::add_record(is_following ? record_of_following(test) : record_of(test, ending))) {
    supervised_area::begin_anew(supervised_area::BeginsAnew::yes);
    std::_Exit(1);
  }
  say_that_tests_are_left();
}

void say_that_tests_are_left() {
  if (!may_begin || is_process_traced()) return;
  constexpr std::string_view kText =
      "hocket: the tests that are left do not run, as no other process watches this one; `hocket run` runs "
      "them\n";
  static_cast<void>(!write(OutputGate::real_stderr(), kText.data(), kText.size()));
}

std::optional<std::size_t> results_in(std::string_view text) {
  const std::optional<std::vector<Record>> records = records_in(text);
  if (!records) return std::nullopt;
  return std::count_if(
      records->begin(), records->end(), [](const Record& record) { return is_result(record.kind); });
}

std::string record_of(const std::string& test, const Ending& ending) {
  std::string record(1, kEnding);
  for (const std::string_view field : {std::string_view(test), std::string_view(ending.what),
           std::string_view(ending.stack), std::string_view(ending.schedule_file)})
    add_field(record, field);
  const Coverage& c = ending.coverage;
  std::ostringstream numbers;
  numbers << ending.was_saved << ' ' << c.executions << ' ' << c.pruned << ' ' << c.dropped << ' '
          << c.classes << ' ' << c.failed_classes << ' ' << c.steps << ' '
          << static_cast<std::uint64_t>(ending.seconds * 1e3);
  for (const BoundReport& bound : c.bounds)
    numbers << ' ' << bound.executions << ' ' << bound.classes << ' ' << bound.failures << ' '
            << bound.complete;
  add_field(record, numbers.str());
  return record;
}

std::string record_of_following(std::string_view test) {
  std::string record(1, kFollowed);
  add_field(record, test);
  return record;
}

std::string record_of_lost_call(std::string_view test, const LostCall& call) {
  std::string record(1, kLostCall);
  add_field(record, test);
  add_field(record, std::to_string(call.number));
  add_field(record, std::to_string(call.signal));
  return record;
}

std::string record_of_interruption(int signal) {
  std::string record(1, kInterruption);
  add_field(record, std::to_string(signal));
  return record;
}

}  // namespace hocket::fresh_start
