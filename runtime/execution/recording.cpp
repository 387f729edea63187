#include "recording.hpp"

#include "../diagnosis/trace.hpp"
#include "cold_state.hpp"
#include "execution.hpp"

namespace hocket::runtime {

void Recording::name(const Object& object, std::string_view name) {
  if (!is_controlled()) return;
  if (recording) options_.trace->name_object(object, name);
  if (options_.notes_callers) cold_state_->weaker_orders.name(object, name);
}

void Recording::name(const Thread& thread, std::string_view name) {
  if (is_controlled() && recording) options_.trace->name_thread(thread, name);
}

void Recording::name_memory(const void* object, std::string_view name) {
  if (!is_controlled() || host == nullptr) return;
  if (recording) host->name(object, name);
  if (options_.notes_callers) cold_state_->weaker_orders.name_memory(object, name);
}

void Recording::note_value(std::string_view text) {
  options_.trace->note(text);
}

void Recording::note_outcome(bool succeeded, std::string_view found) {
  options_.trace->outcome(succeeded, found);
}

void Recording::note_comparison(
    bool succeeded, std::string_view expected, std::string_view found, std::string_view written) {
  options_.trace->compared(succeeded, expected, found, written);
}

void Recording::note_deadline(std::int64_t virtual_nanoseconds) {
  options_.trace->until(virtual_nanoseconds);
}

void Recording::note_access(const Object& object, Access access, std::string_view text, Where where) {
  options_.trace->access(object, access, text, where);
}

}  // namespace hocket::runtime
