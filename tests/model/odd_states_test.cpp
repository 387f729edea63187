// States of unusual types: what looks like a type of the standard library and has more members, what lives on
// the heap, what has no order. A search that overlooks a part of such a state takes different states for one.
#include <array>
#include <cstdint>
#include <forward_list>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check_without_files.hpp"
#include "random_model.hpp"
#include "random_models.hpp"

namespace hocket::model::test {

namespace {

using ::testing::HasSubstr;

/// Looks like a pair.
struct Message {
  std::uint8_t first = 0;
  std::uint32_t second = 0;
  std::uint8_t hops = 0;
  bool operator==(const Message&) const = default;
};

/// Looks like a container.
struct Channel {
  std::vector<int> items;
  std::uint8_t end_of_stream = 0;
  [[nodiscard]] auto begin() const { return items.begin(); }
  [[nodiscard]] auto end() const { return items.end(); }
  bool operator==(const Channel&) const = default;
};

/// Looks like an optional.
struct Slot {
  int value = 0;
  std::vector<int> old_values;
  unsigned version : 3 = 0;
  bool is_full : 1 = false;
  [[nodiscard]] bool has_value() const { return is_full; }
  int operator*() const { return value; }
  bool operator==(const Slot&) const = default;
};

struct OddState {
  Message message;
  Channel channel;
  Slot slot;
  long double number = 1;

  std::array<std::vector<std::string>, 2> queues;  // without braces, g++ 12 has trouble with such a member
  std::unordered_set<int> known;
  std::variant<std::monostate, int, std::string, bool> phase;
  std::optional<std::tuple<int, int>> vote;

  std::forward_list<int> stack;
  int counts[3] = {};
  std::map<std::string, int> names;
  std::unordered_map<int, std::pair<int, int>> owners;

  bool operator==(const OddState&) const = default;
};

constexpr unsigned kCodings = 3;

/// Writes a state of a random model into one third of the members. Each member holds a part of it that is
/// nowhere else.
OddState encode(const State& state, unsigned coding) {
  OddState odd;
  const unsigned a = state.place[0];
  const unsigned b = state.place[1];
  const unsigned c = state.place[2];
  const unsigned value = state.value;
  switch (coding) {
    case 0:
      odd.message.hops = static_cast<std::uint8_t>(a);
      odd.channel.end_of_stream = static_cast<std::uint8_t>(b);
      odd.slot.version = c & 7U;
      for (unsigned n = 0; n < value; ++n) odd.number = std::nextafter(odd.number, 2.0L);
      break;
    case 1:
      odd.queues[1].resize(a, "item");
      // An order that depends on more than the elements.
      odd.known.rehash(value * 50);
      for (unsigned n = 0; n < b; ++n) odd.known.insert(static_cast<int>((value == 1 ? b - 1 - n : n) * 100));
      if (c == 1) odd.phase = 0;
      if (c == 2) odd.phase = "";
      if (c == 3) odd.phase = false;
      if (value != 0) odd.vote = {0, static_cast<int>(value) - 1};
      break;
    default:
      for (unsigned n = 0; n < a; ++n) odd.stack.push_front(0);
      odd.counts[2] = static_cast<int>(b);
      odd.names["c"] = static_cast<int>(c);
      odd.owners.rehash(c * 50);
      for (unsigned n = 0; n < 3; ++n)
        odd.owners[static_cast<int>(n)].second = n == 2 ? static_cast<int>(value) : 0;
  }
  return odd;
}

State decode(const OddState& odd, unsigned coding) {
  State state;
  const auto set = [&](unsigned a, unsigned b, unsigned c, unsigned value) {
    state.place = {static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b), static_cast<std::uint8_t>(c)};
    state.value = static_cast<std::uint8_t>(value);
  };
  switch (coding) {
    case 0: {
      unsigned steps = 0;
      for (long double at = 1; at < odd.number; at = std::nextafter(at, 2.0L)) ++steps;
      set(odd.message.hops, odd.channel.end_of_stream, odd.slot.version, steps);
      break;
    }
    case 1:
      set(static_cast<unsigned>(odd.queues[1].size()), static_cast<unsigned>(odd.known.size()),
          static_cast<unsigned>(odd.phase.index()),
          odd.vote ? static_cast<unsigned>(std::get<1>(*odd.vote)) + 1 : 0);
      break;
    default:
      set(static_cast<unsigned>(std::distance(odd.stack.begin(), odd.stack.end())),
          static_cast<unsigned>(odd.counts[2]), static_cast<unsigned>(odd.names.at("c")),
          static_cast<unsigned>(odd.owners.at(2).second));
  }
  return state;
}

/// A random model whose states are odd.
struct OddModel {
  using State = OddState;

  const RandomModel& plain;
  unsigned coding = 0;

