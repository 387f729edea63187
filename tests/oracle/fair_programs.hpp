// Fairness, for programs that yield: what may become of them by it, and what may not.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tests/oracle/brute_force.hpp"
#include "tests/oracle/claims.hpp"

namespace hocket::oracle {

/// The same program with a yield after each instruction, where that does not make it too long.
Program yielding(Program program);
/// The same program with sleeps for most of its yields.
Program sleeping(Program program);

/// The claims of the strategies that can search fairly, about such searches.
std::vector<Claim> fair_claims();

/// What the brute force says of a program.
struct FairAnswers {
  Answer unfair;  ///< as it is
  Answer fair;    ///< scheduled fairly: what is not fair has a price
};
/// Nothing where there are more states than allowed.
std::optional<FairAnswers> fair_answers(Program program, std::size_t most_states);

/// Checks that all that some schedule of the program leads to a fairly priced one leads to, too, whatever
/// that costs, and where nobody sleeps nothing else; and that the strategies search fairly as they claim.
/// What contradicts that, in words.
std::optional<std::string> contradiction_about_fairness(
    Checker& checker, Program program, const FairAnswers& answers);

}  // namespace hocket::oracle
