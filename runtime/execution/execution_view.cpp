#include "execution_view.hpp"

#include "../diagnosis/trace.hpp"
#include "cold_state.hpp"

namespace hocket::runtime {

const Failure& ExecutionView::failure() const {
  return cold_state_->failure;
}

const Race& ExecutionView::race() const {
  return races_->race();
}

WeakerOperations ExecutionView::weaker_operations(bool kept_stores) const {
  return cold_state_ != nullptr ? cold_state_->weaker_orders.in_words(kept_stores) : WeakerOperations{};
}

std::uint32_t ExecutionView::stale_choices() const {
  return cold_state_->weak_memory.stale;
}

const Skipping* ExecutionView::skipping() const {
  return cold_state_ != nullptr ? cold_state_->skipping.get() : nullptr;
}

const Candidate* ExecutionView::candidates() const {
  return cold_state_->candidates.data();
}

const Object& ExecutionView::clock() const {
  return cold_state_->clock;
}

bool ExecutionView::keeps(std::uintptr_t address) const {
  if (address - reinterpret_cast<std::uintptr_t>(log) < kLogBytes) return true;
  for (const Thread* const thread : thread_slots_) {
    if (thread == nullptr) break;
    if (address - reinterpret_cast<std::uintptr_t>(thread) < sizeof(Thread)) return true;
  }
  return false;
}

std::string ExecutionView::describe(const Thread& thread) const {
  return recording ? options_.trace->label(thread) : "a thread";
}

std::string ExecutionView::describe(const Object& object) const {
  return recording ? options_.trace->label(object) : std::string("a ") + object.kind->name;
}

bool ExecutionView::is_clock(const Object& object) const {
  return &object == &cold_state_->clock;
}

}  // namespace hocket::runtime
