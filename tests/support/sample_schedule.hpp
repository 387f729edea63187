// A schedule as a search would save it, small enough to be compared as a whole in a test.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scheduler/schedules/schedule.hpp"

namespace hocket::tests {

/// A step of the thread with this index in Schedule::threads.
inline runtime::RecordedChoice step(unsigned thread, runtime::Operation operation, std::string object,
    std::string where, std::vector<std::string> notes = {}, std::uint32_t price = 0,
    runtime::Mode mode = runtime::Mode::run) {
  runtime::RecordedChoice choice;
  choice.thread = thread;
  choice.operation = operation;
  choice.object = std::move(object);
  choice.mode = mode;
  choice.code = runtime::thread_code(thread, mode);
  choice.price = price;
  choice.where = std::move(where);
  choice.notes = std::move(notes);
  return choice;
}

/// A choice of `value` among `count` values, made by the thread for `operation`.
inline runtime::RecordedChoice value(unsigned thread, runtime::Operation operation, runtime::Code value,
    std::uint32_t count, std::string where, std::uint32_t price = 0) {
  runtime::RecordedChoice choice;
  choice.is_value = true;
  choice.thread = thread;
  choice.operation = operation;
  choice.code = value;
  choice.count = count;
  choice.price = price;
  choice.where = std::move(where);
  return choice;
}

/// Main starts two threads; the schedule has one preemption and one value: eight choices.
inline Schedule sample_schedule() {
  using runtime::Mode;
  using runtime::Operation;
  Schedule schedule;
  schedule.test = "queue/two-thieves";
  schedule.binary = "/home/user/build/queue_test";
  schedule.build_id = "3f86c1a0";
  schedule.message = "an item was taken twice";
  schedule.where = "queue_test.cpp:57";
  schedule.bound = 1;
  schedule.executions = 119;
  schedule.threads = {
      {"main", -1, 0, ""}, {"owner", 0, 1, "queue_test.cpp:40"}, {"thread 2", 0, 2, "queue_test.cpp:44"}};
  schedule.choices = {
      step(1, Operation::mutex_lock, "queue lock", "queue.hpp:21"),
      step(1, Operation::atomic_load, "top", "queue.hpp:22", {"3"}),
      step(2, Operation::atomic_load, "top", "queue.hpp:35", {"3"}, 1),
      step(2, Operation::atomic_store, "top", "queue.hpp:36", {"4", "writes item = 7  queue.hpp:37"}),
      step(2, Operation::condition_notify_one, "not full", "queue.hpp:38"),
      value(2, Operation::condition_notify_one, 1, 2, "queue.hpp:38"),
      step(1, Operation::mutex_unlock, "queue lock", "queue.hpp:25"),
      step(1, Operation::mutex_try_lock_for, "queue lock", "queue.hpp:27", {"FAILS: an item was taken twice"},
          0, Mode::expire),
  };
  return schedule;
}

}  // namespace hocket::tests
