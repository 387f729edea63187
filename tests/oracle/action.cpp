// The encoding of actions as words, and their description as text.
#include <stdexcept>

#include "tests/oracle/machine.hpp"

namespace hocket::oracle {

namespace {

// The fields from the right: verb, outcome, and then for each touch its presence, object, access and version.
constexpr unsigned kOutcomeAt = 7;
constexpr unsigned kTouchesAt = 16;
constexpr unsigned kTouchBits = 16;
constexpr std::uint64_t kMostVersions = 1U << 8U;

}  // namespace

void Action::touch(unsigned object, bool write, unsigned version) {
  if (touches_ == 3 || object > kClock || version >= kMostVersions) {
    throw std::logic_error("an action does not fit into its word");
  }
  const std::uint64_t touch =
      std::uint64_t{1} << 15U | std::uint64_t{object} << 9U | std::uint64_t{write ? 1U : 0U} << 8U | version;
  word_ |= touch << (kTouchesAt + kTouchBits * touches_++);
}

void Action::come_out(unsigned outcome) {
  if (outcome >= 1U << (kTouchesAt - kOutcomeAt))
    throw std::logic_error("an outcome does not fit into its word");
  word_ |= std::uint64_t{outcome} << kOutcomeAt;
}

std::string Action::to_text() const {
  std::string text(to_string(verb()));
  if (const auto outcome = word_ >> kOutcomeAt & 0x1ffU; outcome != 0) text += "=" + std::to_string(outcome);
  for (unsigned n = 0; n < 3; ++n) {
    const std::uint64_t touch = word_ >> (kTouchesAt + kTouchBits * n) & 0xffffU;
    if (touch == 0) break;
    const auto object = touch >> 9U & 0x3fU;
    text += (touch >> 8U & 1U) != 0 ? " W" : " R";
    text += object == kClock ? std::string("clock") : std::to_string(object);
    text += "." + std::to_string(touch & 0xffU);
  }
  return text;
}

Class State::class_so_far() const {
  Class result;
  result.reserve(std::size_t{kMostThreads} * 8);
  for (unsigned t = 0; t < kMostThreads; ++t) {
    result.push_back(threads[t].actions);
    result.insert(result.end(), actions[t].begin(), actions[t].begin() + threads[t].actions);
  }
  return result;
}

std::string to_text(const Class& actions) {
  std::string text;
  unsigned thread = 0;
  for (std::size_t at = 0; at < actions.size(); ++thread) {
    const std::uint64_t count = actions[at++];
    if (count == 0) continue;
    text += "    thread " + std::to_string(thread) + ":";
    for (std::uint64_t n = 0; n < count; ++n) text += (n == 0 ? " " : "; ") + Action(actions[at++]).to_text();
    text += "\n";
  }
  return text;
}

}  // namespace hocket::oracle
