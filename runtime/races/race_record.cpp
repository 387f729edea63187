#include "race_record.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "../diagnosis/failure_stacks.hpp"
#include "../diagnosis/held_locks.hpp"
#include "../diagnosis/source_text.hpp"
#include "../execution/cold_state.hpp"
#include "../execution/execution.hpp"
#include "../platform/symbols/call_site.hpp"
#include "../platform/symbols/stack_frames.hpp"
#include "../platform/symbols/user_code.hpp"

namespace hocket::runtime {

namespace {

/// The words for an access: "thread 1 reads total", "the read by main".
struct Words {
  std::string_view verb;
  std::string_view noun;
};

const Words& words_for(VarAccess access) {
  static constexpr std::array<Words, 9> kWords{{
      {"reads", "read"},
      {"writes", "write"},
      {"constructs", "construction"},
      {"destroys", "destruction"},
      {"atomically reads", "atomic read"},
      {"atomically writes", "atomic write"},
      {"frees", "release"},
      {"has returned from the function that owns", "return from its function"},
      {"uses", "use"},
  }};
  return kWords.at(static_cast<std::size_t>(access));
}

std::string_view name_of(std::memory_order order) {
  switch (order) {
    case std::memory_order_relaxed:
      return "memory_order_relaxed";
    case std::memory_order_consume:
      return "memory_order_consume";
    case std::memory_order_acquire:
      return "memory_order_acquire";
    case std::memory_order_release:
      return "memory_order_release";
    case std::memory_order_acq_rel:
      return "memory_order_acq_rel";
    default:
      return "memory_order_seq_cst";
  }
}

/// Whether the access constructs `raced`. In code not written for Hocket that is a plain write: in a
/// constructor of std::atomic, or by anybody to memory that is used as a lock.
bool makes(const Race::Side& side, const Object& raced) {
  if (side.access == VarAccess::make) return true;
  if (side.access != VarAccess::write || !raced.kind->is_plain_data) return false;
  if (static_cast<const Var&>(raced).used_as != nullptr) return true;
  return platform::passes_through(side.code, "/bits/atomic_base.h") ||
         platform::passes_through(side.code, "/atomic");
}

/// What becomes of an object whose pointer to virtual functions races: that is written where a constructor or
/// a destructor begins, and read by virtual calls.
struct ObjectLife {
  std::string object;  ///< "thermometer"; empty if it is not such a pointer, or not known what writes it
  // What the two accesses are: a construction or a destruction, and a use.
  VarAccess first = VarAccess::use;
  VarAccess second = VarAccess::use;
};

/// The object whose pointer to virtual functions is called `name`: "thermometer" for
/// "thermometer._vptr.Sensor". Empty if it is another variable.
std::string object_with_pointer(const std::string& name) {
  const std::size_t at = name.find("_vptr");
  if (at == std::string::npos) return {};
  if (at == 0) {
    const std::size_t of = name.find(" of ");
    return of == std::string::npos ? "the " + name.substr(std::min(name.size(), sizeof "_vptr"))
                                   : name.substr(of + 4);
  }
  const std::string before = name.substr(0, at);
  if (before.ends_with("->")) return "*" + before.substr(0, before.size() - 2);
  return before.ends_with('.') ? before.substr(0, before.size() - 1) : std::string{};
}

/// "Counter" for "shop::Counter<int>".
std::string_view class_in(std::string_view name) {
  name = name.substr(0, name.find('<'));
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

ObjectLife life_of(const Race& race, const std::string& name, const std::vector<std::uintptr_t>& first) {
  ObjectLife life{object_with_pointer(name)};
  if (!life.object.empty() && race.second.access == VarAccess::free_block) {
    life.second = VarAccess::destroy;  // by a destructor that writes nothing
    return life;
  }
  const bool is_second = race.second.access == VarAccess::write;
  if (life.object.empty() || is_second == (race.first.access == VarAccess::write))
    return {};  // or two lives' ends
  for (const platform::StackFrame& frame : platform::frames_of(is_second ? stack_to_show() : first)) {
    if (platform::is_of_hocket(frame.file)) continue;
    const std::size_t colons = std::min(frame.function.rfind("::"), frame.function.size());
    const std::string_view own =
        std::string_view(frame.function).substr(std::min(colons + 2, frame.function.size()));
    const bool constructs = own == class_in(std::string_view(frame.function).substr(0, colons));
    if (!constructs && !own.starts_with('~')) return {};
    (is_second ? life.second : life.first) = constructs ? VarAccess::make : VarAccess::destroy;
    return life;
  }
  return {};
}

/// "Session" if the stack is that of an access that a destructor of a member of a Session makes on behalf of
/// ~Session; empty otherwise. What the body of a destructor does may be meant for threads that are to stop.
std::string class_destroyed_on(const std::vector<std::uintptr_t>& stack) {
  const auto destroyed_by = [](const platform::StackFrame& frame) {
    constexpr std::string_view kDestructor = "::~";
    const std::string_view function = frame.function;
    const std::size_t at = function.rfind(kDestructor);
    return at == std::string_view::npos ? std::string_view{}
                                        : class_in(function.substr(at + kDestructor.size()));
  };
  std::string_view outer;
  unsigned destructors = 0;
  const std::vector<platform::StackFrame> frames = platform::frames_of(stack);
  for (const platform::StackFrame& frame : frames) {
    const std::string_view destroyed = destroyed_by(frame);
    if (destroyed.empty() && destructors != 0) break;
    if (destroyed.empty() && platform::holds_user_code(frame.file)) break;
    if (destroyed.empty()) continue;
    ++destructors;
    outer = platform::holds_user_code(frame.file) ? destroyed : std::string_view{};
  }
  return destructors > 1 ? std::string(outer) : std::string{};
}

std::string advice_on(const ObjectLife& life, const std::string& one, const std::string& other) {
  const bool is_second = life.second != VarAccess::use;
  const std::string& owner = is_second ? other : one;
  const std::string& user = is_second ? one : other;
  if (life.second == VarAccess::make) {
    return life.object + " was published before it was constructed: " + user + " has used it, and " + owner +
           " constructs it. Let " + user +
           " begin, or see it, when the constructor of the whole object has returned: a base class is "
           "constructed before what is derived from it.";
  }
  if (life.first == VarAccess::make) {
    return life.object + " was published before it was constructed, as " + user + " sees it. Let " + user +
           " begin when the constructor of the whole object has returned, or let " + owner +
           " publish it by memory_order_release, and " + user +
           " read what is published by memory_order_acquire.";
  }
  return owner + " destroys " + life.object + " while " + user + " may still use it. Let " + user +
         " finish before the destructor of the whole object begins: that of a base class runs when what is "
         "derived from it is gone.";
}

}  // namespace

void RaceRecord::begin() {
  accesses_.clear();
  events_.clear();
  last_write_.clear();
  write_of_.clear();
}

void RaceRecord::acted(const Thread& self, const Object& object, Operation operation, runtime::Access access,
    std::memory_order order, Trace& trace, const Released* from, const Released* to) {
  const Synchronization what = synchronization_of(object, operation, access);
  if (!is_atomic(what)) return;
  const bool has_values = from != nullptr || to != nullptr;
  std::size_t& last = has_values ? write_of_[to] : last_write_[object.key];
  const std::size_t source = has_values ? write_of_[from] : last;
  events_.push_back(
      {self.index, what, operation, order, trace.label(object), user_place_of(self.pending.where), source});
  if (what != Synchronization::atomic_load) last = events_.size();
}

void RaceRecord::fenced(const Thread& self, std::memory_order order) {
  events_.push_back({self.index, Synchronization::none, Operation::none, order, {}, {}, 0});
}

// A construction and a return are recorded as writes, as in Races.
RaceRecord::AccessKey RaceRecord::key_of(
    const Object* object, unsigned thread, VarAccess access, const void* code) {
  const bool is_as_written = access == VarAccess::make || access == VarAccess::leave;
  return {object, thread, is_as_written ? VarAccess::write : access, code};
}

const RaceRecord::Access* RaceRecord::first_of(const Race& race) const {
  const Race::Side& first = race.first;
  const auto known = accesses_.find(key_of(race.object, first.thread, first.access, first.code));
  return known == accesses_.end() ? nullptr : &known->second;
}

namespace {

std::vector<unsigned> locks_held_by(unsigned thread, Execution& of) {
  std::vector<unsigned> locks;
  for (const HeldLock& holding : of.cold_state().recorded.held_locks.all()) {
    if (holding.thread == thread) locks.push_back(run.trace()->number(*holding.lock));
  }
  return locks;
}

/// The name of a lock that the second thread of the race holds and is among `first`; empty if there is none.
/// Both must hold it shared: otherwise it would order them.
std::string lock_held_by_both(const Race& race, const std::vector<unsigned>& first, Execution& of) {
  for (const HeldLock& holding : of.cold_state().recorded.held_locks.all()) {
    const bool is_held = holding.thread == race.second.thread && holding.is_shared;
    const unsigned number = run.trace()->number(*holding.lock);
    if (is_held && std::find(first.begin(), first.end(), number) != first.end())
      return describe(*holding.lock);
  }
  return {};
}

}  // namespace

void RaceRecord::accessed(const Thread& self, const Object& object, VarAccess access, const void* code,
    const Where& where, Execution& of) {
  accesses_[key_of(&object, self.index, access, code)] = {user_place_of(where), run.position,
      mutexes_held_by(self.index, of), locks_held_by(self.index, of), events_.size(), access,
      stack_to_show()};
}

void RaceRecord::add_stacks(std::vector<FailureStack>& all, Execution& of) const {
  const Race& race = of.cold_state().races.race();
  const auto title = [&](VarAccess access, unsigned thread, std::uint32_t step) {
    return stack_title(words_for(access).noun, thread, step, of);
  };
  all.push_back({title(race.second.access, race.second.thread, 0), stack_to_show()});
  if (const Access* const first = first_of(race); first != nullptr)
    all.push_back({title(first->access, race.first.thread, first->step), first->stack});
}

std::string RaceRecord::explain(
    const Race& race, const Object& raced, const Where& where, Execution& of) const {
  const Access* const known = first_of(race);
  const Access first = known != nullptr ? *known : Access{};
  const std::string one = describe(of.thread(race.first.thread));
  const std::string other = describe(of.thread(race.second.thread));
  const ObjectLife life = life_of(race, describe(raced), first.stack);
  const std::string var = life.object.empty() ? describe(raced) : life.object;
  std::string text = "data race: " + other + " ";
  const char* const used_as = raced.kind->is_plain_data ? static_cast<const Var&>(raced).used_as : nullptr;
  const auto is_use = [&](VarAccess access) {
    return used_as != nullptr && access == VarAccess::atomic_write;
  };
  const std::string as = is_use(race.first.access) || is_use(race.second.access) ? used_as : "";
  const VarAccess second = life.object.empty() ? race.second.access : life.second;
  const VarAccess earlier = !life.object.empty() ? life.first
                            : known != nullptr   ? first.access
                                                 : race.first.access;
  const auto note = [&](const Race::Side& side, VarAccess access, const std::string& place,
                        std::uint32_t step) {
    const bool uses = is_use(access);
    run.trace()->races(
        side.thread, {std::string(uses ? "uses" : words_for(access).verb), var + (uses ? " as " + as : ""),
                         place, step, &side == &race.second ? 2U : 1U});
  };
  note(race.first, earlier, first.place, first.step);
  note(race.second, second, user_place_of(where), run.position);
  text += std::string(is_use(second) ? "uses" : words_for(second).verb) + " " + var;
  if (is_use(second)) text += " as " + as;
  text += at(user_place_of(where)) + ", not ordered after ";
  if (is_use(race.first.access)) {
    text += "its use as " + as;
  } else {
    text += "the ";
    text += words_for(earlier).noun;
  }
  text += " by " + one + at(first.place);
  text += first.step == 0 ? " (before the first step)" : " (in step " + std::to_string(first.step) + ")";
  text += "\n" + other + " holds " + mutexes_held_by(race.second.thread, of) + "; " + one + " held " +
          (first.mutexes.empty() ? "no mutex" : first.mutexes);
  text += almost_ordered(race, first.events, of);
  text += "\n" + (life.object.empty() ? advice(race, raced, first, of) : advice_on(life, one, other)) +
          " While a program has data races, a pass promises nothing.";
  return text;
}

// Memory that others use as an atomic or a lock is written as plain data when that object is constructed.
std::string RaceRecord::advice(
    const Race& race, const Object& raced, const Access& first, Execution& of) const {
  const std::string one = describe(of.thread(race.first.thread));
  const std::string other = describe(of.thread(race.second.thread));
  const std::string var = describe(raced);
  const VarAccess second = race.second.access;
  if (second == VarAccess::leave || first.access == VarAccess::leave) {
    return "Do not let the function return before " + (second == VarAccess::leave ? one : other) +
           " has finished with " + var + ", or put what both use on the heap.";
  }
  const auto uses = [](VarAccess access) { return access == VarAccess::use || is_atomic(access); };
  if (second == VarAccess::destroy || second == VarAccess::free_block) {
    const std::string what =
        uses(first.access) ? var + " is destroyed while " + one + " may still use it. " : std::string{};
    return what + "Keep " + var + " alive until " + one +
           " has finished with it, or let the last owner destroy it, as std::shared_ptr does.";
  }
  const bool is_made_first = makes(race.first, raced) && uses(second);
  if (is_made_first || (makes(race.second, raced) && uses(first.access))) {
    const std::string& maker = is_made_first ? one : other;
    const std::string& user = is_made_first ? other : one;
    return var + " was published before it was constructed, as " + user + " sees it. Let " + maker +
           " publish it by memory_order_release, and " + user +
           " read what is published by memory_order_acquire.";
  }
  const std::string destroyed = class_destroyed_on(stack_to_show());
  const std::string destroyed_first = class_destroyed_on(first.stack);
  if (destroyed.empty() != destroyed_first.empty()) {
    const std::string& owner = destroyed.empty() ? one : other;
    const std::string& user = destroyed.empty() ? other : one;
    return owner + " destroys the " + destroyed + destroyed_first + " that " + var + " is part of, while " +
           user + " may still use it. Let " + user +
           " finish with it first, or let the last owner destroy it, as std::shared_ptr does.";
  }
  std::string make_atomic = "make " + var + " atomic";
  if (uses(second) || uses(first.access)) {
    make_atomic = "make both of them atomic";
  } else if (!run.trace()->is_number(raced)) {
    // Debug information that names the variable would tell.
    make_atomic = run.trace()->is_described(raced) ? "" : make_atomic + " if its type can be";
  }
  const std::string shared = lock_held_by_both(race, first.locks, of);
  if (!shared.empty()) {
    return "A lock that is held shared, as by std::shared_lock, does not protect a write: hold " + shared +
           " exclusively where " + var + " is written" +
           (make_atomic.empty() ? "." : ", or " + make_atomic + ".");
  }
  return "Hold the same mutex at both accesses, or " + (make_atomic.empty() ? "" : make_atomic + ", or ") +
         "order them by memory_order_release and memory_order_acquire.";
}

bool RaceRecord::has_fence(unsigned thread, bool releases, std::size_t from, std::size_t to) const {
  for (std::size_t n = from; n < to; ++n) {
    const Event& event = events_[n];
    if (event.what != Synchronization::none || event.thread != thread) continue;
    if (releases ? is_release(event.order) : is_acquire(event.order)) return true;
  }
  return false;
}

// Finds a value that went from the first thread, after its access, to the second, before its own. With
// stronger memory orders it would have ordered the two accesses.
std::string RaceRecord::almost_ordered(const Race& race, std::size_t from, const Execution& of) const {
  for (std::size_t r = from; r < events_.size(); ++r) {
    const Event& read = events_[r];
    const bool reads =
        read.what == Synchronization::atomic_load || read.what == Synchronization::atomic_update;
    if (!reads || read.thread != race.second.thread) continue;
    // Go back along the updates, which pass on what the store before them has released.
    for (std::size_t w = read.source; w > from;) {
      const Event& write = events_[w - 1];
      if (write.thread != race.first.thread) {
        w = write.what == Synchronization::atomic_update ? write.source : 0;
        continue;
      }
      const bool releases = is_release(write.order) || has_fence(write.thread, true, from, w);
      const bool acquires = is_acquire(read.order) || has_fence(read.thread, false, r, events_.size());
      if (releases && acquires) break;
      std::string text = "\n" + describe(of.thread(read.thread)) + "'s " +
                         std::string(to_string(read.operation)) + " of " + read.object + at(read.place) +
                         " (" + std::string(name_of(read.order)) + ") saw what " +
                         describe(of.thread(write.thread)) + "'s " + std::string(to_string(write.operation)) +
                         at(write.place) + " (" + std::string(name_of(write.order)) + ") left: with ";
      if (!releases)
        text += "memory_order_release at the " + std::string(acquires ? "latter" : "latter and ");
      if (!acquires) text += "memory_order_acquire at the former";
      return text + " the two accesses would be ordered";
    }
  }
  return {};
}

}  // namespace hocket::runtime
