// What is known of an execution that is over.
#pragma once

#include <cstdint>

#include "../terms/action_hash.hpp"
#include "../terms/choice.hpp"
#include "../terms/where.hpp"

namespace hocket::runtime {

/// How an execution came to its end.
enum class Outcome : std::uint8_t {
  completed,  ///< every thread ended
  failed,
  dropped,   ///< by assume()
  pruned,    ///< the chooser knows what would come
  unfair,    ///< at the step limit, with threads that yield kept running and others kept waiting
  diverged,  ///< the chooser asked for something that is no candidate
};

struct ExecutionResult {
  Outcome outcome = Outcome::completed;
  ClassHash hash;                ///< of the actions made
  ChoiceLog log;                 ///< valid until the next execution begins
  unsigned threads = 0;          ///< created, the body's own included
  bool abandoned = false;        ///< a thread's stack could be neither unwound nor run to its end
  bool left_out_unfair = false;  ///< something was no candidate: ExecutionOptions::leaves_out_unfair
  bool priced_yield = false;     ///< to go on with a thread cost something since it yields in vain
  Where yields_at{};             ///< where that is, for one of them; may be no place
};

}  // namespace hocket::runtime
