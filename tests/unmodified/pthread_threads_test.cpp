// pthread_create and what else there is to do with threads, as POSIX says it.
#include <atomic>
#include <cerrno>
#include <string>

#include <pthread.h>

#include "tests/unmodified/std_bodies.hpp"

namespace unmodified {

namespace {

using hocket::FailureKind;

void* return_argument(void* argument) {
  return argument;
}

pthread_t create(void* (*function)(void*), void* argument = nullptr) {
  pthread_t thread{};
  check(pthread_create(&thread, nullptr, function, argument) == 0);
  return thread;
}

TEST(APthread, GivesItsResultToItsJoiner) {
  explored([] {
    int value = 0;
    const pthread_t thread = create(&return_argument, &value);
    void* result = nullptr;
    check(pthread_join(thread, &result) == 0 && result == &value);
    check(pthread_join(create(&return_argument), nullptr) == 0);
  });
}

TEST(APthread, KnowsItself) {
  explored([] {
    static pthread_t seen;
    const pthread_t thread = create([](void*) -> void* {
      seen = pthread_self();
      return nullptr;
    });
    pthread_join(thread, nullptr);
    check(pthread_equal(seen, thread) != 0 && pthread_equal(seen, pthread_self()) == 0);
  });
}

TEST(APthread, ThatExitsUnwindsItsStackAndGivesItsResult) {
  explored([] {
    static int unwound;
    struct Counts {
      ~Counts() { ++unwound; }
    };
    const pthread_t thread = create(
        [](void* argument) -> void* {
          const Counts outer;
          const std::string text = "a text that is too long to be stored inside of the string";
          [&] {
            const Counts inner;
            pthread_exit(argument);
          }();
          return nullptr;
        },
        &unwound);
    void* result = nullptr;
    pthread_join(thread, &result);
    check(result == &unwound && unwound == 2);
  });
}

TEST(APthread, ThatExitsDestroysItsThreadLocals) {
  explored([] {
    static int destroyed;
    struct Counts {
      bool is_used = false;
      ~Counts() { ++destroyed; }
    };
    const pthread_t thread = create([](void*) -> void* {
      thread_local Counts counts;
      counts.is_used = true;
      pthread_exit(nullptr);
    });
    pthread_join(thread, nullptr);
    check(destroyed == 1);
  });
}

TEST(APthread, CanBeJoinedOnceAndNotByItself) {
  explored([] {
    const pthread_t thread = create(&return_argument);
    check(pthread_join(thread, nullptr) == 0);
    check(pthread_join(thread, nullptr) == EINVAL);
    check(pthread_join(pthread_self(), nullptr) == EDEADLK);
  });
}

TEST(APthread, MayBeDetachedOnce) {
  explored([] {
    const pthread_t thread = create(&return_argument);
    check(pthread_detach(thread) == 0);
    check(pthread_detach(thread) == EINVAL);
    check(pthread_join(thread, nullptr) == EINVAL);
  });
}

TEST(APthread, MayBeCreatedDetached) {
  explored([] {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread{};
    check(pthread_create(&thread, &attributes, &return_argument, nullptr) == 0);
    pthread_attr_destroy(&attributes);
    check(pthread_join(thread, nullptr) == EINVAL);
  });
}

TEST(APthread, ThatIsNeitherJoinedNorDetachedIsALeak) {
  expect_failure(FailureKind::leak, 0, "", [] { create(&return_argument); });
}

TEST(AThreadThatIsNone, IsUnknown) {
  explored([] {
    check(pthread_join(pthread_t{}, nullptr) == ESRCH);
    check(pthread_detach(pthread_t{}) == ESRCH);
  });
}

TEST(TheBody, CannotExitAsAThread) {
  expect_failure(FailureKind::misuse, 0, "pthread_exit()", [] { pthread_exit(nullptr); });
}

TEST(WhatIsNotControlled, OfThreadsIsRefused) {
  expect_failure(FailureKind::misuse, 0, "pthread_cancel()", [] {
    const pthread_t thread = create(&return_argument);
    pthread_cancel(thread);
    pthread_join(thread, nullptr);
  });
  expect_failure(FailureKind::misuse, 0, "pthread_tryjoin_np()", [] {
    const pthread_t thread = create(&return_argument);
    pthread_tryjoin_np(thread, nullptr);
    pthread_join(thread, nullptr);
  });
  expect_failure(FailureKind::misuse, 0, "pthread_timedjoin_np()", [] {
    const pthread_t thread = create(&return_argument);
    const timespec time{};
    pthread_timedjoin_np(thread, nullptr, &time);
    pthread_join(thread, nullptr);
  });
}

}  // namespace

}  // namespace unmodified
