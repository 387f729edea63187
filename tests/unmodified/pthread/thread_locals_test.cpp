// What a thread has for itself: thread_local objects, pthread keys, errno, the exceptions in flight.
#include <atomic>
#include <cerrno>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

#include <pthread.h>

#include "tests/unmodified/support/std_bodies.hpp"

extern "C" {
extern void* __dso_handle;
/// By which other languages than C++ have their thread-local objects destroyed.
int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* module) noexcept;
}

namespace unmodified {

namespace {

thread_local int number = 5;

TEST(AThreadLocal, IsOneForEachThreadAndFreshInEachExecution) {
  const Report report = explored([] {
    check(number == 5, "the last execution has left its value");
    number = 7;
    std::atomic<const int*> other{nullptr};
    const auto use = [&] {
      check(number == 5);
      number = 6;
      const int* const before = other.exchange(&number);
      check(before != &number, "two threads have one");
      check(number == 6);
    };
    in_parallel(use, use);
    check(number == 7);
  });
  EXPECT_GT(report.executions, 1U);
}

struct Witness {
  std::atomic<int>* destroyed = nullptr;
  std::string text = "a text that is too long to be stored inside of the string";
  ~Witness() {
    if (destroyed != nullptr) destroyed->fetch_add(1);
  }
};
thread_local Witness witness;

TEST(AThreadLocal, IsDestroyedWhenItsThreadEnds) {
  explored([] {
    std::atomic<int> destroyed{0};
    const auto use = [&] { witness.destroyed = &destroyed; };
    in_parallel(use, use);
    check(destroyed.load() == 2);
  });
}

TEST(AThreadLocal, IsGoneWhenItsThreadHasEnded) {
  const auto use_number_of_ended = [](bool is_used_before) {
    int* of_other = nullptr;
    std::thread([&] {
      of_other = &number;
      if (is_used_before) number = 6;
    }).join();
    *of_other = 7;
  };
  for (const bool is_used_before : {false, true}) {
    expect_failure(FailureKind::use_after_return, 0, "which is gone: thread 1 has ended",
        [&] { use_number_of_ended(is_used_before); });
  }
}

TEST(AThreadLocal, MayBeUsedByOthersWhileItsThreadRuns) {
  const Report report = explored([] {
    std::atomic<int*> of_other{nullptr};
    std::atomic<bool> is_done{false};
    std::thread other([&] {
      of_other = &number;
      while (!is_done) std::this_thread::yield();
      check(number == 7);
    });
    while (of_other == nullptr) std::this_thread::yield();
    *of_other.load() = 7;
    is_done = true;
    other.join();
  });
  EXPECT_FALSE(report.failed()) << report;
}

TEST(AThreadLocal, OfAnotherLanguageIsDestroyedInTheOppositeOrderOfMaking) {
  explored([] {
    static std::string order;
    std::thread([] {
      static std::string names[] = {"a", "b", "c"};
      const auto destroy = [](void* name) { order += *static_cast<std::string*>(name); };
      for (std::string& name : names) check(__cxa_thread_atexit_impl(destroy, &name, &__dso_handle) == 0);
      check(order.empty());
    }).join();
    check(order == "cba");
  });
}

TEST(AThreadLocal, ThatIsNotUsedIsNotMade) {
  explored([] {
    static std::atomic<int> makings;
    struct Counted {
      Counted() { makings.fetch_add(1); }
      int value = 0;
    };
    const auto use = [](bool does) {
      thread_local Counted counted;
      if (does) ++counted.value;
    };
    in_parallel([] {}, [&] { use(true); });
    check(makings.load() == 1);
  });
}

TEST(APthreadKey, HoldsAValueOfEachThreadAndDestroysIt) {
  explored([] {
    static std::atomic<int> destroyed;
    static pthread_key_t key;
    check(pthread_key_create(&key, [](void* value) { destroyed.fetch_add(*static_cast<int*>(value)); }) == 0);
    const auto use = [](int& value) {
      check(pthread_getspecific(key) == nullptr);
      check(pthread_setspecific(key, &value) == 0);
      std::this_thread::yield();
      check(pthread_getspecific(key) == &value);
    };
    int one = 1;
    int two = 2;
    in_parallel([&] { use(one); }, [&] { use(two); });
    check(destroyed.load() == 3);
    check(pthread_getspecific(key) == nullptr);
    check(pthread_key_delete(key) == 0);
  });
}

TEST(APthreadKey, ThatIsDeletedDestroysNothing) {
  explored([] {
    static std::atomic<int> destroyed;
    pthread_key_t key{};
    pthread_key_create(&key, [](void*) { destroyed.fetch_add(1); });
    std::thread([&] {
      pthread_setspecific(key, &key);
      pthread_key_delete(key);
    }).join();
    check(destroyed.load() == 0);
  });
}

TEST(APthreadKey, WhoseDestructorSetsItAgainIsDestroyedAgain) {
  explored([] {
    static int rounds;
    static pthread_key_t key;
    pthread_key_create(&key, [](void* value) {
      if (++rounds < 3) pthread_setspecific(key, value);
    });
    std::thread([] { pthread_setspecific(key, &key); }).join();
    check(rounds == 3);
    pthread_key_delete(key);
  });
}

TEST(Errno, BelongsToItsThread) {
  explored([] {
    const auto use = [](int error) {
      errno = error;
      std::this_thread::yield();
      check(errno == error);
    };
    in_parallel([&] { use(3); }, [&] { use(4); });
  });
}

TEST(AnExceptionInFlight, BelongsToItsThread) {
  explored(within(2), [] {
    const auto use = [](const std::string& text) {
      try {
        throw std::runtime_error(text);
      } catch (const std::exception& caught) {
        std::this_thread::yield();
        check(caught.what() == text);
        check(std::current_exception() != nullptr);
        try {
          throw;
        } catch (const std::runtime_error& again) {
          std::this_thread::yield();
          check(again.what() == text && &again == &caught);
        }
      }
      check(std::current_exception() == nullptr);
    };
    in_parallel([&] { use("one"); }, [&] { use("two"); });
  });
}

TEST(AnExceptionInFlight, IsCountedForItsThreadAlone) {
  explored([] {
    struct Looks {
      int expected;
      ~Looks() {
        std::this_thread::yield();
        check(std::uncaught_exceptions() == expected);
      }
    };
    in_parallel(
        [] {
          try {
            const Looks looks{1};
            throw 1;
          } catch (int) {
          }
        },
        [] { const Looks looks{0}; });
  });
}

}  // namespace

}  // namespace unmodified
