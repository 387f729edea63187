#include "atomic_blocks.hpp"

#include <string>
#include <utility>
#include <vector>

#include "../atomicity/transactions.hpp"
#include "../diagnosis/source_text.hpp"
#include "../diagnosis/trace.hpp"
#include "../terms/semantics.hpp"
#include "allocations.hpp"
#include "cold_state.hpp"
#include "execution.hpp"

namespace hocket::runtime::atomic_blocks {

namespace {

using Event = Transactions::Event;

/// "thread 1 performs mutex.lock on m at bank.cpp:7 (in step 5)".
std::string in_words(const Event& event) {
  const Trace& trace = *run.trace();
  std::string text = trace.threads()[event.thread].label;
  if (event.what != Event::What::operation) {
    const RecordedThread& other = trace.threads()[event.other];
    const bool creates = event.what == Event::What::creation;
    return text + (creates ? " creates " : " joins ") + other.label + (creates ? at(other.made_at) : "");
  }
  std::size_t step = event.step;
  while (step > 1 && trace.choices()[step - 1].is_value) --step;  // chosen in the step before
  if (step == 0) return text + " begins";
  const RecordedChoice& choice = trace.choices()[step - 1];
  text += " performs " + choice.name();
  if (!choice.object.empty()) text += " on " + choice.object;
  return text + at(choice.where) + " (in step " + std::to_string(step) + ")";
}

std::string in_words(const Transactions::Violation& violation) {
  if (!run.recording) return "atomicity violation";
  std::string text = "atomicity violation: other threads came between the operations of the block that " +
                     run.trace()->threads()[violation.thread].label + " entered" + at(violation.begins);
  for (const Transactions::Order& order : violation.cycle) {
    if (order.first.thread == order.second.thread) continue;
    text += "\n    " + in_words(order.first) + "\n      before " + in_words(order.second);
  }
  return text +
         "\nNo order of whole blocks does the same: let one lock be held, or one operation do, what "
         "belongs together, or end the block before other threads may come";
}

/// Observes an execution from its first block on, for itself and for another observer.
class Blocks final : public Observer {
 public:
  void enter(Where where) {
    if (run.verdict_is_final() || !run.options.detect.contains(Detector::atomicity)) return;
    if (!run.is_current_execution(life_)) begin_to_observe();
    transactions_.enter(run.current->index, where);
  }

  void leave() {
    if (run.verdict_is_final() || !run.is_current_execution(life_)) return;
    transactions_.leave(run.current->index);
    if (transactions_.violation())
      step::fail_in_destructor(
          FailureKind::atomicity, in_words(*transactions_.violation()), transactions_.violation()->begins);
  }

  void begin(const Thread& /*first*/) override {}
  void created(const Thread& thread) override {
    if (other_ != nullptr) other_->created(thread);
    const OwnMemory own;
    transactions_.create(thread.creator->index, thread.index, run.position);
  }
  void joined(const Thread& thread, const Thread& target) override {
    if (other_ != nullptr) other_->joined(thread, target);
    const OwnMemory own;
    transactions_.join(thread.index, target.index, run.position);
  }
  void chose_thread(const Thread& thread, Mode mode) override {
    current_ = &thread;
    if (other_ != nullptr) other_->chose_thread(thread, mode);
  }
  void chose_store(std::uint32_t newer, std::uint32_t most) override {
    newer_ = newer;
    if (other_ != nullptr) other_->chose_store(newer, most);
  }
  void acted(const Object& object, Access access) override {
    if (other_ != nullptr) other_->acted(object, access);
    const std::uint32_t newer = std::exchange(newer_, 0);
    if (Execution::is_clock(object)) return;  // that time passes takes nothing from a block
    const OwnMemory own;
    const Operation operation = operation_of_step(current_->pending.operation, current_->mode);
    transactions_.access(
        current_->index, object.key, is_shared(operation) ? Access::read : access, run.position, newer);
    if (operation == Operation::destroy) transactions_.forget(object.key);
    // Some actions of a thread are noted while it is not yet running: its next one is the one that fails.
    if (transactions_.violation() && current_ == run.current)
      step::fail(
          FailureKind::atomicity, in_words(*transactions_.violation()), transactions_.violation()->begins);
  }

  void started(const Thread& thread) override {
    if (other_ != nullptr) other_->started(thread);
  }
  void stopped(const Thread& thread, bool is_free) override {
    if (other_ != nullptr) other_->stopped(thread, is_free);
  }
  void met_values(
      const Thread& thread, Operation operation, std::uint32_t count, std::uint16_t price) override {
    if (other_ != nullptr) other_->met_values(thread, operation, count, price);
  }
  void chose_value(const Thread& thread, std::uint32_t value) override {
    if (other_ != nullptr) other_->chose_value(thread, value);
  }
  void over(bool is_cut_short) override {
    if (other_ != nullptr) other_->over(is_cut_short);
  }
  void woke(const Thread& thread) override {
    if (other_ != nullptr) other_->woke(thread);
  }
  void moved(const Thread& thread) override {
    if (other_ != nullptr) other_->moved(thread);
  }

 private:
  /// Sections of readers do not keep each other out.
  static bool is_shared(Operation operation) {
    return semantics_of(operation).needs == Need::shared_lock || operation == Operation::mutex_unlock_shared;
  }

  void begin_to_observe() {
    life_ = run.life;
    current_ = run.current;
    newer_ = 0;
    transactions_.begin(run.keeps_stores);
    other_ = std::exchange(run.options.observer, this);
    if (other_ == nullptr && !run.recording) execution.pace.add_reason();
    run.attention = Attention::to_all;
  }

  Transactions transactions_;
  Observer* other_ = nullptr;  ///< that of the search, or nullptr
  const Thread* current_ = nullptr;
  std::uint32_t newer_ = 0;  ///< see chose_store()
  Life life_ = Life::outside;
};

Blocks& blocks() {
  static auto* const all = new Blocks;
  return *all;
}

}  // namespace

void enter(Where where) {
  const OwnMemory own;
  blocks().enter(where);
}

void leave() {
  const OwnMemory own;
  blocks().leave();
}

}  // namespace hocket::runtime::atomic_blocks
