// What a program tells ThreadSanitizer of itself, it tells Hocket too.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "scheduler/schedules/schedule.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
void __tsan_mutex_create(void* address, unsigned flags);
void __tsan_mutex_pre_lock(void* address, unsigned flags);
void __tsan_mutex_post_lock(void* address, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void* address, unsigned flags);
void __tsan_mutex_post_unlock(void* address, unsigned flags);
void __tsan_mutex_destroy(void* address, unsigned flags);
void AnnotateHappensBefore(const char* file, int line, const volatile void* address);
void AnnotateHappensAfter(const char* file, int line, const volatile void* address);
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
void AnnotateBenignRaceSized(
    const char* file, int line, const volatile void* address, std::size_t size, const char* why);
void AnnotateThreadName(const char* file, int line, const char* name);
void AnnotateRWLockAcquired(const char* file, int line, const volatile void* lock, std::uintptr_t is_writer);
}

namespace unmodified {

namespace {

void happens_before(const volatile void* address) {
  AnnotateHappensBefore(__FILE__, __LINE__, address);
}
void happens_after(const volatile void* address) {
  AnnotateHappensAfter(__FILE__, __LINE__, address);
}
// Compilers must not know that nobody needs the result.
[[gnu::noinline]] void write(int& data) {
  __asm__ volatile("");
  data = 1;
}
[[gnu::noinline]] int read(const int& data) {
  __asm__ volatile("");
  return data;
}

// ---------------------------------------------------------------------------------------------------------------------
// Order

/// Data handed on by an atomic that orders nothing.
struct Handover {
  int data = 0;
  std::atomic<bool> is_there{false};

