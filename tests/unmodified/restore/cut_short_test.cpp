// What executions that are cut short leave open: descriptors, queues, semaphores, folders, keys. Thousands of
// them would use up what a process may have.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory_resource>
#include <ostream>
#include <string>
#include <thread>

#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "tests/support/row_name.hpp"
#include "tests/unmodified/support/kernel_objects.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

/// Two threads with many orders that are equivalent, so that strategies cut executions short.
void work(const std::function<void()>& also) {
  std::atomic<int> one{0};
  std::atomic<int> other{0};
  const auto steps = [&] {
    one.fetch_add(1);
    other = 2;
    also();
    other.load();
    one.load();
  };
  in_parallel(steps, steps);
}

std::string name_of_this_process(const char* what) {
  return std::string("/hocket-") + what + std::to_string(getpid());
}

void close_in_threads() {
  int ends[2];
  check(pipe(ends) == 0, "there is no pipe left");
  std::atomic<int> which{0};
  work([&] { close(ends[which.fetch_add(1)]); });
}

/// The copies are made while another thread waits, which is woken by a step after the call.
void copy_what_another_thread_reads() {
  int ends[2];
  check(pipe(ends) == 0, "there is no pipe left");
  std::thread reader([&] {
    char byte = 0;
    check(read(ends[0], &byte, 1) == 1);
  });
  work([&] {
    for (const int copy : {dup(ends[0]), fcntl(ends[0], F_DUPFD, 0)})
      check(close(copy) == 0, "there is no descriptor left");
  });
  check(write(ends[1], "x", 1) == 1);
  reader.join();
  for (const int end : ends) close(end);
}

void use_a_queue() {
  const std::string name = name_of_this_process("queue");
  mq_attr attributes{};
  attributes.mq_maxmsg = attributes.mq_msgsize = 8;
  const mqd_t queue = mq_open(name.c_str(), O_RDWR | O_CREAT, 0600, &attributes);
  check(queue >= 0, "there is no queue left");
  mq_unlink(name.c_str());
  work([] {});
  mq_close(queue);
}

void use_a_named_semaphore() {
  const std::string name = name_of_this_process("semaphore");
  sem_t* const semaphore = sem_open(name.c_str(), O_CREAT, 0600, 0U);
  check(semaphore != SEM_FAILED, "there is no semaphore left");
  sem_unlink(name.c_str());
  work([&] {
    sem_post(semaphore);
    sem_trywait(semaphore);
  });
  sem_close(semaphore);
}

void use_a_pool_of_memory() {
  std::pmr::synchronized_pool_resource pool;
  work([&] { pool.deallocate(pool.allocate(16), 16); });
}

void use_a_key() {
  pthread_key_t key{};
  check(pthread_key_create(&key, nullptr) == 0, "there is no key left");
  work([&] { pthread_setspecific(key, &key); });
  pthread_key_delete(key);
}

void look_into_a_folder() {
  const std::filesystem::directory_iterator folder("/proc/self/task");
  work([] {});
}

struct Row {
  const char* name;
  void (*body)();
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.name;
}

const Row kRows[] = {
    {"DescriptorsThatThreadsClose", close_in_threads},
    {"CopiesOfDescriptors", copy_what_another_thread_reads},
    {"Queues", use_a_queue},
    {"NamedSemaphores", use_a_named_semaphore},
    {"PoolsOfMemory", use_a_pool_of_memory},
    {"Keys", use_a_key},
    {"Folders", look_into_a_folder},
};

class ExecutionsThatAreCutShort : public testing::TestWithParam<Row> {};

TEST_P(ExecutionsThatAreCutShort, LeaveNothingOpen) {
  for (const hocket::Restore restore : {hocket::Restore::snapshot, hocket::Restore::nothing}) {
    for (const char* const strategy : {"auto", "dfs-sleep"}) {
      SCOPED_TRACE(strategy);
      const Options options = exhaustively({.strategy = strategy, .max_executions = 500, .restore = restore});
      report_of(options, GetParam().body);  // makes what is made once
      const LeavesNoKernelObjects leaves_none;
      const Report report = report_of(options, GetParam().body);
      EXPECT_FALSE(report.failed()) << report;
      EXPECT_NE(report.pruned, 0U) << report;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ExecutionsThatAreCutShort, testing::ValuesIn(kRows), hocket::test::RowName());

}  // namespace

}  // namespace unmodified
