// What a recorded execution keeps to explain a data race: which thread made which access where, with which
// mutexes held, and how the threads communicated through atomics in between.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../diagnosis/trace.hpp"
#include "../objects/object.hpp"
#include "../objects/observer.hpp"
#include "../objects/synchronization.hpp"
#include "../objects/var.hpp"
#include "../terms/failure.hpp"
#include "../terms/operation.hpp"
#include "../terms/where.hpp"
#include "../threads/thread.hpp"
#include "released.hpp"

namespace hocket::runtime {

/// Is notified of everything from the first access to a var.
class RaceRecord {
 public:
  void begin();
  /// `from` and `to`: of an atomic of which older values are kept, as in Races::acted(); they say which value
  /// it has read. Otherwise that is the newest one.
  void acted(const Thread& self, const Object& object, Operation operation, Access access,
      std::memory_order order, Trace& trace, const Released* from, const Released* to);
  void fenced(const Thread& self, std::memory_order order);
  /// Called in the step that makes the access. `code` identifies its place, as in Races.
  void accessed(const Thread& self, const Object& object, VarAccess access, const void* code,
      const Where& where, Execution& of);

  /// The message of a failure. `where` is the second access.
  [[nodiscard]] std::string explain(
      const Race& race, const Object& raced, const Where& where, Execution& of) const;
  /// Adds the call stacks of both accesses of the last race. Called on the stack of the second one.
  void add_stacks(std::vector<FailureStack>& all, Execution& of) const;

 private:
  /// An operation on an atomic, or a fence.
  struct Event {
    unsigned thread;
    Synchronization what;  ///< none: a fence
    Operation operation;
    std::memory_order order;
    std::string object;
    std::string place;
    std::size_t source;  ///< 1 + the event whose value it read or replaced, or 0
  };
  struct Access {
    std::string place;
    std::uint32_t step = 0;
    std::string mutexes;
    std::vector<unsigned> locks;  ///< their numbers in the trace
    std::size_t events = 0;       ///< number of events before it
    VarAccess access = VarAccess::read;
    std::vector<std::uintptr_t> stack{};
  };
  using AccessKey = std::tuple<const Object*, unsigned, VarAccess, const void*>;

  [[nodiscard]] static AccessKey key_of(
      const Object* object, unsigned thread, VarAccess access, const void* code);
  /// The first access of the race; nullptr if it was not recorded.
  [[nodiscard]] const Access* first_of(const Race& race) const;
  [[nodiscard]] std::string advice(
      const Race& race, const Object& raced, const Access& first, Execution& of) const;
  [[nodiscard]] std::string almost_ordered(const Race& race, std::size_t from, const Execution& of) const;
  [[nodiscard]] bool has_fence(unsigned thread, bool releases, std::size_t from, std::size_t to) const;

  std::map<AccessKey, Access> accesses_;  ///< the last one of each kind and place
  std::vector<Event> events_;
  std::unordered_map<std::uint64_t, std::size_t> last_write_;  ///< by key of the atomic: 1 + an event index
  std::unordered_map<const Released*, std::size_t> write_of_;  ///< by what comes with its value
};

}  // namespace hocket::runtime
