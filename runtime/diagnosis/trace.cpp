#include "trace.hpp"

#include <algorithm>
#include <exception>

#include "../execution/allocations.hpp"
#include "../execution/execution.hpp"
#include "../platform/symbols/debug_info.hpp"
#include "failure_stacks.hpp"
#include "notes.hpp"
#include "source_text.hpp"
#include "time_text.hpp"
#include "values.hpp"
#include "variable_names.hpp"

namespace hocket::runtime {

constinit FailureWatch failure_watch = nullptr;

namespace {

std::uintptr_t place_of_found(const Object& object) {
  return found_memory.place != nullptr ? found_memory.place(object) : 0;
}

}  // namespace

void Trace::begin() {
  begin_naming(*run.current);
  choices_.clear();
  fences_.clear();
  objects_.clear();
  last_number_ = 0;
  found_.clear();
  labels_.clear();
  taken_labels_.clear();
  given_.clear();
  shortened_.clear();
  named_.clear();
  counts_.clear();
  threads_.clear();
  threads_.push_back({"main", -1, 0, {}});
  pending_places_.clear();
  pending_stacks_.clear();
  unwinding_.clear();
}

void Trace::end() {
  objects_.clear();
}

std::string Trace::unique_thread_label(std::string_view name) const {
  std::string label(name);
  const auto is_taken = [&] {
    return std::any_of(
        threads_.begin(), threads_.end(), [&](const RecordedThread& t) { return t.label == label; });
  };
  for (unsigned n = 2; is_taken(); ++n) label = std::string(name) + " #" + std::to_string(n);
  return label;
}

void Trace::thread_created(const Thread& thread, const Where& where) {
  const OwnMemory own;
  // "thread 2.1": the first thread made by the second thread that the body's own thread made.
  std::string path = std::to_string(thread.ordinal);
  for (const Thread* t = thread.creator; t->creator != nullptr; t = t->creator) {
    path.insert(0, std::to_string(t->ordinal) + ".");
  }
  threads_.push_back({unique_thread_label("thread " + path), static_cast<int>(thread.creator->index),
      thread.ordinal, user_place_of(where), static_cast<std::uint32_t>(choices_.size())});
}

void Trace::thread_joined(const Thread& joiner, const Thread& ended) {
  threads_[ended.index].joiner = static_cast<int>(joiner.index);
  threads_[ended.index].joined_after = static_cast<std::uint32_t>(choices_.size());
}

void Trace::waits(const Thread& thread, RecordedThread::Waiting waiting) {
  waiting.where = pending_place(thread);
  threads_[thread.index].waiting = std::move(waiting);
}

void Trace::object_made(const Object& object, const Thread& creator, const Where& /*where*/) {
  const OwnMemory own;
  std::string owner;
  if (creator.creator != nullptr) owner.append(" of ").append(threads_[creator.index].label);
  const unsigned count = ++counts_[object.kind->name + owner];
  const std::string name =
      std::string(object.kind->name).append(" ").append(std::to_string(count)).append(owner);
  objects_[&object] = {++last_number_, {}, name, {}};
}

void Trace::object_found(
    const Object& object, std::uintptr_t address, unsigned earlier, std::string_view label) {
  const OwnMemory own;
  unsigned& number = found_[{address, earlier}];
  if (number == 0) number = ++last_number_;
  ObjectEntry& entry = objects_[&object];
  entry = {number, {}, {}, {}, false, address};
  if (!label.empty()) entry.label = unique_object_label(number, label);
}

void Trace::object_outlived(const Object& object, const Object& remains) {
  const OwnMemory own;
  const ObjectEntry entry = known(object);
  objects_[&remains] = entry;
}

std::string_view Trace::in_short(std::string_view name) const {
  if (given_.contains(name)) return name;
  int depth = 0;
  bool is_quoted = false;  // the key of an element
  for (std::size_t n = 0; n < name.size(); ++n) {
    const char c = name[n];
    const bool is_arrow = c == '>' && n != 0 && name[n - 1] == '-';
    if (c == '"') is_quoted = !is_quoted;
    if (is_quoted || is_arrow) continue;
    if (c == '(' || c == '[' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '>') --depth;
    if (depth == 0 && n != 0 && name.substr(n).starts_with(" in ")) return name.substr(0, n);
  }
  return name;
}

bool Trace::is_described(const Object& object) const {
  const auto entry = objects_.find(&object);
  return entry != objects_.end() && platform::has_debug_info_named() &&
         !given_.contains(entry->second.label) && !entry->second.label.starts_with("block ");
}

bool Trace::is_number(const Object& object) const {
  const auto entry = objects_.find(&object);
  const bool is_model = entry != objects_.end() && entry->second.found_at != 0;
  const std::uintptr_t found_at = is_model ? entry->second.found_at : place_of_found(object);
  return is_number_at(found_at != 0 ? found_at : reinterpret_cast<std::uintptr_t>(&object));
}

std::string Trace::unique_object_label(unsigned number, std::string_view name) {
  std::string& label = labels_[{std::string(name), number}];
  if (!label.empty()) return label;
  unsigned& named = named_[std::string(name)];
  // The first variable of a name goes without its function.
  const std::string shorter(in_short(name));
  const bool is_first = shortened_.try_emplace(shorter, name).first->second == name;
  do {
    label = is_first ? shorter : name;
    if (++named != 1) label += " #" + std::to_string(named);
  } while (!taken_labels_.insert(label).second);
  return label;
}

Trace::ObjectEntry& Trace::known(const Object& object) {
  const OwnMemory own;
  if (!objects_.contains(&object)) {
    if (const std::uintptr_t place = place_of_found(object); place != 0) object_found(object, place, 0, {});
  }
  ObjectEntry& entry = objects_[&object];
  if (entry.number == 0) entry.number = ++last_number_;
  if (!entry.label.empty()) return entry;
  seek_name(object, entry);
  std::string name = entry.source.empty() ? entry.counted : entry.source;
  if (name.empty()) {  // made outside the body: numbered by first use, which the schedule determines
    name = std::string("outer ") + object.kind->name;
    name += " " + std::to_string(++counts_[name]);
  }
  entry.label = unique_object_label(entry.number, name);
  return entry;
}

void Trace::seek_name(const Object& object, ObjectEntry& entry) {
  if (entry.is_sought) return;
  entry.is_sought = true;
  entry.source = entry.found_at != 0 ? found_memory.name(entry.found_at) : name_in_source(object);
}

std::string Trace::label(const Object& object) {
  const OwnMemory own;
  return known(object).label;
}

std::string Trace::label(const Thread& thread) const {
  return threads_[thread.index].label;
}

void Trace::name_object(const Object& object, std::string_view name) {
  const OwnMemory own;
  if (name.empty()) return;
  ObjectEntry& entry = objects_[&object];
  if (entry.number == 0) entry.number = ++last_number_;
  name_given(name);
  entry.label = unique_object_label(entry.number, name);
}

void Trace::name_thread(const Thread& thread, std::string_view name) {
  const OwnMemory own;
  std::string& label = threads_[thread.index].label;
  if (label == name) return;
  label.clear();
  label = unique_thread_label(name);
}

void Trace::stopped(const Thread& thread) {
  const OwnMemory own;
  if (pending_places_.size() <= thread.index) pending_places_.resize(thread.index + std::size_t{1});
  // The caller of a destructor is often not a line that a person wrote.
  const Object* const pending = thread.pending.object;
  if (pending != nullptr && thread.pending.operation != Operation::clock_now &&
      place_of_found(*pending) == 0) {
    ObjectEntry& object = objects_[pending];
    if (object.label.empty()) seek_name(*pending, object);
  }
  const bool is_shown = thread.pending.operation != Operation::destroy;
  pending_places_[thread.index] = is_shown ? user_place_of(thread.pending.where) : std::string{};
  if (pending_stacks_.size() <= thread.index) pending_stacks_.resize(thread.index + std::size_t{1});
  pending_stacks_[thread.index] = stack_to_show();
  if (unwinding_.size() <= thread.index) unwinding_.resize(thread.index + std::size_t{1});
  unwinding_[thread.index] = std::uncaught_exceptions() != 0;
}

bool Trace::enter(const Thread& thread, const char* function) {
  const OwnMemory own;
  if (functions_.size() <= thread.index) functions_.resize(thread.index + std::size_t{1}, nullptr);
  if (functions_[thread.index] != nullptr) return false;
  functions_[thread.index] = function;
  return true;
}

void Trace::leave(const Thread& thread) {
  functions_.at(thread.index) = nullptr;
}

std::string Trace::function_of(const Thread& thread) const {
  const bool is_in_one = thread.index < functions_.size() && functions_[thread.index] != nullptr;
  return is_in_one ? functions_[thread.index] : "";
}

std::string Trace::pending_place(const Thread& thread) const {
  return thread.index < pending_places_.size() ? pending_places_[thread.index] : std::string{};
}

const std::vector<std::uintptr_t>& Trace::pending_stack(const Thread& thread) const {
  static const std::vector<std::uintptr_t> none;
  return thread.index < pending_stacks_.size() ? pending_stacks_[thread.index] : none;
}

std::string Trace::last_operation(const Thread& thread, bool of_destructors) const {
  for (std::size_t n = choices_.size(); n-- > 0;) {
    const RecordedChoice& choice = choices_[n];
    if (choice.is_value || choice.thread != thread.index || choice.operation == Operation::none) continue;
    if (choice.is_unwinding && !of_destructors) continue;
    std::string text = "; its last operation was " + choice.name();
    if (!choice.object.empty()) text += " on " + choice.object;
    if (!choice.where.empty()) text += " at " + choice.where;
    return text;
  }
  return {};
}

bool Trace::step(const Thread& next, Code code, const LogEntry& entry) {
  const OwnMemory own;
  RecordedChoice choice;
  choice.thread = next.index;
  choice.operation = operation_of_step(next.pending.operation, mode_of(code));
  if (next.pending.object != nullptr && next.pending.operation != Operation::clock_now) {
    const ObjectEntry& object = known(*next.pending.object);
    choice.object = object.label;
    choice.object_number = object.number;
  }
  choice.mode = mode_of(code);
  choice.code = code;
  choice.where = pending_place(next);
  choice.part_of = function_of(next);
  choice.is_unwinding = next.index < unwinding_.size() && unwinding_[next.index];
  const ChoiceLog log{run.log, Execution::candidates(), run.position};
  log.for_each_candidate(entry, [&](const Candidate& candidate) {
    if (candidate.code == code) choice.price = candidate.price;
  });
  choices_.push_back(std::move(choice));
  return accept(choices_.back());
}

bool Trace::value(
    Operation operation, Code value, std::uint32_t count, std::uint32_t price, const Where& where) {
  const OwnMemory own;
  RecordedChoice choice;
  choice.is_value = true;
  choice.thread = run.current->index;
  choice.operation = operation;
  choice.code = value;
  choice.count = count;
  choice.price = value == 0 ? 0 : price;
  choice.where = user_place_of(where);
  if (!offered_.empty()) {
    choice.chooses_store = true;
    choice.newest = offered_.front();
    choice.seen = offered_.at(value);
    offered_.clear();
  }
  choices_.push_back(std::move(choice));
  return accept(choices_.back());
}

void Trace::offer_stores(std::vector<RecordedChoice::Stored> stores) {
  for (RecordedChoice::Stored& store : stores) store.step = static_cast<std::uint32_t>(step_of(store.step));
  offered_ = std::move(stores);
}

std::size_t Trace::step_of(std::size_t number) const {
  while (number > 1 && choices_[number - 1].chooses_store) --number;
  return number;
}

RecordedChoice& Trace::noted() {
  return choices_[step_of(choices_.size()) - 1];
}

void Trace::seq_cst_fence(const Thread& thread) {
  fences_.push_back({thread.index, choices_.size()});
}

void Trace::note(std::string_view text) {
  const OwnMemory own;
  if (!choices_.empty()) noted().notes.emplace_back(text);
}

void Trace::gives_back(const Object& lock) {
  const OwnMemory own;
  if (!choices_.empty()) noted().lock = label(lock);
}

void Trace::outcome(bool succeeded, std::string_view found) {
  const OwnMemory own;
  if (choices_.empty()) return;
  noted().has_failed = !succeeded;
  std::string text = succeeded ? "succeeded" : "failed";
  if (!found.empty()) text.append(succeeded ? " from " : ", found ").append(found);
  note(text);
}

void Trace::compared(
    bool succeeded, std::string_view expected, std::string_view found, std::string_view written) {
  const OwnMemory own;
  if (choices_.empty()) return;
  noted().has_failed = !succeeded;
  std::string text;
  if (succeeded) {
    text.append("succeeded, ").append(found).append(" becomes ").append(written);
  } else {
    text.append("failed, expected ").append(expected).append(", found ").append(found);
  }
  note(text);
}

void Trace::until(std::int64_t nanoseconds) {
  const OwnMemory own;
  note(std::string(notes::kUntil) + time_text(nanoseconds));
}

void Trace::sleeps(std::int64_t nanoseconds, std::optional<std::int64_t> until) {
  const OwnMemory own;
  if (choices_.empty()) return;
  noted().sleeps = nanoseconds;
  std::string text = std::string(notes::kFor) + time_text(nanoseconds);
  if (until) text.append(", ").append(notes::kUntil).append(time_text(*until));
  note(text);
}

void Trace::expires(std::int64_t nanoseconds) {
  if (!choices_.empty()) noted().sleeps = nanoseconds;
}

void Trace::access(const Object& object, Access access, std::string_view text, const Where& where) {
  const OwnMemory own;
  if (choices_.empty()) return;
  std::string note =
      std::string(access == Access::read ? notes::kReads : notes::kWrites) + label(object) + " = ";
  note += text;
  if (const std::string place = user_place_of(where); !place.empty()) note.append("  ").append(place);
  choices_.back().notes.push_back(std::move(note));
}

void Trace::failed(const Failure& failure) {
  std::string line = failure.message.substr(0, failure.message.find('\n'));
  if (failure.kind == FailureKind::assertion) {
    line.clear();  // the first line says too little: "Expected equality of these values:"
    for (const char c : failure.message) {
      const bool is_space = c == '\n' || c == ' ';
      if (!is_space || (!line.empty() && line.back() != ' ')) line += is_space ? ' ' : c;
    }
  }
  note(std::string(notes::kFails) + line);
  if (failure_watch != nullptr) failure_watch(failure);
}

std::string Trace::repetition(std::size_t& round) const {
  const auto same = [](const RecordedChoice& a, const RecordedChoice& b) {
    return a.thread == b.thread && a.operation == b.operation && a.object_number == b.object_number &&
           a.where == b.where;
  };
  constexpr std::size_t kRounds = 3;
  constexpr std::size_t kLongest = 64;
  for (std::size_t length = 1; round == 0 && length <= kLongest && length * kRounds <= choices_.size();
       ++length) {
    std::size_t n = choices_.size() - length * (kRounds - 1);
    while (n < choices_.size() && same(choices_[n], choices_[n - length])) ++n;
    if (n == choices_.size()) round = length;
  }
  // A round of all threads may contain several of one thread, and begin anywhere in them.
  std::vector<const RecordedChoice*> lines;
  const auto add_once = [&](const RecordedChoice& choice) {
    const bool is_known = std::any_of(
        lines.begin(), lines.end(), [&](const RecordedChoice* known) { return same(*known, choice); });
    if (!is_known) lines.push_back(&choice);
  };
  std::for_each(choices_.end() - static_cast<std::ptrdiff_t>(round), choices_.end(), add_once);
  for (const RecordedChoice*& line : lines)
    line = &*std::find_if(
        choices_.begin(), choices_.end(), [&](const RecordedChoice& choice) { return same(choice, *line); });
  std::sort(lines.begin(), lines.end(), [](const RecordedChoice* a, const RecordedChoice* b) {
    return a->thread != b->thread ? a->thread < b->thread : a < b;
  });
  std::string text;
  for (std::size_t n = 0; n < std::min(lines.size(), kLongest); ++n) {
    const RecordedChoice& choice = *lines[n];
    text += "\n  " + threads_[choice.thread].label + ": " + choice.name();
    if (!choice.object.empty()) text += " " + choice.object;
    if (!choice.where.empty()) text += "  at " + choice.where;
  }
  if (lines.size() > kLongest) text += "\n  …";
  return text;
}

std::size_t Trace::last_step(const Thread& thread) const {
  std::size_t n = choices_.size();
  while (n != 0 && (choices_[n - 1].is_value || choices_[n - 1].thread != thread.index)) --n;
  return n;
}

std::size_t Trace::last_step_on(const Object& object, bool (*is_meant)(Operation)) {
  const unsigned meant = number(object);
  const auto fits = [&](const RecordedChoice& choice) {
    return !choice.is_value && choice.object_number == meant && is_meant(choice.operation);
  };
  std::size_t n = choices_.size();
  while (n != 0 && !fits(choices_[n - 1])) --n;
  return n;
}

}  // namespace hocket::runtime
