// What the program had allocated before the search: each execution finds it as it was, whatever the one
// before has done to it.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/folder.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

const char* const kLong = "a string that is too long to be kept in the object itself";

struct Containers {
  std::map<std::string, std::string> map{{"a", kLong}};
  std::string string = kLong;
  std::vector<int> vector{1, 2, 3};
  std::unique_ptr<int> pointer = std::make_unique<int>(7);
};

Containers global;
std::mutex lock_of_global;

using Change = void (*)(Containers&, int);

/// Two threads do the same to a container under a mutex.
void change_by_two(Containers& containers, std::mutex& lock, Change change) {
  const auto by = [&](int thread) {
    const std::lock_guard guard(lock);
    change(containers, thread);
  };
  in_parallel([&] { by(1); }, [&] { by(2); });
}

/// The same classes are met as with containers that the body makes, and all is as it was when it is over.
void expect_as_with_locals(Change change, const std::function<bool(const Containers&)>& is_right) {
  const Report with_globals = explored([&] {
    change_by_two(global, lock_of_global, change);
    check(is_right(global), "each execution begins with the same");
  });
  const Report with_locals = explored([&] {
    Containers local;
    std::mutex lock;
    change_by_two(local, lock, change);
    check(is_right(local), "so do locals");
  });
  EXPECT_EQ(with_globals.verdict, Verdict::passed_exhaustively) << with_globals;
  EXPECT_EQ(with_globals.classes, with_locals.classes);
  EXPECT_EQ(global.map, Containers{}.map);
  EXPECT_EQ(global.string, kLong);
  EXPECT_EQ(global.vector, Containers{}.vector);
  EXPECT_EQ(*global.pointer, 7);
}

TEST(AGlobalMap, MayGetNewElements) {
  expect_as_with_locals([](Containers& all, int n) { all.map["key " + std::to_string(n)] = kLong; },
      [](const Containers& all) { return all.map.size() == 3 && all.map.at("a") == kLong; });
}

TEST(AGlobalMap, MayChangeItsElements) {
  expect_as_with_locals([](Containers& all, int) { all.map["a"] += "x"; },
      [](const Containers& all) { return all.map.at("a") == std::string(kLong) + "xx"; });
}

TEST(AGlobalMap, MayLoseItsElements) {
  expect_as_with_locals([](Containers& all, int) { all.map.erase("a"); },
      [](const Containers& all) { return all.map.empty(); });
  expect_as_with_locals(
      [](Containers& all, int) { all.map.clear(); }, [](const Containers& all) { return all.map.empty(); });
}

TEST(AGlobalString, MayGrow) {
  expect_as_with_locals([](Containers& all, int) { all.string += std::string(100, 'q'); },
      [](const Containers& all) { return all.string.size() == std::strlen(kLong) + 200; });
}

TEST(AGlobalString, MayChangeWhereItLies) {
  expect_as_with_locals([](Containers& all, int) { ++all.string[0]; },
      [](const Containers& all) { return all.string[0] == 'c'; });
}

TEST(AGlobalVector, MayGrowAndShrink) {
  expect_as_with_locals([](Containers& all, int n) { all.vector.push_back(n); },
      [](const Containers& all) { return all.vector.size() == 5; });
  expect_as_with_locals([](Containers& all, int) { std::vector<int>().swap(all.vector); },
      [](const Containers& all) { return all.vector.empty(); });
}

TEST(AGlobalPointer, MayGetAnotherObject) {
  expect_as_with_locals([](Containers& all, int) { all.pointer = std::make_unique<int>(*all.pointer + 1); },
      [](const Containers& all) { return *all.pointer == 9; });
}

std::vector<char> large(std::size_t{1} << 20U, 'a');

TEST(AGlobalVector, MayBeLarge) {
  const Report report = explored([] {
    const auto write = [](std::size_t from) {
      for (std::size_t n = from; n < large.size(); n += std::size_t{8} * 4096) ++large[n];
    };
    in_parallel([&] { write(0); }, [&] { write(4096); });
    check(large[0] == 'b' && large[4096] == 'b' && large[std::size_t{2} * 4096] == 'a', "as it was");
  });
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  EXPECT_EQ(std::count(large.begin(), large.end(), 'a'), static_cast<std::ptrdiff_t>(large.size()));
}

// Nothing is read-only yet in the first execution, which finds out what is written to.
TEST(AGlobalBuffer, MayBeReadInto) {
  static std::vector<char> buffer(4096);
  const hocket::test::Folder folder;
  const std::string path = (folder.path() / "file").string();
  std::ofstream(path) << "text";
  explored([&] {
    check(buffer[0] == 0, "as it was");
    const int file = open(path.c_str(), O_RDONLY);
    check(read(file, buffer.data(), buffer.size()) == 4, "the system writes into the buffer");
    check(buffer[3] == 't');
    close(file);
    in_parallel([] { std::atomic<int>{0}.fetch_add(1); });
  });
}

