// A channel modelled on the shared-memory channels of Dryad, as Musuvathi and Qadeer describe them in
// Iterative Context Bounding for Systematic Testing of Multithreaded Programs, 2007, section 4.3 and Figure
// 4.
//
// The threads of a work queue handle a channel's messages. A worker passes each item on to the application
// with an alert, under the channel's base lock. To close the channel, a thread sends a STOP message for each
// worker and waits until every worker has handled one; then the channel may be deleted. The work queue and
// its threads continue to exist until the queue is stopped too.
//
// Three bugs can be seeded, each by changing up to three lines. Nothing else depends on them: test_channel()
// checks one invariant, which only the correct channel keeps under every schedule.
#pragma once

#include <array>
#include <cstddef>
#include <hocket/hocket.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "samples/sample_program.hpp"

namespace samples {

enum class ChannelSeed {
  none,
  use_after_free,   ///< a worker reports that it has finished before it alerts the application
  lost_backlog,     ///< an item that comes before the application has registered is never passed on
  racy_count_down,  ///< the remaining workers are counted with a load and a store
};

/// A message of a channel to the workers.
struct Message {
  bool is_stop = true;
  int item = 0;
};

/// Messages that any worker may receive. Only one thread posts; up to eight messages in all.
class WorkQueue {
 public:
  WorkQueue() {
    hocket::name(available_, "messages");
    hocket::name(next_, "next message");
    hocket::name(stopping_, "queue stops");
    hocket::name(items_, "items handled");
    hocket::name(stops_, "STOPs handled");
    hocket::name(most_, "most handled");
    hocket::name(retired_, "workers retired");
  }

  /// Called by the posting thread.
  void post(const Message& message, int copies = 1) {
    for (int n = 0; n < copies; ++n) messages_[posted_++] = message;
    available_.release(copies);
  }

  /// Called by a worker. Waits for a message.
  Message receive() {
    available_.acquire();
    return messages_[next_.fetch_add(1)];
  }

  /// Called by a worker that has handled its last message: waits until the queue is stopped, then adds to the
  /// statistics.
  void retire(int items, int stops) {
    stopping_.acquire();
    items_.fetch_add(items);
    stops_.fetch_add(stops);
    for (int most = most_.load();
         most < items + stops && !most_.compare_exchange_strong(most, items + stops);) {
    }
    retired_.fetch_add(1);
  }

  /// Called by the posting thread, to let this number of workers end.
  void stop(int workers) { stopping_.release(workers); }

  // The statistics are complete when the workers have ended.
  [[nodiscard]] int items_handled() const { return items_; }
  [[nodiscard]] int stops_handled() const { return stops_; }
  [[nodiscard]] int most_handled_by_one() const { return most_; }
  [[nodiscard]] int workers_retired() const { return retired_; }

 private:
  std::array<Message, 8> messages_;
  std::size_t posted_ = 0;
  hocket::counting_semaphore<> available_{0};
  hocket::atomic<std::size_t> next_{0};
  hocket::counting_semaphore<> stopping_{0};
  hocket::atomic<int> items_{0};
  hocket::atomic<int> stops_{0};
  hocket::atomic<int> most_{0};
  hocket::atomic<int> retired_{0};
};

/// The application's side: the object that a channel alerts. It outlives the channel.
class InterruptHandler {
 public:
  InterruptHandler() {
    hocket::name(interrupts_, "interrupts");
    hocket::name(received_, "received");
  }

  void interrupt(int item) {
    received_ += item;
    interrupts_.release();
  }

  /// Waits for an interrupt. Returns the sum of the items received.
  int wait() {
    interrupts_.acquire();
    return received_;
  }

 private:
  hocket::counting_semaphore<> interrupts_{0};
  hocket::var<int> received_{0};
};

template <ChannelSeed seed = ChannelSeed::none>
class ChannelReader {
 public:
  ChannelReader(WorkQueue& queue, int workers) : queue_(queue), workers_(workers), left_(workers) {
    hocket::name(base_lock_, "base lock");
    hocket::name(left_, "workers left");
    hocket::name(closed_, "channel closed");
  }

  ChannelReader(const ChannelReader&) = delete;
  ChannelReader& operator=(const ChannelReader&) = delete;

