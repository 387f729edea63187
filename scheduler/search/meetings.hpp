// Where threads meet (--hocket_coverage): pairs of places in the source code whose order the scheduler
// decided, and in which of the two orders they were run.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "../../runtime/terms/where.hpp"
#include "../api/report.hpp"
#include "thread_clocks.hpp"

namespace hocket {

/// Observes all executions of a search. Two operations of different threads meet if they use one object, one
/// of them changes it, and nothing but that orders them. Two threads that take a lock meet there, and not
/// where they give it back. An operation that reads an older value than the newest comes before the stores
/// that it has not seen, although they were made in steps before it; where it could have read an older one
/// and did not, nothing orders it after the store but that choice.
class Meetings final : public ThreadClocks {
 public:
  /// What was met so far: pairs that were run in one order only first.
  [[nodiscard]] std::vector<Meeting> list() const;

  void begin(const runtime::Thread& first) override;
  void chose_store(std::uint32_t newer, std::uint32_t most) override;
  void acted(const runtime::Object& object, runtime::Access access) override;

 private:
  using PlaceNumber = std::uint32_t;

  struct Place {
    runtime::Operation operation;
    runtime::Where where;
    std::vector<std::uintptr_t> stack;  ///< where `where` is not in the user's code
  };
  struct Use {
    unsigned thread;
    std::uint32_t time;  ///< of the thread's clock
    PlaceNumber place;
  };
  struct Write {
    Use use;
    Clock released;  ///< what comes before every step that reads it
  };
  /// What an execution has done to an object.
  struct Uses {
    std::vector<Write> writes;  ///< the last ones, the newest at the end
    std::vector<Use> reads;     ///< since then, the last one of each thread
    Clock released;             ///< what comes before every step that accesses the object from now on
    Clock read;                 ///< what comes before every step that changes it, in addition
  };

  PlaceNumber place_of_step();
  void meet_stores(const Uses& uses, std::size_t seen, const Use& use);
  void meet(const Use& earlier, const Use& later);
  void count(PlaceNumber first, PlaceNumber second);

  std::vector<Place> places_;
  std::unordered_map<std::uint64_t, PlaceNumber> numbers_;  ///< by hash of the place
  std::unordered_map<const char*, bool> are_the_users_;     ///< files
  /// By the lesser and the greater number of a place: how often each came first.
  std::map<std::array<PlaceNumber, 2>, std::array<std::uint64_t, 2>> met_;

  // Of the execution that runs.
  std::unordered_map<const runtime::Object*, Uses> uses_;
  std::size_t newer_ = 0;  ///< so many stores the access that comes next has not seen
  std::size_t most_ = 0;   ///< and so many it need not have seen
};

}  // namespace hocket