  template <class Before>
  void give(Before before) {
    write(data);
    before(&data);
    is_there.store(true, std::memory_order_relaxed);
  }
  template <class After>
  void take(After after) {
    if (!is_there.load(std::memory_order_relaxed)) return;
    after(&data);
    hocket::check(read(data) == 1, "it is not there");
  }
};

constexpr auto kNothing = [](int*) {};

constexpr const char* kRaces = "not ordered after";

TEST(Annotations, AreNeededForTheHandoverOfTheseTests) {
  expect_failure(FailureKind::data_race, 0, kRaces, [] {
    Handover handover;
    in_parallel([&] { handover.give(kNothing); }, [&] { handover.take(kNothing); });
  });
}

TEST(Annotations, OrderWhatHappensAfterBehindWhatHappensBefore) {
  explored([] {
    Handover handover;
    in_parallel([&] { handover.give(happens_before); }, [&] { handover.take(happens_after); });
  });
  explored([] {
    Handover handover;
    in_parallel([&] { handover.give(__tsan_release); }, [&] { handover.take(__tsan_acquire); });
  });
}

TEST(Annotations, OrderNothingWhereOneHalfIsMissingOrMeansAnotherAddress) {
  const auto expect_race = [](auto before, auto after) {
    expect_failure(FailureKind::data_race, 0, kRaces, [=] {
      Handover handover;
      in_parallel([&] { handover.give(before); }, [&] { handover.take(after); });
    });
  };
  expect_race(happens_before, kNothing);
  expect_race(kNothing, happens_after);
  expect_race(happens_before, [](int* address) { happens_after(address + 1); });
  expect_race(happens_after, happens_before);
}

TEST(Annotations, OrderWhatHappensAfterBehindAllThatHaveSaidSo) {
  explored([] {
    int data[2] = {};
    std::atomic<int> done{0};
    const auto give = [&](int n) {
      write(data[n]);
      happens_before(&done);
      done.fetch_add(1, std::memory_order_relaxed);
    };
    std::thread a(give, 0);
    std::thread b(give, 1);
    if (done.load(std::memory_order_relaxed) == 2) {
      happens_after(&done);
      check(read(data[0]) + read(data[1]) == 2, "not both");
    }
    a.join();
    b.join();
  });
}

TEST(Annotations, OfOrderAreNoAccessesToTheAddress) {
  explored([] {
    int* const data = new int(0);
    in_parallel([&] { happens_before(data); }, [&] { write(*data); });
    delete data;
  });
}

TEST(Annotations, OfOrderAreStepsThoseThatComeAfterIndependentOfEachOther) {
  const auto classes = [](auto one, auto two) { return explored([&] { in_parallel(one, two); }).classes; };
  int place = 0;
  const auto before = [&] { happens_before(&place); };
  const auto after = [&] { happens_after(&place); };
  EXPECT_EQ(classes(before, after), 2U);
  EXPECT_EQ(classes(before, before), 2U);
  EXPECT_EQ(classes(after, after), 1U);
}

int named_in_report = 0;

TEST(Annotations, OfOrderStandInTheSchedule) {
  const FoundFailure failure = failure_of([] {
    in_parallel([] { happens_before(&named_in_report); },
        [] {
          happens_after(&named_in_report);
          check(false, "here");
        });
  });
  const auto& choices = failure.schedule->choices;
  const bool is_there = std::any_of(choices.begin(), choices.end(), [](const auto& choice) {
    return choice.operation == hocket::runtime::Operation::annotation_happens_after &&
           choice.object.ends_with("::named_in_report");
  });
  EXPECT_TRUE(is_there);
}

// ---------------------------------------------------------------------------------------------------------------------
// Accesses without data races

void begin_to_ignore_reads() {
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
}
void end_to_ignore_reads() {
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}
void begin_to_ignore_writes() {
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
}
void end_to_ignore_writes() {
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
}

TEST(Annotations, LetReadsBeIgnoredBothBeforeAndAfterTheWrite) {
  explored([] {
    int data = 0;
    in_parallel([&] { write(data); },
        [&] {
          begin_to_ignore_reads();
          read(data);
          end_to_ignore_reads();
        });
  });
}

TEST(Annotations, LetWritesBeIgnored) {
  explored([] {
    int data = 0;
    in_parallel([&] { read(data); },
        [&] {
          begin_to_ignore_writes();
          write(data);
          end_to_ignore_writes();
        });
  });
}

TEST(Annotations, OfReadsDoNotLetWritesBeIgnored) {
  expect_failure(FailureKind::data_race, 0, kRaces, [] {
    int data = 0;
    in_parallel([&] { read(data); },
        [&] {
          begin_to_ignore_reads();
          write(data);
          end_to_ignore_reads();
        });
  });
}

TEST(Annotations, LetAccessesBeIgnoredUntilAllDemandsHaveEnded) {
  const auto body = [](int ends) {
    return [ends] {
      int data = 0;
      in_parallel([&] { write(data); },
          [&] {
            begin_to_ignore_reads();
            begin_to_ignore_reads();
            for (int n = 0; n < ends; ++n) end_to_ignore_reads();
            read(data);
          });
    };
  };
  explored(body(1));
  expect_failure(FailureKind::data_race, 0, kRaces, body(2));
  expect_failure(FailureKind::data_race, 0, kRaces, body(3));
}

TEST(Annotations, LetNoAccessesOfOtherThreadsBeIgnored) {
  expect_failure(FailureKind::data_race, 0, kRaces, [] {
    int data = 0;
    begin_to_ignore_reads();
    begin_to_ignore_writes();
    in_parallel([&] { write(data); }, [&] { write(data); });
  });
}

TEST(Annotations, LetErrorsWithTheHeapNotBeIgnored) {
  expect_failure(FailureKind::heap_error, 0, "freed", [] {
    std::atomic<int*> data{new int(0)};
    begin_to_ignore_writes();
    delete data.load();
    write(*data.load());
  });
}

int benign_from_the_beginning[2] = {};
[[maybe_unused]] const bool is_said = [] {
  AnnotateBenignRaceSized(__FILE__, __LINE__, &benign_from_the_beginning[0], sizeof(int), "a hint");
  return true;
}();

TEST(Annotations, NameMemoryOnWhichRacesAreBenignBeforeTheSearch) {
  explored([] {
    in_parallel([] { write(benign_from_the_beginning[0]); }, [] { write(benign_from_the_beginning[0]); });
  });
  expect_failure(FailureKind::data_race, 0, kRaces, [] {
    in_parallel([] { write(benign_from_the_beginning[1]); }, [] { write(benign_from_the_beginning[1]); });
  });
}

int benign_in_one_body = 0;

TEST(Annotations, NameMemoryOnWhichRacesAreBenignForTheExecutionAlone) {
  const auto race = [] { in_parallel([] { write(benign_in_one_body); }, [] { write(benign_in_one_body); }); };
  explored([&] {
    AnnotateBenignRaceSized(__FILE__, __LINE__, &benign_in_one_body, sizeof(int), "a hint");
    race();
  });
  expect_failure(FailureKind::data_race, 0, kRaces, race);
}

TEST(Annotations, NameMemoryOnWhichRacesAreBenignAfterItHasBeenAccessed) {
  explored([] {
    int data = 0;
    std::atomic<int> turn{0};
    const auto touch = [&] {
      write(data);
      turn.fetch_add(1, std::memory_order_relaxed);
    };
    std::thread first(touch);
    if (turn.load(std::memory_order_relaxed) == 1) {
      AnnotateBenignRaceSized(__FILE__, __LINE__, &data, sizeof data, "a hint");
      write(data);
    }
    first.join();
  });
}

TEST(Annotations, NameManyPlacesOneByOneAndAcrossEachOther) {
  static int places[100];
  const auto name = [](int first, int count) {
    AnnotateBenignRaceSized(
        __FILE__, __LINE__, &places[first], static_cast<std::size_t>(count) * sizeof(int), "hints");
  };
  const auto body = [name](int raced) {
    return [name, raced] {
      name(10, 5);
      name(20, 5);
      name(40, 1);
      name(14, 8);  // from the middle of one to that of another
      name(41, 2);  // right behind one
      name(12, 2);  // within
      in_parallel([raced] { write(places[raced]); }, [raced] { write(places[raced]); });
    };
  };
  for (const int named : {10, 14, 17, 24, 40, 41, 42}) explored(body(named));
  for (const int other : {9, 25, 39, 43}) expect_failure(FailureKind::data_race, 0, kRaces, body(other));
}

TEST(Annotations, LetABlockNotBeFreedBesideAccessesWithoutRaces) {
  const auto body = [](bool ignores) {
    return [ignores] {
      int* const data = new int(0);
      if (!ignores) AnnotateBenignRaceSized(__FILE__, __LINE__, data, sizeof *data, "a hint");
      in_parallel(
          [&] {
            if (ignores) begin_to_ignore_writes();
            write(*data);
            if (ignores) end_to_ignore_writes();
          },
          [&] { delete data; });
    };
  };
  expect_failure(FailureKind::data_race, 0, "on which races are benign", body(false));
  expect_failure(FailureKind::data_race, 0, "on which races are benign", body(true));
  explored([] {
    int* const data = new int(0);
    AnnotateBenignRaceSized(__FILE__, __LINE__, data, sizeof *data, "a hint");
    in_parallel([&] { write(*data); }, [&] { write(*data); });
    delete data;
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// The rest

TEST(Annotations, NameThreads) {
  const FoundFailure failure = failure_of([] {
    in_parallel([] {
      AnnotateThreadName(__FILE__, __LINE__, "teller");
      check(false, "here");
    });
  });
  EXPECT_EQ(failure.schedule->threads.back().label, "teller");
}

/// A lock as a library makes it that tells ThreadSanitizer of it.
class SpinLock {
 public:
  explicit SpinLock(bool tells) : tells_(tells) {
    if (tells_) __tsan_mutex_create(this, 0);
  }
  ~SpinLock() {
    if (tells_) __tsan_mutex_destroy(this, 0);
  }
  void lock() {
    if (tells_) __tsan_mutex_pre_lock(this, 0);
    while (is_held_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
    if (tells_) {
      __tsan_mutex_post_lock(this, 0, 0);
      AnnotateRWLockAcquired(__FILE__, __LINE__, this, 1);
    }
  }
  void unlock() {
    if (tells_) __tsan_mutex_pre_unlock(this, 0);
    is_held_.store(false, std::memory_order_release);
    if (tells_) __tsan_mutex_post_unlock(this, 0);
  }

 private:
  const bool tells_;
  std::atomic<bool> is_held_{false};
};

TEST(Annotations, OfLocksChangeNothing) {
  const auto body = [](bool tells) {
    return [tells] {
      SpinLock lock(tells);
      int sum = 0;
      const auto add = [&] {
        lock.lock();
        ++sum;
        lock.unlock();
      };
      in_parallel(add, add);
      check(sum == 2, "an addition was lost");
    };
  };
  EXPECT_EQ(explored(within(2), body(true)).classes, explored(within(2), body(false)).classes);
}

}  // namespace

}  // namespace unmodified