  /// Waits for a thread that is inside the base lock, but cannot know of threads that are about to take it.
  ~ChannelReader() {
    const std::lock_guard guard(base_lock_);
    handler_ = nullptr;
  }

  /// Called by the application.
  void set_interrupt_handler(InterruptHandler& handler) {
    const std::lock_guard guard(base_lock_);
    handler_ = &handler;
    if (seed != ChannelSeed::lost_backlog && backlog_ != 0) handler.interrupt(backlog_);
  }

  /// Called by a worker that has received `message`. Returns whether more messages may come for it.
  bool handle(const Message& message) {
    if (!message.is_stop) {
      alert_application(message.item);
      return true;
    }
    if (seed != ChannelSeed::use_after_free) alert_application(0);
    report_worker_done();
    if (seed == ChannelSeed::use_after_free) alert_application(0);
    return false;
  }

  /// Waits until every worker has finished with the channel.
  void close() {
    queue_.post({.is_stop = true}, workers_);
    closed_.acquire();
  }

 private:
  // In Dryad this is RChannelReaderImpl::AlertApplication. A worker also calls it when it cleans up after its
  // STOP; there is no item then.
  void alert_application(int item) {
    const std::lock_guard guard(base_lock_);
    if (handler_ == nullptr) {
      backlog_ += item;
    } else if (item != 0) {
      handler_->interrupt(item);
    }
  }

  void report_worker_done() {
    int left = seed == ChannelSeed::racy_count_down ? left_.load() : left_.fetch_sub(1);
    --left;
    if (seed == ChannelSeed::racy_count_down) left_.store(left);
    if (left == 0) closed_.release();
  }

  WorkQueue& queue_;
  const int workers_;
  hocket::mutex base_lock_;
  InterruptHandler* handler_ = nullptr;  ///< guarded by base_lock_, as is backlog_
  int backlog_ = 0;                      ///< sum of the items that came before there was a handler
  hocket::atomic<int> left_;             ///< workers that have not handled their STOP yet
  hocket::counting_semaphore<> closed_{0};
};

/// The body of a test: `workers` and an application use one channel, which is closed and deleted after the
/// application has received an item. Every message is handled, the item arrives once, and no thread accesses
/// a deleted object.
template <ChannelSeed seed>
void test_channel(int workers = 3) {
  constexpr int kItem = 7;
  WorkQueue queue;
  InterruptHandler handler;
  auto channel = std::make_unique<ChannelReader<seed>>(queue, workers);

  hocket::thread application([&handler, reader = channel.get()] {
    reader->set_interrupt_handler(handler);
    hocket::check(handler.wait() == kItem, "the application has not received what was sent");
  });
  hocket::name(application, "application");
  std::vector<hocket::thread> threads;
  for (int n = 0; n < workers; ++n) {
    threads.emplace_back([&queue, reader = channel.get()] {
      int items = 0;
      while (reader->handle(queue.receive())) ++items;
      queue.retire(items, 1);
    });
    hocket::name(threads.back(), "worker " + std::to_string(n + 1));
  }

  queue.post({.is_stop = false, .item = kItem});
  application.join();
  channel->close();
  channel.reset();

  queue.stop(workers);
  for (hocket::thread& worker : threads) worker.join();
  hocket::check(queue.items_handled() == 1, "the item was lost, or handled twice");
  hocket::check(queue.stops_handled() == workers, "a STOP was lost, or handled twice");
  hocket::check(queue.most_handled_by_one() == 2, "a worker has taken the STOP of another");
  hocket::check(queue.workers_retired() == workers, "a worker has not retired");
}

inline SampleProgram channel_program() {
  return {"channel", 5, [] { test_channel<ChannelSeed::none>(); },
      {{"lost backlog", 0, hocket::FailureKind::deadlock, "application waits for interrupts",
           [] { test_channel<ChannelSeed::lost_backlog>(); }},
          {"use after free", 1, hocket::FailureKind::use_after_destruction,
              "worker 1 is about to perform mutex.lock on it",
              [] { test_channel<ChannelSeed::use_after_free>(); }},
          {"racy count-down", 1, hocket::FailureKind::deadlock, "waits for channel closed",
              [] { test_channel<ChannelSeed::racy_count_down>(); }}}};
}

}  // namespace samples
