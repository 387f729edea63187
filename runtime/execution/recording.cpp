#include "recording.hpp"

#include <cassert>

#include "../diagnosis/trace.hpp"
#include "../threads/host.hpp"
#include "cold_state.hpp"
#include "execution.hpp"

namespace hocket::runtime {

std::string describe(const Thread& thread) {
  return run.recording ? run.trace()->label(thread) : "a thread";
}

std::string describe(const Object& object) {
  return run.recording ? run.trace()->label(object) : std::string("a ") + object.kind->name;
}

namespace recording {

void name(const Object& object, std::string_view name) {
  if (!is_controlled()) return;
  if (run.recording) run.trace()->name_object(object, name);
  if (run.options.notes_callers) run.cold->weaker_orders.name(object, name);
}

void name(const Thread& thread, std::string_view name) {
  if (is_controlled() && run.recording) run.trace()->name_thread(thread, name);
}

void name_memory(const void* object, std::string_view name) {
  if (!is_controlled() || run.host == nullptr) return;
  if (run.recording) {
    run.trace()->name_given(name);
    run.host->memory.name(object, name);
  }
  if (run.options.notes_callers) run.cold->weaker_orders.name_memory(object, name);
}

void note_value(std::string_view text) {
  assert(run.recording);
  run.trace()->note(text);
}

void note_outcome(bool succeeded, std::string_view found) {
  run.trace()->outcome(succeeded, found);
}

void note_comparison(
    bool succeeded, std::string_view expected, std::string_view found, std::string_view written) {
  run.trace()->compared(succeeded, expected, found, written);
}

void note_deadline(std::int64_t virtual_nanoseconds) {
  run.trace()->until(virtual_nanoseconds);
}

void note_sleep(std::int64_t nanoseconds, std::optional<std::int64_t> until) {
  run.trace()->sleeps(nanoseconds, until);
}

void note_access(const Object& object, Access access, std::string_view text, Where where) {
  run.trace()->access(object, access, text, where);
}

}  // namespace recording
}  // namespace hocket::runtime
