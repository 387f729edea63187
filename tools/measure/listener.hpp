// An observer that passes on what it hears: it listens to an execution although the strategy does, too.
#pragma once

#include <cstdint>

#include "runtime/objects/observer.hpp"

namespace measure {

/// Derived classes override what they want to hear and pass it on themselves.
class Listener : public hocket::runtime::Observer {
 public:
  /// `next` may be null.
  explicit Listener(Observer* next) : next_(next) {}

  void begin(const hocket::runtime::Thread& first) override {
    if (next_ != nullptr) next_->begin(first);
  }
  void created(const hocket::runtime::Thread& thread) override {
    if (next_ != nullptr) next_->created(thread);
  }
  void started(const hocket::runtime::Thread& thread) override {
    if (next_ != nullptr) next_->started(thread);
  }
  void joined(const hocket::runtime::Thread& thread, const hocket::runtime::Thread& target) override {
    if (next_ != nullptr) next_->joined(thread, target);
  }
  void stopped(const hocket::runtime::Thread& thread, bool is_free) override {
    if (next_ != nullptr) next_->stopped(thread, is_free);
  }
  void chose_thread(const hocket::runtime::Thread& thread, hocket::runtime::Mode mode) override {
    if (next_ != nullptr) next_->chose_thread(thread, mode);
  }
  void met_values(const hocket::runtime::Thread& thread, hocket::runtime::Operation operation,
      std::uint32_t count, std::uint16_t price) override {
    if (next_ != nullptr) next_->met_values(thread, operation, count, price);
  }
  void chose_value(const hocket::runtime::Thread& thread, std::uint32_t value) override {
    if (next_ != nullptr) next_->chose_value(thread, value);
  }
  void acted(const hocket::runtime::Object& object, hocket::runtime::Access access) override {
    if (next_ != nullptr) next_->acted(object, access);
  }
  void over(bool is_cut_short) override {
    if (next_ != nullptr) next_->over(is_cut_short);
  }
  void woke(const hocket::runtime::Thread& thread) override {
    if (next_ != nullptr) next_->woke(thread);
  }

 private:
  Observer* next_;
};

}  // namespace measure