TEST(AGlobalBuffer, MayBeReadIntoInSomeExecutionsOnly) {
  static std::vector<char> buffer(std::size_t{3} * 4096);
  const hocket::test::Folder folder;
  const std::string path = (folder.path() / "file").string();
  std::ofstream(path) << std::string(buffer.size(), 't');
  bool has_read = false;
  explored([&] {
    check(buffer[4096] == 0, "as it was");
    std::atomic<int> n{0};
    in_parallel([&] { n.store(1); },
        [&] {
          if (n.load() == 0) return;
          const int file = open(path.c_str(), O_RDONLY);
          check(read(file, buffer.data(), buffer.size()) == static_cast<ssize_t>(buffer.size()));
          close(file);
          has_read = true;
        });
  });
  EXPECT_TRUE(has_read);
}

std::array<int, std::size_t{1} << 20U> large_array{1, 2, 3};

TEST(AGlobalArray, MayBeLarge) {
  const Report report = explored([] {
    const auto write = [](std::size_t from) {
      for (std::size_t n = from; n < large_array.size(); n += std::size_t{16} * 1024) ++large_array[n];
    };
    check(large_array[1] == 2 && large_array.back() == 0, "as it was");
    large_array.back() = 1;
    in_parallel([&] { write(0); }, [&] { write(1); });
    check(large_array[0] == 2 && large_array[1] == 3 && large_array[2] == 3, "as it was");
  });
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  EXPECT_EQ(large_array[0], 1);
}

// Pages that the first execution leaves alone are watched.
TEST(AGlobalArray, MayBeChangedInSomeExecutionsOnly) {
  constexpr std::size_t kFar = std::size_t{1} << 18U;
  const Outcomes outcomes = outcomes_by_bound(
      [] {
        std::atomic<bool> is_set{false};
        in_parallel([&] { is_set.store(true); }, [&] { large_array[is_set.load() ? kFar : 0] += 5; });
        check(large_array[0] + large_array[kFar] == 6, "as it was");
        return static_cast<unsigned>(large_array[kFar]);
      },
      exhaustively(), 1);
  EXPECT_EQ(outcomes, (Outcomes{{0, 0}, {5, 0}}));
}

// The execution in which it is written to for the first time is not the first.
TEST(AGlobalString, MayBeChangedInSomeExecutionsOnly) {
  explored([] {
    std::atomic<int> n{0};
    in_parallel([&] { n.store(1); },
        [&] {
          if (n.load() == 0) large[std::size_t{12} * 4096] = 'z';
        });
    check(large[std::size_t{13} * 4096] == 'a');
    in_parallel([&] { n.store(2); },
        [&] {
          if (n.load() == 1) check(++large[std::size_t{16} * 4096] == 'b', "as it was");
        });
  });
}

TEST(ARaceOnTheBlockOfAGlobal, IsFoundAndNamesTheGlobal) {
  const auto write = [] { ++global.vector[1]; };
  const std::string message = message_of(FailureKind::data_race, [&] { in_parallel(write, write); });
  EXPECT_NE(message.find("of unmodified::(anonymous namespace)::global+4"), std::string::npos) << message;
}

TEST(ABlockOfAGlobal, ThatTheExecutionHasFreedIsNotToBeUsed) {
  int* const* const pointer = reinterpret_cast<int* const*>(&global.pointer);
  expect_failure(FailureKind::heap_error, 0,
      "reads 4 bytes, byte 0 of a block of 4 bytes that was allocated before the search and thread 1 at",
      [&] {
        std::atomic<int*> shared{*pointer};
        in_parallel([&] { delete shared.load(); });
        check(*shared.load() == 7);
      });
  expect_failure(FailureKind::heap_error, 0, "frees a block a second time", [&] {
    std::atomic<int*> shared{*pointer};
    const auto free = [&] { std::free(shared.load()); };
    free();
    free();
  });
  expect_failure(FailureKind::heap_error, 0, "0 bytes past the end of a block of 12 bytes", [] {
    std::atomic<int*> shared{global.vector.data() + 3};
    check(*shared.load() == 0);
  });
  EXPECT_EQ(*global.pointer, 7);
}

