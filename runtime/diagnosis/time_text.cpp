#include "time_text.hpp"

#include <array>
#include <string_view>

namespace hocket::runtime {

std::string time_text(std::int64_t nanoseconds) {
  struct Unit {
    std::int64_t nanoseconds;
    std::string_view name;
  };
  constexpr std::array<Unit, 4> kUnits{
      {{1'000'000'000, " s"}, {1'000'000, " ms"}, {1'000, " µs"}, {1, " ns"}}};
  const bool is_negative = nanoseconds < 0;
  const auto size = is_negative ? std::uint64_t{0} - static_cast<std::uint64_t>(nanoseconds)
                                : static_cast<std::uint64_t>(nanoseconds);
  if (size == 0) return "0 s";
  const Unit* unit = kUnits.begin();
  while (size < static_cast<std::uint64_t>(unit->nanoseconds)) ++unit;
  const auto whole = static_cast<std::uint64_t>(unit->nanoseconds);
  std::string text = (is_negative ? "-" : "") + std::to_string(size / whole);
  if (std::uint64_t rest = size % whole; rest != 0) {
    // The digits after the point, of which there are as many as the unit has zeros.
    std::string digits = std::to_string(whole + rest).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    text.append(".").append(digits);
  }
  return text.append(unit->name);
}

}  // namespace hocket::runtime