  [[nodiscard]] State initial() const { return encode(RandomModel::initial(), coding); }
  void successors(const State& state, Emit<State> emit) const {
    struct Context {
      Emit<State> emit;
      unsigned coding;
    } context{emit, coding};
    const auto take = [](void* to, const StepInfo& step, const test::State& next) {
      const Context& odd = *static_cast<const Context*>(to);
      odd.emit(step.process, step.action, encode(next, odd.coding));
    };
    plain.successors(decode(state, coding), Emit<test::State>(take, &context));
  }
  [[nodiscard]] bool holds(const State& state) const { return plain.holds(decode(state, coding)); }
};

TEST(SearchesOfModelsWithOddStates, VisitExactlyTheReachableStates) {
  on_random_models([](const RandomModel& model) {
    std::set<State> reachable;
    for (const auto& [state, depth] : facts(model).depth) reachable.insert(state);
    for (unsigned coding = 0; coding < kCodings; ++coding) {
      for (const Store store : {Store::exact, Store::hash, Store::bitstate}) {
        RC_LOG() << "coding " << coding << ", store " << static_cast<int>(store) << "\n";
        std::set<State> seen;
        RandomModel watched = model;
        watched.seen = &seen;
        watched.forbidden = kValues;
        const Report report = check_without_files<Searches::depth_first>(
            "odd", OddModel{watched, coding}, {.strategy = "dfs", .store = store, .bitstate_log2 = 16});
        RC_ASSERT(report.states == reachable.size());
        RC_ASSERT(seen == reachable);
      }
    }
  });
}

TEST(AStateAsText, NamesEveryMember) {
  OddState state = encode({{1, 2, 3}, 1}, 0);
  EXPECT_EQ(state_text(state.message), "{0, 0, 1}");
  EXPECT_EQ(state_text(state.channel), "{[], 2}");
  EXPECT_EQ(state_text(state.slot), "{0, [], 3, false}");
  state = encode({{1, 2, 3}, 1}, 1);
  EXPECT_EQ(state_text(state.queues), "[[], [\"item\"]]");
  EXPECT_EQ(state_text(state.known), "[0, 100]");
  EXPECT_EQ(state_text(state.phase), "false");
  EXPECT_EQ(state_text(state.vote), "{0, 0}");
}

struct Derived : Message {
  int more = 0;
  bool operator==(const Derived&) const = default;
};
class Closed {
 public:
  [[nodiscard]] auto begin() const { return items_.begin(); }
  [[nodiscard]] auto end() const { return items_.end(); }

 private:
  std::vector<int> items_;
};
struct WithRepeatedTypes {
  std::array<std::array<std::vector<int>, 1'000>, 1'000> large;
  int a, b, c, d, e;
};

// A type whose members cannot be reached is refused by the compiler.
static_assert(HasMembers<Message> && HasMembers<Channel> && HasMembers<Slot> && HasMembers<OddState>);
static_assert(HasMembers<WithRepeatedTypes> && detail::member_count<WithRepeatedTypes>() == 6);
static_assert(!HasMembers<Derived> && !HasMembers<Closed>);

/// Its hash is equal for equal states, and for others, too.
struct WeaklyHashed {
  struct State {
    int a = 0;
    int b = 0;
    bool operator==(const State&) const = default;
  };
  [[nodiscard]] static State initial() { return {}; }
  static void successors(const State& state, Emit<State> emit) {
    if (state.a < 20) emit(0, "a", {state.a + 1, state.b});
    if (state.b < 20) emit(1, "b", {state.a, state.b + 1});
  }
  [[nodiscard]] static std::uint64_t hash(const State& state) {
    return static_cast<std::uint64_t>(state.a ^ state.b);
  }
  [[nodiscard]] static bool holds(const State& state) { return state.a != 15 || state.b != 15; }
};

constexpr Searches kOfWeak = Searches::breadth_first | Searches::depth_first;

TEST(AModelWithAHashOfItsOwn, IsSearchedByItsStatesOnly) {
  for (const char* strategy : {"bfs", "icb", "dfs", "bcs"})
    EXPECT_EQ(check_without_files<kOfWeak>("weak", WeaklyHashed{}, {.strategy = strategy}).verdict,
        Verdict::failed);
  try {
    check_without_files<kOfWeak>("weak", WeaklyHashed{}, {.store = Store::hash});
    ADD_FAILURE() << "the store hash was not refused";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("hash() of this model has 64"));
  }
}

TEST(AModelWithAHashOfItsOwn, IsRefusedByBitsIfDifferentStatesHaveOneHash) {
  const Report report = check_without_files<kOfWeak>(
      "weak", WeaklyHashed{}, {.strategy = "dfs", .store = Store::bitstate, .bitstate_log2 = 16});
  EXPECT_EQ(report.verdict, Verdict::nondeterministic);
  EXPECT_THAT(report.explanation, HasSubstr("two states compare different and have the same hash"));
}

}  // namespace

}  // namespace hocket::model::test
