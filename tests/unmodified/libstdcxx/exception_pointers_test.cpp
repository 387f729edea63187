// std::exception_ptr: an exception that several threads share is destroyed by the last one.
#include <exception>
#include <future>
#include <string>
#include <thread>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

struct SharedError {
  std::string text = "a text that is too long for the string itself";
};

std::exception_ptr thrown_error() {
  try {
    throw SharedError{};
  } catch (...) {
    return std::current_exception();
  }
}

void see_error(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const SharedError& error) {
    check(error.text[2] == 't');
  }
}

TEST(AnExceptionOfSeveralThreads, IsReadBeforeTheLastOneDestroysIt) {
  explored_everywhere([] {
    std::exception_ptr one = thrown_error();
    std::exception_ptr other = one;
    std::thread a([](std::exception_ptr mine) { see_error(mine); }, std::move(one));
    std::thread b([](std::exception_ptr mine) { see_error(mine); }, std::move(other));
    a.join();
    b.join();
  });
}

TEST(AnExceptionOfSeveralThreads, IsDestroyedByWhoeverLetsGoLast) {
  static int by;
  struct Witness {
    Witness() = default;
    Witness(const Witness&) = default;
    ~Witness() { by = *me(); }
    static int* me() {
      thread_local int number = 0;
      return &number;
    }
  };
  const std::set<unsigned> outcomes = outcomes_of([] {
    by = 0;
    std::exception_ptr exception = std::make_exception_ptr(Witness{});
    const auto let_go = [](std::exception_ptr mine, int me) {
      *Witness::me() = me;
      mine = nullptr;
    };
    std::thread a(let_go, exception, 1);
    std::thread b(let_go, std::move(exception), 2);
    a.join();
    b.join();
    return static_cast<unsigned>(by);
  });
  EXPECT_EQ(outcomes, (std::set<unsigned>{1, 2}));
}

TEST(AnExceptionOfSeveralThreads, ComesThroughAFuture) {
  explored(within(2), [] {
    std::promise<int> promise;
    std::shared_future<int> future = promise.get_future();
    const auto get = [](std::shared_future<int> mine) {
      try {
        mine.get();
        check(false, "an exception");
      } catch (const SharedError& error) {
        check(error.text[2] == 't');
      }
    };
    std::thread a(get, future);
    std::thread b(get, std::move(future));
    promise.set_exception(thrown_error());
    a.join();
    b.join();
  });
}

// The argument of std::rethrow_exception() is a reference that is given up before the handler begins: where
// one thread comes after the other, that orders them.
TEST(AnExceptionOfSeveralThreads, IsCheckedForDataRaces) {
  expect_failure(FailureKind::data_race, 1, "data race", [] {
    const std::exception_ptr exception = thrown_error();
    const auto change = [&] {
      try {
        std::rethrow_exception(exception);
      } catch (SharedError& error) {
        error.text[2] = 'u';
      }
    };
    in_parallel(change, change);
  });
}

}  // namespace

}  // namespace unmodified
