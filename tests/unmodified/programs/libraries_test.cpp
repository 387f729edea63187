// Libraries as Debian ships them, which know nothing of Hocket.
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include <spdlog/spdlog.h>
#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <boost/lockfree/stack.hpp>
#include <hocket/hocket.hpp>

#if __has_include(<concurrentqueue/concurrentqueue.h>)
#define HOCKET_TEST_CONCURRENTQUEUE
#include <concurrentqueue/concurrentqueue.h>
#endif
#if defined(HOCKET_TEST_LIBCDS)
#include <cds/container/msqueue.h>
#include <cds/container/treiber_stack.h>
#include <cds/gc/hp.h>
#include <cds/init.h>
#endif
#if defined(HOCKET_TEST_TBB)
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_vector.h>
#endif

namespace {

struct Search {
  const char* strategy;
  unsigned bound;            ///< of icb
  std::uint64_t executions;  ///< the most; 0: no limit
  hocket::Verdict verdict;   ///< if all is well
};

void expect_to_pass(const std::function<void()>& body, unsigned bound, hocket::Detectors detectors = {}) {
  for (const Search& search : {Search{"icb", bound, 0, hocket::Verdict::passed_within_bound},
           Search{"random", 0, 1000, hocket::Verdict::passed_sample},
           Search{"pct", 0, 1000, hocket::Verdict::passed_sample},
           Search{"mix", 0, 1000, hocket::Verdict::passed_sample}}) {
    SCOPED_TRACE(search.strategy);
    const hocket::Report report = hocket::explore("library", body,
        hocket::Options{.strategy = search.strategy,
            .max_preemptions = search.bound,
            .max_executions = search.executions,
            .detect = detectors,
            .save_schedules = false});
    EXPECT_EQ(report.verdict, search.verdict) << report;
    EXPECT_GT(report.classes, 0U);
  }
}

/// One thread puts in 1 and 2 while another takes out twice; what is left is taken out afterwards.
template <class Queue>
void nothing_is_lost(
    Queue& queue, const std::function<bool(int)>& put, const std::function<bool(int&)>& take) {
  static_cast<void>(queue);
  int taken = 0;
  std::thread producer([&] {
    put(1);
    put(2);
  });
  std::thread consumer([&] {
    int item = 0;
    for (int n = 0; n < 2; ++n) {
      if (take(item)) taken += item;
    }
  });
  producer.join();
  consumer.join();
  int item = 0;
  while (take(item)) taken += item;
  hocket::check(taken == 3, "an item was lost or given out twice");
}

template <class Queue>
void boost_queue_loses_nothing() {
  Queue queue(4);
  nothing_is_lost(
      queue, [&](int item) { return queue.push(item); }, [&](int& item) { return queue.pop(item); });
}

TEST(BoostLockfree, QueueLosesNothing) {
  expect_to_pass(&boost_queue_loses_nothing<boost::lockfree::queue<int>>, 2);
}
TEST(BoostLockfree, StackLosesNothing) {
  expect_to_pass(&boost_queue_loses_nothing<boost::lockfree::stack<int>>, 2);
}
TEST(BoostLockfree, QueueOfOneProducerAndOneConsumerLosesNothing) {
  expect_to_pass(&boost_queue_loses_nothing<boost::lockfree::spsc_queue<int>>, 2);
}

TEST(BoostLockfree, QueueOfOneProducerHasARaceWithTwo) {
  const hocket::Report report = hocket::explore("two producers",
      [] {
        boost::lockfree::spsc_queue<int> queue(4);
        std::thread one([&] { queue.push(1); });
        std::thread other([&] { queue.push(2); });
        one.join();
        other.join();
      },
      {.save_schedules = false});
  ASSERT_TRUE(report.failed()) << report;
  EXPECT_EQ(report.failures.front().kind, hocket::runtime::FailureKind::data_race) << report;
}

#if defined(HOCKET_TEST_CONCURRENTQUEUE)
TEST(ConcurrentQueue, LosesNothing) {
  expect_to_pass(
      [] {
        moodycamel::ConcurrentQueue<int> queue(4);
        nothing_is_lost(
            queue, [&](int item) { return queue.enqueue(item); },
            [&](int& item) { return queue.try_dequeue(item); });
      },
      1);
}
#endif

#if defined(HOCKET_TEST_TBB)
TEST(Tbb, ConcurrentQueueLosesNothing) {
  expect_to_pass(
      [] {
        tbb::concurrent_queue<int> queue;
        nothing_is_lost(
            queue,
            [&](int item) {
              queue.push(item);
              return true;
            },
            [&](int& item) { return queue.try_pop(item); });
      },
      1);
}

TEST(Tbb, ConcurrentHashMapCountsEveryIncrement) {
  expect_to_pass(
      [] {
        using Map = tbb::concurrent_hash_map<int, int>;
        Map map;
        const auto increment = [&] {
          Map::accessor entry;
          map.insert(entry, 1);
          ++entry->second;
        };
        std::thread one(increment);
        std::thread other(increment);
        one.join();
        other.join();
        Map::accessor entry;
        hocket::check(map.find(entry, 1) && entry->second == 2, "an increment was lost");
      },
      1);
}

TEST(Tbb, ConcurrentVectorKeepsWhatIsPushed) {
  expect_to_pass(
      [] {
        tbb::concurrent_vector<int> vector;
        std::thread one([&] { vector.push_back(1); });
        std::thread other([&] { vector.push_back(2); });
        one.join();
        other.join();
        hocket::check(vector.size() == 2 && vector[0] + vector[1] == 3, "an item was lost");
      },
      1);
}

TEST(Tbb, ConcurrentUnorderedMapHasEachKeyOnce) {
  expect_to_pass(
      [] {
        tbb::concurrent_unordered_map<int, int> map;
        std::thread one([&] { map.insert({1, 1}); });
        std::thread other([&] { map.insert({1, 2}); });
        one.join();
        other.join();
        hocket::check(map.size() == 1, "a key is there twice");
      },
      1);
}
#endif

#if defined(HOCKET_TEST_LIBCDS)
struct LibcdsThread {
  LibcdsThread() { cds::threading::Manager::attachThread(); }
  // NOLINTNEXTLINE(bugprone-exception-escape): it never has
  ~LibcdsThread() { cds::threading::Manager::detachThread(); }
  LibcdsThread(const LibcdsThread&) = delete;
  LibcdsThread& operator=(const LibcdsThread&) = delete;
};

template <class Container, class Put, class Take>
void nothing_is_lost_in_libcds(Put put, Take take) {
  cds::Initialize();
  {
    constexpr std::size_t kHazardPointers = 4;  // of a thread, more than the containers want
    const cds::gc::HP hazard_pointers(kHazardPointers, 3);
    const LibcdsThread main;
    Container container;
    nothing_is_lost(
        container,
        [&](int item) {
          const LibcdsThread producer;
          return put(container, item);
        },
        [&](int& item) {
          const LibcdsThread consumer;
          return take(container, item);
        });
  }
  cds::Terminate();
}

// What libcds.so keeps of threads is handed from one to the next by atomics in object code without hooks: the
// hazard pointers' records are told of as racing.
constexpr hocket::Detectors kWithoutRaces = hocket::Detectors{}.without(hocket::Detector::races);

TEST(Libcds, QueueLosesNothing) {
  using Queue = cds::container::MSQueue<cds::gc::HP, int>;
  expect_to_pass(
      [] {
        nothing_is_lost_in_libcds<Queue>([](Queue& queue, int item) { return queue.enqueue(item); },
            [](Queue& queue, int& item) { return queue.dequeue(item); });
      },
      1, kWithoutRaces);
}

TEST(Libcds, StackLosesNothing) {
  using Stack = cds::container::TreiberStack<cds::gc::HP, int>;
  expect_to_pass(
      [] {
        nothing_is_lost_in_libcds<Stack>([](Stack& stack, int item) { return stack.push(item); },
            [](Stack& stack, int& item) { return stack.pop(item); });
      },
      1, kWithoutRaces);
}
#endif

// Where spdlog is a shared library, its list of loggers is made in the first execution.
TEST(Spdlog, LogsFromTwoThreadsByTheLoggerThatItMakesItself) {
  expect_to_pass(
      [] {
        std::thread one([] { spdlog::info("one"); });
        spdlog::info("other");
        one.join();
      },
      1);
}

}  // namespace
