// The fields that objects of a schedule file have, and those of one object as they are read. A field with an
// unknown name, a repeated field, or a value of the wrong kind or out of range is refused with a message of
// one sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "schedule.hpp"

namespace hocket {

/// Advice to the user about a file that is refused.
inline constexpr std::string_view kGetAnother = "get another copy of it, or run the search again";
inline constexpr std::string_view kUndo = "undo what was changed in the file, or get another copy of it";

/// `text` from a file in the form for messages: short, in quotes, without control characters.
std::string in_quotes(std::string_view text);

/// What a field holds.
enum class Holds : std::uint8_t {
  text,
  number,
  flag,
  texts,   ///< an array of them
  codes,   ///< an array of numbers of choices
  entries  ///< an array of objects
};

/// A field that objects of one kind have. The reader and the writer know it from here.
struct FieldInfo {
  std::string_view name;
  Holds holds = Holds::text;
  unsigned format = Schedule::kFormat;  ///< the first one that has it
};

/// Those of the file itself, those of the rules among them.
std::span<const FieldInfo> header_fields();
/// Those of the objects in its arrays.
std::span<const FieldInfo> thread_fields();
std::span<const FieldInfo> step_fields();
std::span<const FieldInfo> stack_fields();
std::span<const FieldInfo> state_fields();
std::span<const FieldInfo> transition_fields();

/// Every error names the file, and the place given to clear(), unless that is empty.
class Fields {
 public:
  using Strings = std::vector<std::string>;
  struct Array {};  ///< an array that has been read elsewhere already
  using Value =
      std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Strings, Array>;

  /// "a number", "text", …
  static std::string_view kind_of(const Value& value);

  /// `what` the object is, in errors. `known`: the fields that may occur.
  Fields(const std::string& file, std::string_view what, std::span<const FieldInfo> known)
      : file_(file), what_(what), known_(known.begin(), known.end()) {}

  /// Fields that came with this format may not occur after all.
  void has_none_of(unsigned format) {
    std::erase_if(known_, [&](const FieldInfo& field) { return field.format == format; });
  }

  void clear(std::string place) {
    fields_.clear();
    place_ = std::move(place);
  }

  [[noreturn]] void refuse(const std::string& problem, std::string_view remedy = kUndo) const;
  [[noreturn]] void refuse_kind(std::string_view name, std::string_view wanted, std::string_view found) const;
  /// The value of the field that began last is something else than it holds.
  [[noreturn]] void refuse_kind(std::string_view found) const;

  /// Begins a field. Its value comes next.
  void begin(const std::string& name);
  /// The name of the field that began last. The next four functions are about its value.
  [[nodiscard]] const std::string& current() const { return fields_.back().first; }
  [[nodiscard]] Holds holds() const { return holds_; }
  void set(Value value) { fields_.back().second = std::move(value); }
  Strings& set_strings() { return fields_.back().second.emplace<Strings>(); }
  Strings& strings() { return std::get<Strings>(fields_.back().second); }

  [[nodiscard]] bool is_empty() const { return fields_.empty(); }
  [[nodiscard]] std::size_t count() const { return fields_.size(); }
  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }

  [[nodiscard]] std::uint64_t number(std::string_view name, std::uint64_t least, std::uint64_t most) const;
  [[nodiscard]] std::uint64_t number_or(
      std::string_view name, std::uint64_t least, std::uint64_t most, std::uint64_t otherwise) const {
    return has(name) ? number(name, least, most) : otherwise;
  }
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] std::string text_or_empty(std::string_view name) const {
    return has(name) ? text(name) : std::string{};
  }
  [[nodiscard]] Strings strings_or_empty(std::string_view name) const;
  void require(std::string_view name) const { static_cast<void>(get(name)); }
  void require_array(std::string_view name) const;

 private:
  [[noreturn]] void refuse_number(
      std::string_view name, std::uint64_t least, std::uint64_t most, const std::string& found) const;

  [[nodiscard]] const Value* find(std::string_view name) const;
  [[nodiscard]] const Value& get(std::string_view name) const;

  const std::string& file_;
  std::string place_;
  std::string_view what_;
  std::vector<FieldInfo> known_;
  Holds holds_ = Holds::text;
  std::vector<std::pair<std::string, Value>> fields_;
};

}  // namespace hocket
