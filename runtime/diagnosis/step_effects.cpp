#include "step_effects.hpp"

#include <algorithm>
#include <string>

#include "../terms/semantics.hpp"

namespace hocket::runtime {

bool has_failed(const RecordedChoice& step) {
  // Trace::outcome() and compared() write these notes, which files have.
  return step.has_failed || step.mode == Mode::expire ||
         std::any_of(step.notes.begin(), step.notes.end(),
             [](const std::string& note) { return note == "failed" || note.starts_with("failed, "); });
}

bool writes(const RecordedChoice& step) {
  switch (semantics_of(step.operation).effect) {
    case Effect::none:
    case Effect::reads:
      return false;
    case Effect::takes:
    case Effect::exchanges:
      return !has_failed(step);
    default:
      return true;
  }
}

}  // namespace hocket::runtime
