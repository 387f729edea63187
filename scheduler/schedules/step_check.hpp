// A saved step is tamper-evident: it has a checksum over itself and all steps before it.
//
// If a choice in a file was changed, the new choice may still be possible, and a replay would follow it
// without noticing the change. With a checksum on each line, the first line that was changed is reported.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "../../runtime/diagnosis/recorded_steps.hpp"
#include "../../runtime/terms/action_hash.hpp"
#include "../../runtime/terms/utf8.hpp"

namespace hocket {

/// The end of a chain as six hexadecimal digits.
inline std::string check_digits(std::uint64_t chain) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string check;
  for (unsigned shift = 40; check.size() < 6; shift += 4) check += kDigits[chain >> shift & 15U];
  return check;
}

/// The checksum of `choice` as six hexadecimal digits. `chain` is 0 before the first step and is updated by
/// each call.
inline std::string step_check(
    std::uint64_t& chain, const runtime::RecordedChoice& choice, std::string_view thread) {
  const auto add_text = [&chain](std::string_view text) {
    const std::string valid = utf8::valid(text);
    chain = runtime::mix(chain, valid.size());
    for (const char c : valid) chain = runtime::mix(chain, static_cast<unsigned char>(c));
  };
  add_text(thread);
  chain =
      runtime::mix(chain, static_cast<std::uint64_t>(choice.operation) << 8U |
                              static_cast<std::uint64_t>(choice.mode) << 1U | (choice.is_value ? 1U : 0U));
  chain = runtime::mix(chain, std::uint64_t{choice.code} << 32U | choice.count);
  chain = runtime::mix(chain, choice.price);
  add_text(choice.object);
  if (!choice.lock.empty()) add_text(choice.lock);
  add_text(choice.where);
  for (const std::string& note : choice.notes) add_text(note);
  chain = runtime::mix(chain, choice.notes.size());
  return check_digits(chain);
}

}  // namespace hocket
