// Fairness in programs that yield: how it may change what they do, and how it must not.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tests/oracle/brute_force.hpp"
#include "tests/oracle/claims.hpp"

namespace hocket::oracle {

/// The same program with a yield after each instruction, unless that makes it too long.
Program yielding(Program program);
/// The same program with most of its yields replaced by sleeps.
Program sleeping(Program program);

/// What the strategies that can search fairly claim about such searches.
std::vector<Claim> fair_claims();

/// The answers of the brute force for a program.
struct FairAnswers {
  Answer unfair;  ///< scheduled without fairness
  Answer fair;    ///< scheduled fairly: unfair steps have a price
};
/// Returns nothing if there are more states than `most_states`.
std::optional<FairAnswers> fair_answers(Program program, std::size_t most_states);

/// Checks that all that some schedule of the program leads to a fairly priced one leads to, too, whatever
/// that costs, and where nobody sleeps nothing else; and that the strategies search fairly as they claim.
/// What contradicts that, in words.
std::optional<std::string> contradiction_about_fairness(
    Checker& checker, Program program, const FairAnswers& answers);

}  // namespace hocket::oracle
