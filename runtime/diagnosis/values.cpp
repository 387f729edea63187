#include "values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdio>
#include <map>
#include <optional>
#include <unordered_map>

#include "../execution/allocations.hpp"
#include "../execution/step.hpp"
#include "../threads/host.hpp"
#include "trace.hpp"
#include "variable_names.hpp"

namespace hocket::runtime {

constinit NameOfTarget name_of_target = nullptr;

namespace {

/// What a recorded execution knows of values.
struct Known {
  std::unordered_map<std::uintptr_t, std::string> kinds;    ///< by address
  std::unordered_map<std::uintptr_t, std::string> targets;  ///< "→ nodes[2]", by address
  std::size_t numbered = 0;                                 ///< of the targets
};

Known& known() {
  static auto* const all = new Known;
  return *all;
}

/// "4 enum idle=0 busy=1" in parts. "8 pointer inside" is one of an object that debug information tells as a
/// whole.
struct Kind {
  std::size_t size = 0;
  std::string_view name;
  std::string_view enumerators;
};

std::optional<Kind> kind_at(std::uintptr_t address) {
  const auto found = known().kinds.find(address);
  if (found == known().kinds.end()) return {};
  Kind kind;
  const std::string_view text = found->second;
  std::from_chars(text.data(), text.data() + text.size(), kind.size);
  kind.name = text.substr(text.find(' ') + 1);
  const std::size_t end = kind.name.find(' ');
  if (end != std::string_view::npos) {
    kind.enumerators = kind.name.substr(end);
    kind.name = kind.name.substr(0, end);
  }
  return kind;
}

std::string enumerator_of(const Kind& kind, std::int64_t number) {
  const std::string sought = "=" + std::to_string(number) + " ";
  const std::string all = std::string(kind.enumerators) + " ";
  const std::size_t end = all.find(sought);
  if (end == std::string::npos) return {};
  const std::size_t begin = all.rfind(' ', end) + 1;
  return all.substr(begin, end - begin);
}

std::int64_t with_sign(std::uint64_t value, std::size_t size) {
  const unsigned unused = 64U - 8U * static_cast<unsigned>(size);
  return static_cast<std::int64_t>(value << unused) >> unused;
}

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 24> text;
  const int size = std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(number));
  return {text.data(), static_cast<std::size_t>(size)};
}

std::string float_text(std::uint64_t value, std::size_t size) {
  std::array<char, 32> text;
  const double number = size == sizeof(float) ? std::bit_cast<float>(static_cast<std::uint32_t>(value))
                                              : std::bit_cast<double>(value);
  const int length = std::snprintf(text.data(), text.size(), "%g", number);
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace

void note_values(std::uintptr_t address, std::string_view kind) {
  const OwnMemory own;
  if (kind.empty()) {
    known().kinds.erase(address);
  } else {
    known().kinds[address] = kind;
  }
}

void forget_values() {
  known() = {};
}

std::string number_text(std::uint64_t number) {
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 24U;
  std::string text = std::to_string(number);
  if (number >= kLarge) text += " (" + hexadecimal(number) + ")";
  return text;
}

std::string number_text(std::int64_t number) {
  return number < 0 ? std::to_string(number) : number_text(static_cast<std::uint64_t>(number));
}

std::string pointer_text(std::uintptr_t pointer) {
  if (pointer == 0) return "null";
  const OwnMemory own;
  std::string& text = known().targets[pointer];
  if (!text.empty()) return text;
  std::string name =
      name_of_target != nullptr ? name_of_target(pointer) : name_of_variable(pointer, Part::largest);
  if (name.empty()) name = "object " + std::to_string(++known().numbered);
  std::string shorter = run.trace() != nullptr ? std::string(run.trace()->in_short(name)) : name;
  const bool is_taken = std::any_of(known().targets.begin(), known().targets.end(),
      [&](const auto& target) { return target.second == "→ " + shorter; });
  return text = "→ " + (is_taken ? name : shorter);
}

std::string enumerator_text(std::int64_t number, const Object* object) {
  const OwnMemory own;
  if (object == nullptr) object = run.current->pending.object;
  if (object != nullptr) {
    const auto address = reinterpret_cast<std::uintptr_t>(object);
    std::optional<Kind> kind = kind_at(address);
    if (!kind) {
      name_in_source(*object);  // notes the kind, too
      kind = kind_at(address);
    }
    const std::string name = kind ? enumerator_of(*kind, number) : std::string{};
    if (!name.empty()) return name;
  }
  return number_text(number);
}

bool is_number_at(std::uintptr_t address) {
  const std::optional<Kind> kind = kind_at(address);
  return kind && !kind->enumerators.ends_with(" inside");
}

std::string text_of_known(std::uintptr_t address, std::uint64_t value, std::size_t size) {
  const OwnMemory own;
  const std::optional<Kind> kind = kind_at(address);
  if (!kind || kind->size != size) return {};
  if (kind->name == "bool") return value == 0 ? "false" : value == 1 ? "true" : std::string{};
  if (kind->name == "pointer") return pointer_text(value);
  if (kind->name == "float" && (size == sizeof(float) || size == sizeof(double)))
    return float_text(value, size);
  if (kind->name == "signed") return number_text(with_sign(value, size));
  if (kind->name == "unsigned") return number_text(value);
  if (kind->name != "enum") return {};
  std::string name = enumerator_of(*kind, with_sign(value, size));
  return name.empty() ? enumerator_of(*kind, static_cast<std::int64_t>(value)) : name;
}

}  // namespace hocket::runtime
