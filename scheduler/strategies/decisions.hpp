// What a strategy decides on its way, for the search's log.
#pragma once

#include <string>

namespace hocket {

using DecisionListener = void (*)(const std::string& sentence);

/// Called with a sentence about each decision, between executions; nullptr: nobody asks for them.
extern constinit DecisionListener tell_of_decision;

}  // namespace hocket
