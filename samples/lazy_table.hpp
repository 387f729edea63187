// A table that the first thread to ask for it makes: double-checked locking, as Meyers and Alexandrescu tell
// of it in C++ and the Perils of Double-Checked Locking, 2004.
//
// Who asks looks at a pointer first, without the lock. Only who finds none takes the lock, looks again, makes
// the table and publishes the pointer. What it wrote to the table must be ordered before what others, who
// never took the lock, read from it.
//
// Under the schedules explored, which are sequentially consistent, no thread ever reads a wrong entry,
// whichever bug is seeded: what shows is the data race.
#pragma once

#include <hocket/hocket.hpp>
#include <memory>
#include <mutex>
#include <vector>

namespace samples {

enum class LazySeed {
  none,
  none_with_fences,     ///< the pointer is relaxed, with fences beside it: as good
  relaxed_publication,  ///< the pointer is stored with memory_order_relaxed
  relaxed_look,         ///< the pointer is looked at with memory_order_relaxed
  wrong_mutex,          ///< uses are counted under a mutex of the caller's own
};

template <LazySeed seed = LazySeed::none>
class LazyTable {
 public:
  LazyTable() {
    hocket::name(mutex_, "table lock");
    hocket::name(published_, "published");
    hocket::name(uses_, "uses");
  }

  /// The entry of the table, which is made if there is none yet. `mine`: a mutex of the caller's own.
  int entry(hocket::mutex& mine) {
    Table* table =
        published_.load(looks_relaxed ? hocket::memory_order_relaxed : hocket::memory_order_acquire);
    if (seed == LazySeed::none_with_fences) hocket::atomic_thread_fence(hocket::memory_order_acquire);
    if (table == nullptr) table = make();
    const int entry = table->entry;  // here and no later: the lock below would order it
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
    // Under the lock no order is needed: who made the table has held it.
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

/// The body of a test: so many threads ask for the entry at once.
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
