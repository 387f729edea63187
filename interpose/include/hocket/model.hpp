// Checks models of protocols: see docs/models.md.
//
//   struct Counter {
//     struct State { int value = 0; bool operator==(const State&) const = default; };
//     State initial() const { return {}; }
//     void successors(const State& state, hocket::model::Emit<State> emit) const {
//       if (state.value < 3) emit(0, "increment", {state.value + 1});
//     }
//     bool holds(const State& state) const { return state.value <= 2; }
//   };
//   hocket::model::Report report = hocket::model::check("counter", Counter{});
#pragma once

#if __cplusplus < 202002L
#error "hocket/model.hpp needs C++20"
#endif

#include "../../../model/search/check.hpp"  // IWYU pragma: export
