// What the jobs of a search share that go on with what one process has begun: pending executions for those
// that have none, the states and classes that they have met, and the end of each bound, which is that of all.
//
// A job that has nothing left to run at the bound asks for work, and waits. The others hand out what they
// found first, as most follows from that. When all wait, the bound is done, and the next one begins with what
// each of them has there. So nobody runs an execution before all cheaper ones have been run.
//
// A job may search the bound in another way, apart from the others, and still hand out what it had. If it
// comes to the end of the bound before they do, it takes over: it goes on alone, and the others end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "frontier.hpp"
#include "shared_memory.hpp"
#include "shared_states.hpp"

namespace hocket {

/// Pending executions on their way to another job.
class Parcel {
 public:
  static constexpr std::uint32_t kMostItems = 64;

  void clear() { used_ = items_ = 0; }
  /// Returns false if there is no room.
  [[nodiscard]] bool add(std::uint32_t check, std::span<const Deviation> deviations);
  [[nodiscard]] std::uint32_t items() const { return items_; }
  /// Calls `visit(check, deviations)` for each, in the order in which they were added.
  template <class Visit>
  void for_each(Visit&& visit) const {
    std::vector<Deviation> deviations;
    for (std::uint32_t at = 0; at < used_;) {
      const std::uint32_t check = words_[at++];
      deviations.clear();
      for (std::uint32_t left = words_[at++]; left != 0; --left)
        deviations.push_back(Frontier::unpacked(words_[at++]));
      visit(check, deviations);
    }
  }

 private:
  std::uint32_t used_;
  std::uint32_t items_;
  std::array<std::uint32_t, std::size_t{16} * 1024> words_;
};

class WorkSharing {
 public:
  static constexpr unsigned kNone = std::numeric_limits<unsigned>::max();

  /// For so many jobs, which all begin at this bound. Throws std::system_error.
  WorkSharing(unsigned jobs, unsigned bound, std::unique_ptr<SharedStates> states);

  [[nodiscard]] unsigned jobs() const { return jobs_; }
  /// The states that they share; nullptr: they remember none.
  [[nodiscard]] SharedStates* states() const { return states_.get(); }
  /// The classes that they have met, of which each is new to one of them.
  [[nodiscard]] const std::shared_ptr<SharedStates>& classes() const { return classes_; }
  void share(std::shared_ptr<SharedStates> classes) { classes_ = std::move(classes); }
  /// This process is the job with this number, from 1.
  void become(unsigned index) { index_ = index - 1; }

  /// The search is over for all, however far it has come.
  void end();
  [[nodiscard]] bool is_over() const;
  /// This job has ended, and looks at no table any more.
  void leave();
  /// Executions that all together may still run.
  void limit(std::uint64_t executions);
  /// Whether there is one more.
  [[nodiscard]] bool takes_execution();
  /// It was cut short, and does not count.
  void gives_execution_back();

  // The rest is for the strategy.

  /// Whether somebody waits for this job.
  [[nodiscard]] bool is_asked() const;
  /// Waits while states or classes need more room, if they do.
  void let_tables_grow(const std::function<bool()>& must_stop);
  /// A job that has nothing to run gets what `fill` puts into the parcel, if there is one: nothing: it gets
  /// none. Returns whether there was one.
  bool hand_out(const std::function<void(Parcel&)>& fill);

  enum class Came : std::uint8_t {
    items,  ///< received() has them
    bound,  ///< the next one that has anything
    end,    ///< of all bounds, or of the search
  };
  /// This job has nothing left at `bound`, and its next pending executions at `next`, or nowhere: kNone.
  [[nodiscard]] Came wait(unsigned bound, unsigned next, const std::function<bool()>& must_stop);
  [[nodiscard]] const Parcel& received() const;
  [[nodiscard]] unsigned bound() const;
  [[nodiscard]] bool has_ended() const;
  /// Adds what this job has learned about the bound, in bits. Returns what any job has.
  [[nodiscard]] unsigned hints(unsigned own);

  /// This job searches the bound in another way. What it has left there others may run.
  void go_apart();
  /// All that it had left there has been handed out.
  void has_handed_out_all(unsigned bound, unsigned next);
  /// It goes on as before.
  void come_back();
  /// The job that is apart has done this bound. Returns false if the others have done it before.
  [[nodiscard]] bool take_over(unsigned bound);
  [[nodiscard]] bool is_taken_over() const;

 private:
  struct Shared;
  struct Job;

  [[nodiscard]] Shared& shared() const;
  [[nodiscard]] Job& job(unsigned index) const;
  /// Returns false if the search is over, and then nobody needs the lock.
  [[nodiscard]] bool lock();
  void unlock();
  /// Something has changed that others may wait for.
  void tell_all();
  /// Waits for a change after `seen`, but not for long.
  void wait_a_little(std::uint32_t seen) const;
  void end_bound_if_done();
  void note_nothing_left(unsigned next);
  [[nodiscard]] bool asks_to_grow() const;

  unsigned jobs_;
  unsigned index_ = 0;  ///< from 0
  std::unique_ptr<SharedStates> states_;
  std::shared_ptr<SharedStates> classes_;
  SharedMemory memory_;
};

}  // namespace hocket
