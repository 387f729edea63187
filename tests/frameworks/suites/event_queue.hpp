// Callbacks by event, called at once or out of a queue, as header-only libraries have them: written without a
// thought of Hocket.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <utility>

namespace suites {

/// Its users hold it for a moment.
class SpinLock {
 public:
  void lock() {
    while (locked_.test_and_set(std::memory_order_acquire)) continue;
  }
  void unlock() { locked_.clear(std::memory_order_release); }

 private:
  std::atomic_flag locked_ = ATOMIC_FLAG_INIT;
};

/// A list that may be changed while it is called, also by what it calls.
template <typename... Args>
class CallbackList {
  struct Node;

 public:
  using Callback = std::function<void(Args...)>;
  using Handle = std::weak_ptr<Node>;

  Handle append(Callback callback) {
    auto node = std::make_shared<Node>(std::move(callback));
    const std::lock_guard lock(mutex_);
    node->counter = ++counter_;
    node->previous = tail_;
    (tail_ ? tail_->next : head_) = node;
    tail_ = node;
    return node;
  }
  bool remove(const Handle& handle) {
    const std::lock_guard lock(mutex_);
    const auto node = handle.lock();
    if (!node || node->counter == kRemoved) return false;
    node->counter = kRemoved;
    (node->next ? node->next->previous : tail_) = node->previous;
    (node->previous ? node->previous->next : head_) = node->next;
    return true;
  }
  void operator()(Args... args) const {
    std::shared_ptr<Node> node;
    unsigned until = 0;
    {
      const std::lock_guard lock(mutex_);
      node = head_;
      until = counter_;
    }
    while (node) {
      const unsigned counter = node->counter.load(std::memory_order_acquire);
      if (counter != kRemoved && counter <= until) node->callback(args...);
      const std::lock_guard lock(mutex_);
      node = node->next;
    }
  }
  [[nodiscard]] bool empty() const {
    const std::lock_guard lock(mutex_);
    return !head_;
  }
  ~CallbackList() {  // one by one, since a long list would overflow the stack
    while (head_) {
      head_->previous.reset();
      head_ = std::exchange(head_->next, nullptr);
    }
  }
  CallbackList() = default;
  CallbackList(const CallbackList&) = delete;
  CallbackList& operator=(const CallbackList&) = delete;

 private:
  static constexpr unsigned kRemoved = 0;
  struct Node {
    explicit Node(Callback c) : callback(std::move(c)) {}
    std::shared_ptr<Node> previous;
    std::shared_ptr<Node> next;
    Callback callback;
    std::atomic<unsigned> counter{kRemoved};
  };

  std::shared_ptr<Node> head_;
  std::shared_ptr<Node> tail_;
  mutable SpinLock mutex_;
  unsigned counter_ = 0;
};

template <typename Event, typename... Args>
class EventDispatcher {
 public:
  using List = CallbackList<Args...>;

  typename List::Handle append_listener(const Event& event, typename List::Callback callback) {
    return list_of(event).append(std::move(callback));
  }
  bool remove_listener(const Event& event, const typename List::Handle& handle) {
    return list_of(event).remove(handle);
  }
  void dispatch(const Event& event, Args... args) const {
    const List* list = nullptr;
    {
      const std::shared_lock lock(mutex_);
      const auto found = lists_.find(event);
      if (found == lists_.end()) return;
      list = &found->second;
    }
    (*list)(args...);
  }

 private:
  List& list_of(const Event& event) {
    const std::unique_lock lock(mutex_);
    return lists_[event];
  }

  std::map<Event, List> lists_;
  mutable std::shared_mutex mutex_;
};

template <typename Event, typename... Args>
class EventQueue : public EventDispatcher<Event, Args...> {
 public:
  void enqueue(const Event& event, Args... args) {
    {
      const std::lock_guard lock(queue_mutex_);
      queue_.emplace_back([this, event, args...] { this->dispatch(event, args...); });
    }
    changed_.notify_one();
  }
  bool process() {
    std::list<std::function<void()>> taken;
    {
      const std::lock_guard lock(queue_mutex_);
      taken.swap(queue_);
    }
    for (const auto& call : taken) call();
    return !taken.empty();
  }
  void wait() const {
    std::unique_lock lock(queue_mutex_);
    changed_.wait(lock, [this] { return !queue_.empty(); });
  }
  template <class Rep, class Period>
  bool wait_for(const std::chrono::duration<Rep, Period>& time) const {
    std::unique_lock lock(queue_mutex_);
    return changed_.wait_for(lock, time, [this] { return !queue_.empty(); });
  }

 private:
  std::list<std::function<void()>> queue_;
  mutable std::mutex queue_mutex_;
  mutable std::condition_variable changed_;
};

}  // namespace suites
