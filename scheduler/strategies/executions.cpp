#include "executions.hpp"

#include <cstdint>
#include <memory>
#include <type_traits>

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

  void begin(const Thread& first) override { pass_on(&Observer::begin, first); }
  void created(const Thread& thread) override { pass_on(&Observer::created, thread); }
  void started(const Thread& thread) override { pass_on(&Observer::started, thread); }
  void joined(const Thread& thread, const Thread& target) override {
    pass_on(&Observer::joined, thread, target);
  }
  void stopped(const Thread& thread, bool is_free) override { pass_on(&Observer::stopped, thread, is_free); }
  void chose_thread(const Thread& thread, Mode mode) override {
    pass_on(&Observer::chose_thread, thread, mode);
  }
  void met_values(
      const Thread& thread, Operation operation, std::uint32_t count, std::uint16_t price) override {
    pass_on(&Observer::met_values, thread, operation, count, price);
  }
  void chose_value(const Thread& thread, std::uint32_t value) override {
    pass_on(&Observer::chose_value, thread, value);
  }
  void acted(const Object& object, Access access) override { pass_on(&Observer::acted, object, access); }
  void over(bool is_cut_short) override { pass_on(&Observer::over, is_cut_short); }
  void woke(const Thread& thread) override { pass_on(&Observer::woke, thread); }
  void moved(const Thread& thread) override { pass_on(&Observer::moved, thread); }

 private:
  template <class... Parameters>
  void pass_on(void (Observer::*event)(Parameters...), std::type_identity_t<Parameters>... of_event) {
    (first_.*event)(of_event...);
    (second_.*event)(of_event...);
  }

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
