// A table made by the first thread that asks for it: double-checked locking, as described by Meyers and
// Alexandrescu in C++ and the Perils of Double-Checked Locking, 2004.
//
// A thread first reads a pointer without the lock. Only if it is null does the thread take the lock, read it
// again, make the table and publish the pointer. Its writes to the table must be ordered before the reads of
// other threads, which never took the lock.
//
// Under the explored schedules, which are sequentially consistent, no thread ever reads a wrong entry,
// whichever bug is seeded. What shows the bug is the data race.
#pragma once

#include <hocket/hocket.hpp>
#include <memory>
#include <mutex>
#include <vector>

namespace samples {

enum class LazySeed {
  none,
  none_with_fences,     ///< the pointer is relaxed and fences order it: just as correct
  relaxed_publication,  ///< the pointer is stored with memory_order_relaxed
  relaxed_look,         ///< the pointer is loaded with memory_order_relaxed
  wrong_mutex,          ///< uses are counted under a mutex of the caller
};

template <LazySeed seed = LazySeed::none>
class LazyTable {
 public:
  LazyTable() {
    hocket::name(mutex_, "table lock");
    hocket::name(published_, "published");
    hocket::name(uses_, "uses");
  }

  /// Returns the entry of the table, which is made if there is none yet. `mine` is a mutex of the caller.
  int entry(hocket::mutex& mine) {
    Table* table =
        published_.load(looks_relaxed ? hocket::memory_order_relaxed : hocket::memory_order_acquire);
    if (seed == LazySeed::none_with_fences) hocket::atomic_thread_fence(hocket::memory_order_acquire);
    if (table == nullptr) table = make();
    const int entry = table->entry;  // not later: the lock below would order the read
    const std::lock_guard lock(seed == LazySeed::wrong_mutex ? mine : mutex_);
    ++uses_;
    return entry;
  }

  int uses() const { return uses_; }

 private:
  struct Table {
    Table() { hocket::name(entry, "entry"); }
    hocket::var<int> entry{42};
  };

  static constexpr bool looks_relaxed = seed == LazySeed::none_with_fences || seed == LazySeed::relaxed_look;
  static constexpr bool publishes_relaxed =
      seed == LazySeed::none_with_fences || seed == LazySeed::relaxed_publication;

  Table* make() {
    const std::lock_guard lock(mutex_);
    // Under the lock no memory order is needed: the thread that made the table held the lock.
    if (Table* table = published_.load(hocket::memory_order_relaxed)) return table;
    table_ = std::make_unique<Table>();
    if (seed == LazySeed::none_with_fences) hocket::atomic_thread_fence(hocket::memory_order_release);
    published_.store(
        table_.get(), publishes_relaxed ? hocket::memory_order_relaxed : hocket::memory_order_release);
    return table_.get();
  }

  hocket::mutex mutex_;
  std::unique_ptr<Table> table_;
  hocket::atomic<Table*> published_{nullptr};
  hocket::var<int> uses_{0};
};

/// The body of a test: `readers` threads ask for the entry at once.
template <LazySeed seed>
void test_lazy_table(int readers = 2) {
  LazyTable<seed> table;
  std::vector<hocket::thread> threads;
  for (int n = 0; n < readers; ++n) {
    threads.emplace_back([&table] {
      hocket::mutex mine;
      hocket::check(table.entry(mine) == 42, "a wrong entry");
    });
  }
  for (hocket::thread& thread : threads) thread.join();
  hocket::check(table.uses() == readers, "a use was not counted");
}

}  // namespace samples
