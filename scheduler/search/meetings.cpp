#include "meetings.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "../../runtime/diagnosis/source_text.hpp"
#include "../../runtime/execution/step.hpp"
#include "../../runtime/platform/symbols/call_site.hpp"
#include "../../runtime/platform/symbols/user_code.hpp"
#include "../../runtime/terms/action_hash.hpp"
#include "../../runtime/terms/semantics.hpp"

namespace hocket {

using runtime::Access;
using runtime::Need;
using runtime::Object;
using runtime::Operation;
using runtime::Thread;

namespace {

constexpr std::size_t kMostFrames = 24;
constexpr std::size_t kMostPlaces = 4096;
constexpr std::size_t kMostWrites = 64;  // to an object that are kept

enum class Part : std::uint8_t { none, reads, writes };

/// What the operation does for those that it meets. Giving back a lock says nothing of who takes it first.
Part part_of(const runtime::Pending& pending, const Object& object, Access access) {
  const Operation operation = pending.operation;
  const bool is_mutex_of_wait = runtime::needs_notification(operation) && &object == pending.second;
  if (is_mutex_of_wait) return Part::writes;
  if (operation == Operation::condition_wait && &object != pending.object) return Part::none;  // its mutex
  switch (runtime::semantics_of(operation).needs) {
    case Need::lock:
      return Part::writes;
    case Need::shared_lock:
      return Part::reads;
    default:
      break;
  }
  const bool is_left_out = operation == Operation::mutex_unlock ||
                           operation == Operation::mutex_unlock_shared || operation == Operation::destroy ||
                           operation == Operation::process_exit || operation == Operation::clock_now;
  if (is_left_out) return Part::none;
  return access == Access::write ? Part::writes : Part::reads;
}

}  // namespace

void Meetings::begin(const Thread& first) {
  ThreadClocks::begin(first);
  uses_.clear();
  newer_ = most_ = 0;
}

void Meetings::chose_store(std::uint32_t newer, std::uint32_t most) {
  newer_ = newer;
  most_ = most;
}

void Meetings::acted(const Object& object, Access access) {
  Clock& now = clock(current());
  Uses& uses = uses_[&object];
  // The writes [0, seen) come before this access. Of those that it has not seen some may be forgotten.
  const std::size_t seen = uses.writes.size() - std::min(newer_, uses.writes.size());
  const bool sees_newest = seen == uses.writes.size();
  const Part part = part_of(current().pending, object, access);
  const Use use{current().index, now[current().index], part == Part::none ? 0 : place_of_step()};
  if (part != Part::none) meet_stores(uses, seen, use);
  if (part == Part::writes && sees_newest) {
    for (const Use& read : uses.reads) meet(read, use);
    uses.reads.clear();
  } else if (part == Part::reads && sees_newest) {
    std::erase_if(uses.reads, [&](const Use& read) { return read.thread == use.thread; });
    uses.reads.push_back(use);
  }
  newer_ = most_ = 0;
  if (sees_newest) {
    join(now, uses.released);
  } else if (seen != 0) {
    join(now, uses.writes[seen - 1].released);
  }
  if (access == Access::read) {
    join(uses.read, now);
    return;
  }
  if (sees_newest) {
    join(now, uses.read);
    uses.read.clear();
    uses.released = now;
  }
  if (part != Part::writes) return;
  uses.writes.insert(uses.writes.begin() + static_cast<std::ptrdiff_t>(seen), {use, now});
  if (uses.writes.size() > kMostWrites) uses.writes.erase(uses.writes.begin());
}

/// The last write that the access has seen comes before it, and those that it has not seen come after it.
/// Nothing orders a write before it over which it could have passed.
void Meetings::meet_stores(const Uses& uses, std::size_t seen, const Use& use) {
  if (seen != 0) {
    const Use& last = uses.writes[seen - 1].use;
    newer_ < most_ ? count(last.place, use.place) : meet(last, use);
  }
  for (std::size_t n = seen; n < uses.writes.size(); ++n) count(use.place, uses.writes[n].use.place);
}

void Meetings::meet(const Use& earlier, const Use& later) {
  if (earlier.thread == later.thread) return;
  const Clock& now = clocks()[later.thread];
  if (earlier.thread < now.size() && now[earlier.thread] >= earlier.time)
    return;  // it came before in any case
  count(earlier.place, later.place);
}

void Meetings::count(PlaceNumber first, PlaceNumber second) {
  ++met_[{std::min(first, second), std::max(first, second)}][first <= second ? 0 : 1];
}

Meetings::PlaceNumber Meetings::place_of_step() {
  const runtime::Pending& pending = current().pending;
  const char* const file = pending.where.file_name();
  auto known = are_the_users_.find(file);
  if (known == are_the_users_.end())
    known = are_the_users_.emplace(file, runtime::platform::holds_user_code(file)).first;
  Place place{pending.operation, pending.where, {}};
  std::uint64_t key = runtime::mix(static_cast<std::uint64_t>(pending.operation), pending.where.line());
  if (pending.where.line() != 0 && known->second) {
    key = runtime::mix(key, reinterpret_cast<std::uintptr_t>(file));
  } else {
    place.stack = runtime::platform::calling_stack(kMostFrames);
    for (const std::uintptr_t address : place.stack) key = runtime::mix(key, address);
  }
  const auto number = numbers_.find(key);
  if (number != numbers_.end()) return number->second;
  if (places_.size() == kMostPlaces) return kMostPlaces - 1;  // nobody reads so many
  const auto next = static_cast<PlaceNumber>(places_.size());
  numbers_.emplace(key, next);
  places_.push_back(std::move(place));
  return next;
}

std::vector<Meeting> Meetings::list() const {
  std::vector<MeetingPlace> places;
  for (const Place& place : places_) {
    const runtime::Where where =
        place.stack.empty() ? place.where : runtime::platform::user_code_on(place.stack);
    places.push_back({std::string(runtime::to_string(place.operation)), runtime::place_of(where)});
  }
  // Several stacks may lead to one place.
  std::map<std::array<MeetingPlace, 2>, std::array<std::uint64_t, 2>> met;
  for (const auto& [numbers, counts] : met_) {
    std::array<MeetingPlace, 2> pair{places[numbers[0]], places[numbers[1]]};
    const bool is_turned = pair[1] < pair[0];
    if (is_turned) std::swap(pair[0], pair[1]);
    std::array<std::uint64_t, 2>& sum = met[pair];
    sum[0] += counts[is_turned ? 1 : 0];
    sum[1] += counts[is_turned ? 0 : 1];
  }
  std::vector<Meeting> list;
  for (const auto& [pair, counts] : met) {
    const bool is_one = pair[0] == pair[1];  // which has one order
    Meeting meeting{pair[0], pair[1], counts[0] + (is_one ? counts[1] : 0), is_one ? 0 : counts[1]};
    if (meeting.first_before == 0) {
      std::swap(meeting.first, meeting.second);
      std::swap(meeting.first_before, meeting.second_before);
    }
    list.push_back(std::move(meeting));
  }
  std::stable_partition(
      list.begin(), list.end(), [](const Meeting& meeting) { return meeting.has_one_order(); });
  return list;
}

}  // namespace hocket
