#include "executions.hpp"

#include "../../runtime/terms/choice.hpp"
#include "../../runtime/terms/operation.hpp"

namespace hocket {

namespace {

using runtime::Access;
using runtime::Mode;
using runtime::Object;
using runtime::Observer;
using runtime::Operation;
using runtime::Thread;

/// Passes each event on to two observers.
class ObserverForBoth final : public Observer {
 public:
  ObserverForBoth(Observer& first, Observer& second) : first_(first), second_(second) {}

  void begin(const Thread& first) override {
    first_.begin(first);
    second_.begin(first);
  }
  void created(const Thread& thread) override {
    first_.created(thread);
    second_.created(thread);
  }
  void started(const Thread& thread) override {
    first_.started(thread);
    second_.started(thread);
  }
  void joined(const Thread& thread, const Thread& target) override {
    first_.joined(thread, target);
    second_.joined(thread, target);
  }
  void stopped(const Thread& thread, bool is_free) override {
    first_.stopped(thread, is_free);
    second_.stopped(thread, is_free);
  }
  void chose_thread(const Thread& thread, Mode mode) override {
    first_.chose_thread(thread, mode);
    second_.chose_thread(thread, mode);
  }
  void met_values(
      const Thread& thread, Operation operation, std::uint32_t count, std::uint16_t price) override {
    first_.met_values(thread, operation, count, price);
    second_.met_values(thread, operation, count, price);
  }
  void chose_value(const Thread& thread, std::uint32_t value) override {
    first_.chose_value(thread, value);
    second_.chose_value(thread, value);
  }
  void acted(const Object& object, Access access) override {
    first_.acted(object, access);
    second_.acted(object, access);
  }
  void over(bool is_cut_short) override {
    first_.over(is_cut_short);
    second_.over(is_cut_short);
  }
  void woke(const Thread& thread) override {
    first_.woke(thread);
    second_.woke(thread);
  }
  void moved(const Thread& thread) override {
    first_.moved(thread);
    second_.moved(thread);
  }

 private:
  Observer& first_;
  Observer& second_;
};

}  // namespace

OptionsWithStrategy::OptionsWithStrategy(const runtime::ExecutionOptions& options, Strategy& strategy)
    : strategy_(strategy), of_caller_(options.observer), options_(options) {
  options_.leaves_out_unfair = strategy.leaves_out_unfair();
}

void OptionsWithStrategy::observe(Observer* of_strategy) {
  of_strategy_ = of_strategy;
  const bool are_two = of_caller_ != nullptr && of_strategy != nullptr;
  for_both_ = are_two ? std::make_unique<ObserverForBoth>(*of_caller_, *of_strategy) : nullptr;
  options_.observer = are_two ? for_both_.get() : of_caller_ != nullptr ? of_caller_ : of_strategy;
}

}  // namespace hocket
