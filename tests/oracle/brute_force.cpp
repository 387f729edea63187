#include "tests/oracle/brute_force.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tests/oracle/every_value.hpp"

namespace hocket::oracle {

namespace {

/// The numbers of schedules by price.
using Counts = std::vector<std::uint64_t>;

void add(Counts& to, const Counts& from, unsigned price) {
  if (to.size() < from.size() + price) to.resize(from.size() + price);
  for (std::size_t c = 0; c < from.size(); ++c) {
    std::uint64_t& sum = to[c + price];
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - sum;
    sum += from[c] < room ? from[c] : room;
  }
}

unsigned least_price(const Counts& counts) {
  unsigned price = 0;
  while (counts[price] == 0) ++price;
  return price;
}

struct BytesHash {
  std::size_t operator()(const Class& actions) const {
    return std::hash<std::string_view>()(
        {reinterpret_cast<const char*>(actions.data()), actions.size() * sizeof(actions[0])});
  }
};

struct Node {
  State state;
  std::map<Last, Counts> ways;
};
using Layer = std::unordered_map<Class, Node, BytesHash>;

class Enumeration {
 public:
  Enumeration(const Program& program, std::size_t most_states)
      : machine_(program), is_fair_(program.is_fair), most_states_(most_states) {}

  Answer run() {
    Layer layer;
    EveryValue values;
    do {
      const State state = machine_.begin(values);
      add(ways_to(layer, state, {}), {1}, values.price());
    } while (values.next());
    while (!layer.empty() && !answer_.is_incomplete) {
      Layer following;
      for (auto& [identity, node] : layer) expand(node, following);
      layer = std::move(following);
    }
    return std::move(answer_);
  }

 private:
  void expand(const Node& node, Layer& following) {
    if (++answer_.states > most_states_) {
      answer_.is_incomplete = true;
      return;
    }
    // Prices depend on which thread made the last step. So does the set of candidates if that thread must not
    // be preempted.
    std::map<Turn, Counts> turns;  ///< with the numbers of schedules that end in each turn
    for (const auto& [last, counts] : node.ways) {
      for (const auto& [turn, price] : machine_.candidates(node.state, last)) {
        add(turns[turn], counts, price);
      }
    }
    if (turns.empty()) conclude(node);  // no thread can run, whichever made the last step
    for (const auto& [turn, counts] : turns) {
      EveryValue values;
      do {
        State state = node.state;
        const Last last = machine_.step(state, turn, values);
        add(ways_to(following, state, last), counts, values.price());
      } while (values.next());
    }
  }

  /// The data that distinguish states: the actions and, with fairness, the threads to which a thread owes a
  /// turn, which depend on the order of independent actions.
  [[nodiscard]] Class identity(const State& state) const {
    Class words = state.class_so_far();
    if (!is_fair_) return words;
    for (const Debt& debt : state.debts) {
      words.push_back(std::uint64_t{debt.always_enabled} | std::uint64_t{debt.stopped} << 8U |
                      std::uint64_t{debt.has_run} << 16U | std::uint64_t{debt.owed_to} << 24U);
    }
    words.push_back(state.gave_way);
    return words;
  }

  Counts& ways_to(Layer& layer, const State& state, Last last) const {
    const auto [place, is_new] = layer.try_emplace(identity(state));
    if (is_new) {
      place->second.state = state;
    } else if (!place->second.state.is_like(state)) {
      throw std::logic_error("two ways that belong to one class lead to different states");
    }
    return place->second.ways[last];
  }

  void conclude(const Node& node) {
    unsigned bound = std::numeric_limits<unsigned>::max();
    for (const auto& [last, counts] : node.ways) {
      bound = std::min(bound, least_price(counts));
      add(answer_.executions, counts, 0);
    }
    switch (node.state.cut) {
      case Cut::none: {
        Classes& classes = Machine::all_have_ended(node.state) ? answer_.complete : answer_.deadlocked;
        unsigned& least = classes.emplace(node.state.class_so_far(), bound).first->second;
        least = std::min(least, bound);
        break;
      }
      case Cut::failed: {
        unsigned& least = answer_.failed.emplace(node.state.failed, bound).first->second;
        least = std::min(least, bound);
        break;
      }
      case Cut::dropped:
      case Cut::raced:  // does not occur here: the brute force does not look for data races
        break;
    }
  }

  Machine machine_;
  bool is_fair_;
  std::size_t most_states_;
  Answer answer_;
};

}  // namespace

std::vector<std::uint64_t> Answer::cumulative(const Classes& classes) {
  std::vector<std::uint64_t> numbers;
  for (const auto& [actions, bound] : classes) {
    if (bound >= numbers.size()) numbers.resize(bound + 1);
    ++numbers[bound];
  }
  for (std::size_t c = 1; c < numbers.size(); ++c) numbers[c] += numbers[c - 1];
  return numbers;
}

Answer enumerate(const Program& program, std::size_t most_states) {
  return Enumeration(program, most_states).run();
}

}  // namespace hocket::oracle
