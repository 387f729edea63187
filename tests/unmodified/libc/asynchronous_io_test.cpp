// aio_read() and its like.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <semaphore>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <aio.h>
#include <fcntl.h>
#include <unistd.h>

#include "tests/support/random_tries.hpp"
#include "tests/unmodified/support/ends.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified::asynchronous_io {

namespace {

using testing::HasSubstr;
using Bytes = std::array<char, 4>;

/// A file that holds "abcd".
class File {
 public:
  File() : descriptor_(open(path().c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600)) {
    check(write(descriptor_, "abcd", 4) == 4);
  }
  ~File() {
    close(descriptor_);
    unlink(path().c_str());
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  operator int() const { return descriptor_; }  // NOLINT(google-explicit-constructor): as calls take it

 private:
  static std::string path() { return own_path("asynchronous"); }
  int descriptor_;
};

aiocb request(int file, char* bytes, std::size_t count, off_t offset = 0) {
  aiocb block{};
  block.aio_fildes = file;
  block.aio_buf = bytes;
  block.aio_nbytes = count;
  block.aio_offset = offset;
  block.aio_sigevent.sigev_notify = SIGEV_NONE;
  return block;
}
ssize_t result_of(aiocb& block) {
  const aiocb* const list[]{&block};
  check(aio_suspend(list, 1, nullptr) == 0);
  check(aio_error(&block) != EINPROGRESS);
  return aio_return(&block);
}

TEST(AnAsynchronousRequest, ReadsAndWritesAtAPlaceInAFile) {
  explored(within(2), [] {
    const File file;
    Bytes read{};
    char x = 'x';
    aiocb reads = request(file, read.data(), 2, 1);
    check(aio_read(&reads) == 0 && result_of(reads) == 2 && aio_error(&reads) == 0);
    check(read[0] == 'b' && read[1] == 'c');
    aiocb writes = request(file, &x, 1, 3);
    check(aio_write(&writes) == 0 && result_of(writes) == 1);
    check(pread(file, read.data(), 4, 0) == 4 && read[3] == 'x' && read[2] == 'c');
  });
}

TEST(AnAsynchronousRequest, WaitsForAPipe) {
  explored_everywhere([] {
    const Ends pipe;
    Bytes bytes{};
    aiocb reads = request(pipe.to_read(), bytes.data(), bytes.size());
    check(aio_read(&reads) == 0 && aio_error(&reads) == EINPROGRESS);
    check(write(pipe.to_write(), "ab", 2) == 2);
    check(result_of(reads) == 2 && bytes[1] == 'b');
  });
}

TEST(AnAsynchronousRequest, IsDoneAtAnyTime) {
  const Outcomes outcomes = outcomes_by_bound([] {
    const File file;
    Bytes bytes{};
    aiocb reads = request(file, bytes.data(), 1);
    check(aio_read(&reads) == 0);
    const int seen = aio_error(&reads);
    check(seen == 0 || seen == EINPROGRESS);
    check(result_of(reads) == 1);
    return seen == 0 ? 1 : 0;
  });
  EXPECT_THAT(outcomes, testing::ElementsAre(testing::Key(0), testing::Key(1)));
}

TEST(AnAsynchronousRequest, IsPolled) {
  explored(within(2), [] {
    const File file;
    Bytes bytes{};
    aiocb reads = request(file, bytes.data(), 4);
    check(aio_read(&reads) == 0);
    while (aio_error(&reads) == EINPROGRESS) std::this_thread::yield();
    check(aio_return(&reads) == 4 && bytes[3] == 'd');
  });
}

TEST(AnAsynchronousRequest, RacesWithWhoUsesItsBufferBeforeItIsDone) {
  EXPECT_THAT(message_of(FailureKind::data_race,
                  [] {
                    const File file;
                    Bytes bytes{};
                    aiocb reads = request(file, bytes.data(), 4);
                    aio_read(&reads);
                    check(bytes[0] != 'z');
                    result_of(reads);
                  }),
      HasSubstr("aio_read writes"));
  EXPECT_THAT(message_of(FailureKind::data_race,
                  [] {
                    const File file;
                    Bytes bytes{};
                    aiocb writes = request(file, bytes.data(), 4);
                    aio_write(&writes);
                    bytes[0] = 'z';
                    result_of(writes);
                  }),
      HasSubstr("aio_write reads"));
}

TEST(AnAsynchronousRequest, IsFoundToUseABlockThatWasFreed) {
  expect_failure(FailureKind::heap_error, 0, "freed", [] {
    static Bytes bytes;
    const Ends pipe;
    static std::optional<std::binary_semaphore> is_done;
    is_done.emplace(0);
    auto block = std::make_unique<aiocb>(request(pipe.to_read(), bytes.data(), 4));
    block->aio_sigevent.sigev_notify = SIGEV_THREAD;
    block->aio_sigevent.sigev_notify_function = [](sigval) { is_done->release(); };
    aio_read(block.get());
    block.reset();
    check(write(pipe.to_write(), "ab", 2) == 2);
    is_done->acquire();
  });
}

TEST(AnAsynchronousRequest, ThatIsNotDoneWhenTheBodyReturnsIsAThreadThatStillRuns) {
  const std::string message = message_of(FailureKind::leak, [] {
    static Bytes bytes;
    static std::optional<Ends> pipe;
    pipe.emplace();
    static aiocb reads;
    reads = request(pipe->to_read(), bytes.data(), 4);
    aio_read(&reads);
  });
  EXPECT_THAT(message, HasSubstr("aio_read"));
}

TEST(AnAsynchronousRequest, CallsAFunctionOrSendsASignalWhenItIsDone) {
  explored(within(2), [] {
    static std::optional<std::binary_semaphore> is_done;
    is_done.emplace(0);
    const File file;
    Bytes bytes{};
    aiocb reads = request(file, bytes.data(), 4);
    reads.aio_sigevent.sigev_notify = SIGEV_THREAD;
    reads.aio_sigevent.sigev_notify_function = [](sigval value) {
      check(aio_error(static_cast<aiocb*>(value.sival_ptr)) == 0);
      is_done->release();
    };
    reads.aio_sigevent.sigev_value.sival_ptr = &reads;
    check(aio_read(&reads) == 0);
    is_done->acquire();
    check(bytes[0] == 'a');
  });
  explored(within(2), [] {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    const File file;
    Bytes bytes{};
    aiocb reads = request(file, bytes.data(), 4);
    reads.aio_sigevent.sigev_notify = SIGEV_SIGNAL;
    reads.aio_sigevent.sigev_signo = SIGUSR1;
    check(aio_read(&reads) == 0);
    int got = 0;
    check(sigwait(&signals, &got) == 0 && got == SIGUSR1 && aio_return(&reads) == 4);
  });
}

TEST(AnAsynchronousRequest, IsCancelledBeforeItHasBegun) {
  // 0: cancelled; 1: it runs; 2: it is done.
  const Outcomes outcomes = outcomes_by_bound([] {
    const Ends pipe;
    check(write(pipe.to_write(), "ab", 2) == 2);
    Bytes bytes{};
    aiocb reads = request(pipe.to_read(), bytes.data(), 4);
    check(aio_read(&reads) == 0);
    const int cancelled = aio_cancel(pipe.to_read(), &reads);
    const ssize_t result = result_of(reads);
    check((cancelled == AIO_CANCELED) == (aio_error(&reads) == ECANCELED));
    check((cancelled == AIO_CANCELED) == (result == -1));
    return cancelled == AIO_CANCELED ? 0 : cancelled == AIO_NOTCANCELED ? 1 : 2;
  });
  EXPECT_THAT(outcomes, testing::ElementsAre(testing::Key(0), testing::Key(1), testing::Key(2)));
}

TEST(AnAsynchronousRequest, ThatFailsSaysWhy) {
  explored(within(1), [] {
    char byte = 0;
    aiocb reads = request(-1, &byte, 1);
    check(aio_read(&reads) == 0 && result_of(reads) == -1 && aio_error(&reads) == EBADF);
    const Ends pipe;
    aiocb writes = request(pipe.to_write(), &byte, 1);
    close(pipe.to_read());
    check(aio_write(&writes) == 0 && result_of(writes) == -1 && aio_error(&writes) == EPIPE);
  });
  explored(within(1), [] {
    aiocb never{};
    check(aio_error(&never) == 0 && aio_cancel(-1, nullptr) == -1 && errno == EBADF);
    check(aio_fsync(O_APPEND, &never) == -1 && errno == EINVAL);
    const File file;
    check(aio_cancel(file, nullptr) == AIO_ALLDONE);
    const aiocb* const none[]{nullptr, &never};
    check(aio_suspend(none, 1, nullptr) == 0 && aio_suspend(none, 2, nullptr) == 0);
    const Ends pipe;
    char byte = 0;
    aiocb reads = request(pipe.to_read(), &byte, 1);
    check(aio_read(&reads) == 0);
    const aiocb* const list[]{&reads};
    const timespec at_once{};
    check(aio_suspend(list, 1, &at_once) == -1 && errno == EAGAIN);
    check(write(pipe.to_write(), "a", 1) == 1 && result_of(reads) == 1);
  });
}

TEST(AnAsynchronousRequest, OfAZeroedBlockTellsNobody) {
  explored(within(2), [] {
    const File file;
    Bytes bytes{};
    aiocb reads{};
    reads.aio_fildes = file;
    reads.aio_buf = bytes.data();
    reads.aio_nbytes = bytes.size();
    check(aio_read(&reads) == 0 && result_of(reads) == 4 && bytes[3] == 'd');
  });
}

TEST(AnAsynchronousRequest, IsMadeAfterThoseBeforeWhereAFileHasNoPlaces) {
  explored(within(2), [] {
    const Ends pipe;
    char a = 'a';
    char b = 'b';
    aiocb first = request(pipe.to_write(), &a, 1);
    aiocb second = request(pipe.to_write(), &b, 1);
    check(aio_write(&first) == 0 && aio_write(&second) == 0);
    check(result_of(second) == 1 && result_of(first) == 1);
    Bytes bytes{};
    check(read(pipe.to_read(), bytes.data(), 4) == 2 && bytes[0] == 'a' && bytes[1] == 'b');
  });
}

TEST(AnAsynchronousRequest, AppendsAfterThoseBefore) {
  explored(within(1), [] {
    const File file;
    check(fcntl(file, F_SETFL, O_APPEND) == 0);
    char e = 'e';
    char f = 'f';
    aiocb first = request(file, &e, 1);
    aiocb second = request(file, &f, 1);
    check(aio_write(&first) == 0 && aio_write(&second) == 0);
    check(result_of(second) == 1 && result_of(first) == 1);
    Bytes bytes{};
    check(pread(file, bytes.data(), 4, 4) == 2 && bytes[0] == 'e' && bytes[1] == 'f');
  });
}

TEST(AnAsynchronousRequest, MayBeMadeByAFunctionThatIsCalledAsTheBodyReturns) {
  static Bytes bytes;  // not of the body, at whose end its statics are destroyed
  static std::optional<File> file;
  static aiocb first;
  static aiocb second;
  explored(within(1), [] {
    file.emplace();
    second = request(*file, &bytes[1], 1, 1);
    first = request(*file, &bytes[0], 1);
    first.aio_sigevent.sigev_notify = SIGEV_THREAD;
    first.aio_sigevent.sigev_notify_function = [](sigval) {
      check(aio_read(&second) == 0 && result_of(second) == 1);
    };
    check(aio_read(&first) == 0 && result_of(first) == 1);
  });
}

TEST(AnAsynchronousRequest, ToSynchronizeWaitsForThoseBefore) {
  explored(within(2), [] {
    const File file;
    char x = 'x';
    aiocb writes = request(file, &x, 1);
    aiocb synchronizes = request(file, nullptr, 0);
    check(aio_write(&writes) == 0 && aio_fsync(O_SYNC, &synchronizes) == 0);
    check(result_of(synchronizes) == 0 && aio_error(&writes) == 0);
  });
}

TEST(AListOfAsynchronousRequests, IsDoneWhenAllAre) {
  explored(within(2), [] {
    const File file;
    Bytes one{};
    Bytes other{};
    aiocb first = request(file, one.data(), 1);
    aiocb second = request(file, other.data(), 1, 1);
    aiocb nothing{};
    first.aio_lio_opcode = second.aio_lio_opcode = LIO_READ;
    nothing.aio_lio_opcode = LIO_NOP;
    aiocb* const list[]{&first, nullptr, &nothing, &second};
    check(lio_listio(LIO_WAIT, list, 4, nullptr) == 0);
    check(one[0] == 'a' && other[0] == 'b' && aio_return(&first) == 1 && aio_return(&second) == 1);
    second.aio_fildes = -1;
    check(lio_listio(LIO_WAIT, list, 4, nullptr) == -1 && errno == EIO && aio_error(&second) == EBADF);
    check(lio_listio(7, list, 4, nullptr) == -1 && errno == EINVAL);
  });
  explored(within(1), [] {
    static std::optional<std::binary_semaphore> is_done;
    is_done.emplace(0);
    const File file;
    Bytes bytes{};
    aiocb first = request(file, &bytes[0], 1);
    aiocb second = request(file, &bytes[1], 1, 1);
    first.aio_lio_opcode = second.aio_lio_opcode = LIO_READ;
    aiocb* const list[]{&first, &second};
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = [](sigval) { is_done->release(); };
    check(lio_listio(LIO_NOWAIT, list, 2, &event) == 0);
    is_done->acquire();
    check(bytes[0] == 'a' && bytes[1] == 'b');
  });
}

TEST(AListOfAsynchronousRequests, IsLookedAtOneByOne) {
  explored(within(2), [] {
    const File file;
    Bytes bytes{};
    aiocb reads = request(file, bytes.data(), 4);
    reads.aio_lio_opcode = LIO_READ;
    aiocb* const list[]{&reads};
    check(lio_listio(LIO_NOWAIT, list, 1, nullptr) == 0);
    while (aio_error(&reads) == EINPROGRESS) std::this_thread::yield();
    check(bytes[3] == 'd');
  });
}

TEST(AListOfAsynchronousRequests, OfNoneIsDoneAtOnce) {
  explored([] {
    static std::optional<std::binary_semaphore> is_done;
    is_done.emplace(0);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD;
    static std::optional<std::mutex> lock;
    lock.emplace();
    event.sigev_notify_function = [](sigval) {
      pthread_detach(pthread_self());
      const std::lock_guard<std::mutex> guard(*lock);
      is_done->release();
    };
    aiocb* const none[]{nullptr};
    {
      const std::lock_guard<std::mutex> guard(*lock);
      check(lio_listio(LIO_NOWAIT, none, 1, &event) == 0, "it does not wait for the function");
    }
    is_done->acquire();
    const std::lock_guard<std::mutex> guard(*lock);
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// Beside threads that do the same

struct Action {
  bool is_read;
  off_t offset;
  bool is_waited_for;  ///< before the next one
};

/// What the requests leave in the file, and what they read, as a number below 16.
template <class Request>
Outcomes outcomes_of(const std::vector<Action>& actions) {
  return outcomes_by_bound(
      [&] {
        const File file;
        std::vector<std::unique_ptr<Request>> all;
        for (std::size_t n = 0; n < actions.size(); ++n) {
          all.push_back(std::make_unique<Request>(file, actions[n], static_cast<char>('0' + n)));
          if (actions[n].is_waited_for) all.back()->wait();
        }
        unsigned seen = 0;
        for (const auto& one : all) {
          one->wait();
          seen = seen * 3 + static_cast<unsigned char>(one->byte());
        }
        Bytes left{};
        check(pread(file, left.data(), left.size(), 0) == 4);
        for (const char byte : left) seen = seen * 3 + static_cast<unsigned char>(byte);
        return (seen ^ (seen >> 4U) ^ (seen >> 8U)) & 15U;
      },
      exhaustively(), 2);
}

class AsynchronousRequest {
 public:
  AsynchronousRequest(int file, const Action& action, char byte)
      : byte_(action.is_read ? '-' : byte),
        block_(std::make_unique<aiocb>(request(file, &byte_, 1, action.offset))) {
    check((action.is_read ? aio_read(block_.get()) : aio_write(block_.get())) == 0);
  }
  void wait() { check(result_of(*block_) == 1); }
  [[nodiscard]] char byte() const { return byte_; }

 private:
  char byte_;
  std::unique_ptr<aiocb> block_;  // it ends with an array of no bytes
};
class RequestByHand {
 public:
  RequestByHand(int file, const Action& action, char byte)
      : byte_(action.is_read ? '-' : byte), thread_([this, file, action] {
          if (action.is_read) check(pread(file, &byte_, 1, action.offset) == 1);
          if (!action.is_read) check(pwrite(file, &byte_, 1, action.offset) == 1);
        }) {}
  void wait() {
    if (thread_.joinable()) thread_.join();
  }
  [[nodiscard]] char byte() const { return byte_; }

 private:
  char byte_;
  std::thread thread_;
};

TEST(AsynchronousRequests, DoWhatThreadsThatReadAndWriteDo) {
  for (hocket::test::RandomTries tries; tries.goes_on();) {
    std::mt19937_64 draw(tries.seed() + tries.tried());
    std::vector<Action> actions(2);
    std::string text;
    for (Action& action : actions) {
      action = {draw() % 2 == 0, static_cast<off_t>(draw() % 2), draw() % 4 == 0};
      text += (action.is_read ? "read " : "write ") + std::to_string(action.offset) +
              (action.is_waited_for ? " and wait; " : "; ");
    }
    const auto keys = [](const Outcomes& outcomes) {
      std::set<unsigned> all;
      for (const auto& [outcome, bound] : outcomes) all.insert(outcome);
      return all;
    };
    // A request has steps of its own before and after, so the bounds are others.
    EXPECT_EQ(keys(outcomes_of<AsynchronousRequest>(actions)), keys(outcomes_of<RequestByHand>(actions)))
        << text;
  }
}

}  // namespace

}  // namespace unmodified::asynchronous_io
