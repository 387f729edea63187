// pthread_create and what else there is to do with threads, as POSIX says it.
#include <array>
#include <cerrno>
#include <string>

#include <pthread.h>

#include "scheduler/schedules/schedule.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

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

std::string name_of(pthread_t thread) {
  std::array<char, 16> name{};
  check(pthread_getname_np(thread, name.data(), name.size()) == 0);
  return name.data();
}

TEST(APthread, HasTheNameThatItIsGivenAndElseThatOfItsCreator) {
  explored([] {
    const std::string program = name_of(pthread_self());
    check(!program.empty());
    check(pthread_setname_np(pthread_self(), "all of a kind") == 0);
    const pthread_t thread = create(&return_argument);
    check(name_of(thread) == "all of a kind");
    check(pthread_setname_np(thread, "worker") == 0 && name_of(thread) == "worker");
    check(name_of(pthread_self()) == "all of a kind");
    check(pthread_setname_np(thread, "sixteen letters.") == ERANGE && name_of(thread) == "worker");
    std::array<char, 15> too_small{};
    check(pthread_getname_np(thread, too_small.data(), too_small.size()) == ERANGE);
    pthread_join(thread, nullptr);
  });
}

TEST(APthread, IsCalledByItsNameInReports) {
  const FoundFailure failure = failure_of([] {
    const pthread_t thread = create([](void*) -> void* {
      pthread_setname_np(pthread_self(), "worker");
      check(false, "here");
      return nullptr;
    });
    pthread_join(thread, nullptr);
  });
  EXPECT_EQ(failure.schedule->threads.back().label, "worker");
}

TEST(AThreadThatIsNone, IsUnknown) {
  explored([] {
    check(pthread_join(pthread_t{}, nullptr) == ESRCH);
    check(pthread_detach(pthread_t{}) == ESRCH);
    check(pthread_setname_np(pthread_t{}, "nobody") == ESRCH);
  });
}

TEST(AThreadWithoutASeenStep, IsNoted) {
  const auto body = [] { pthread_join(create(&return_argument), nullptr); };
  EXPECT_NE(explored(body).note.find("no step of the 2 threads was seen"), std::string::npos);
  EXPECT_EQ(explored([] { static_cast<void>(return_argument(nullptr)); }).note, "");
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