std::string text_of(const std::string& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::unique_ptr<std::atomic<int>> counter = std::make_unique<std::atomic<int>>(5);

/// Fails with one preemption, on blocks that were there before.
void lose_an_update() {
  const auto count = [] {
    counter->store(counter->load() + 1);
    const std::lock_guard guard(lock_of_global);
    global.map.at("a") += "x";
  };
  in_parallel(count, count);
  check(global.map.at("a") == std::string(kLong) + "xx", "each execution begins with the same");
  check(counter->load() == 7, "an update was lost");
}

TEST(AFailureThatChangedGlobals, ComesAgainFromItsFile) {
  const hocket::test::Folder folder;
  Options options{
      .max_preemptions = hocket::unbounded, .schedule_dir = folder.path().string(), .try_saved = false};
  const FoundFailure found = failure_of(&lose_an_update, options);
  options.replay = found.schedule_file;
  const Report again = report_of(options, &lose_an_update);
  ASSERT_EQ(again.verdict, Verdict::failed) << again;
  EXPECT_EQ(again.failures.at(0).message, found.message);
  EXPECT_NE(text_of(found.schedule_file).find("block 1 of unmodified::(anonymous namespace)::counter"),
      std::string::npos);
  EXPECT_EQ(global.map.at("a"), kLong) << "a replay, too, puts everything back";
}

// Run by the next test in another process, to which the environment says what to replay: there other things
// have been allocated before.
TEST(AFailureThatChangedGlobals, DISABLED_IsReplayed) {
  const Report report = report_of(exhaustively(), &lose_an_update);
  EXPECT_TRUE(report.is_replay);
  EXPECT_EQ(report.verdict, Verdict::failed) << report;
}

TEST(AFailureThatChangedGlobals, ComesAgainFromItsFileInAnotherProcess) {
  const hocket::test::Folder folder;
  const FoundFailure found = failure_of(&lose_an_update,
      Options{
          .max_preemptions = hocket::unbounded, .schedule_dir = folder.path().string(), .try_saved = false});
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string output = (folder.path() / "output").string();
  const std::string command =
      "unset GTEST_TOTAL_SHARDS GTEST_SHARD_INDEX; HOCKET_REPLAY='" + found.schedule_file + "' '" + self +
      "' --gtest_also_run_disabled_tests --gtest_filter='*DISABLED_IsReplayed' >'" + output + "' 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_NE(text_of(output).find("[  PASSED  ] 1 test"), std::string::npos) << text_of(output);
}

TEST(AThreadFromBeforeTheSearch, IsToldOf) {
  std::atomic<bool> is_over{false};
  std::thread stranger([&] {
    while (!is_over) usleep(100);
  });
  const Report told = explored([] {});
  is_over = true;
  stranger.join();
  EXPECT_NE(told.note.find("the program has a thread from before the search, which is not under control"),
      std::string::npos)
      << told.note;
  const Report silent = explored([] {});
  EXPECT_EQ(silent.note, "");
}

/// Blocks of a thread that checks that nobody else writes into them.
void allocate_and_free(unsigned seed) {
  struct Block {
    unsigned char* bytes = nullptr;
    std::size_t size = 0;
    unsigned char mark = 0;
  };
  std::vector<Block> blocks(200);
  const auto next = [&seed] { return (seed = seed * 1664525U + 1013904223U) >> 8U; };
  for (int round = 0; round < 20'000; ++round) {
    Block& block = blocks[next() % blocks.size()];
    const auto is_mark = [&](unsigned char byte) { return byte == block.mark; };
    ASSERT_TRUE(std::all_of(block.bytes, block.bytes + block.size, is_mark));
    const std::size_t size = next() % (next() % 50 == 0 ? 200'000 : 500);
    const std::size_t alignment = std::size_t{16} << (next() % 6);
    const std::size_t kept = std::min(size, block.size);
    switch (next() % 4) {
      case 0:
        block.bytes = static_cast<unsigned char*>(std::realloc(block.bytes, size + 1));
        ASSERT_TRUE(std::all_of(block.bytes, block.bytes + kept, is_mark));
        break;
      case 1:
        std::free(block.bytes);
        block.bytes = static_cast<unsigned char*>(std::calloc(size + 1, 1));
        ASSERT_EQ(std::count(block.bytes, block.bytes + size + 1, 0), static_cast<std::ptrdiff_t>(size + 1));
        break;
      case 2:
        std::free(block.bytes);
        block.bytes = static_cast<unsigned char*>(memalign(alignment, size + 1));
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block.bytes) % alignment, 0U);
        break;
      default:
        std::free(block.bytes);
        block.bytes = static_cast<unsigned char*>(std::malloc(size + 1));
    }
    ASSERT_EQ(malloc_usable_size(block.bytes), size + 1);
    block.size = size + 1;
    block.mark = static_cast<unsigned char>(next());
    std::memset(block.bytes, block.mark, block.size);
  }
  for (const Block& block : blocks) std::free(block.bytes);
}

TEST(MemoryOutsideOfSearches, MayBeAllocatedAndFreedByManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (unsigned n = 0; n < 4; ++n) threads.emplace_back([n] { allocate_and_free(n + 1); });
  for (std::thread& thread : threads) thread.join();
}

TEST(MemoryOutsideOfSearches, MayBeAllocatedInAChildWhileThreadsAllocate) {
  std::atomic<bool> is_over{false};
  std::thread busy([&] {
    while (!is_over) std::free(std::malloc(100));
  });
  for (int n = 0; n < 20; ++n) {
    const pid_t child = fork();
    if (child == 0) {
      std::free(std::malloc(1000));
      _exit(7);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  }
  is_over = true;
  busy.join();
}

TEST(MemoryOutsideOfSearches, MayBeFreedOnceOnly) {
  void* volatile block = std::malloc(100);
  EXPECT_DEATH(
      {
        std::free(block);
        std::free(block);
      },
      "frees memory that is not a block in use");
  std::free(block);
}

}  // namespace

}  // namespace unmodified
