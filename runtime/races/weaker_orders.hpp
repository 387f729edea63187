// Which operations asked for a weaker memory order than seq_cst. They are explored as seq_cst anyway, so a
// search that passes must report them.
//
// Every execution notes those that no earlier one has noted. For that the hot path compares one word, a hash
// of the place of the call and of what it asks for; only operations weaker than seq_cst pay for this. A place
// in the standard library serves many callers, which that word cannot distinguish. So one execution of a
// search walks the stack at each such operation (ExecutionOptions::notes_callers). Callers of library code
// that only other executions reach may be missed, and the list says so.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../terms/operation.hpp"
#include "../terms/where.hpp"

namespace hocket::runtime {

struct Object;

/// "acquire"
std::string_view order_name(std::memory_order order);

/// What a call of an atomic operation or a fence asks for.
struct AskedOrder {
  Operation operation;  ///< none: a fence
  std::memory_order order;
  std::memory_order on_failure;  ///< of a failing compare-exchange; otherwise equal to `order`

  /// Packed into one word, which is not 0 and has a free lower half. One line may use an atomic of which
  /// older values are kept and another of which they are not, so that belongs to the word as well.
  static constexpr std::uint64_t packed(
      Operation operation, std::memory_order order, std::memory_order on_failure, bool keeps_newest_only) {
    return std::uint64_t{keeps_newest_only} << 57U | std::uint64_t{1} << 56U |
           static_cast<std::uint64_t>(operation) << 48U | static_cast<std::uint64_t>(order) << 40U |
           static_cast<std::uint64_t>(on_failure) << 32U;
  }
  static constexpr AskedOrder unpacked(std::uint64_t word) {
    const auto byte = [word](unsigned bit) { return static_cast<std::uint8_t>(word >> bit); };
    return {static_cast<Operation>(byte(48)), static_cast<std::memory_order>(byte(40)),
        static_cast<std::memory_order>(byte(32))};
  }
};

/// A weaker operation, described for a reader.
struct WeakerOperation {
  std::string operation;  ///< "flag.load"; "atomic.load" where the atomic has no name; "fence"
  std::string where;      ///< the line of the user's code, "file.cpp:12", or empty
  std::string order;      ///< "acquire", "acq_rel, relaxed on failure"

  bool operator==(const WeakerOperation&) const = default;
};

struct WeakerOperations {
  std::vector<WeakerOperation> list;  ///< in the order of first occurrence, each once
  bool may_be_more = false;  ///< the standard library asks for some, and some of its callers may be unknown
};

class WeakerOrders {
 public:
  /// Forgets everything. Called at the beginning of a search.
  void clear();

  /// `key` identifies what the call asks for and its place, as far as the place is known without a stack
  /// walk. If `where` is no place, `code` gives it: the return address.
  void note(const AskedOrder& asked, std::uint64_t key, Where where, const void* code, const Object* object);

  /// While an execution notes callers: the name that the body gives an object, or memory of its own.
  void name(const Object& object, std::string_view name);
  void name_memory(const void* memory, std::string_view name);
  /// Called when that execution has ended: the objects of the next one have other names, or none.
  void forget_names() { names_.clear(); }

  /// Those that were explored as seq_cst: if older values were kept, only those of atomics of which they
  /// could not be. Slow, because it translates addresses. To be called on the OS thread of the search.
  [[nodiscard]] WeakerOperations in_words(bool keeps_stores) const;

 private:
  struct Noted {
    AskedOrder asked;
    Where where;
    const void* code;
    std::vector<std::uintptr_t> stack;  ///< empty if `where` is in the user's code
    std::uintptr_t memory;  ///< the address of the program's memory that the object stands for, or 0
    std::string name;       ///< the name that the body has given it, or empty
    bool can_keep_stores;   ///< the atomic; true for a fence
  };

  [[nodiscard]] std::string name_given_to(const Object& object, std::uintptr_t memory) const;

  std::vector<Noted> noted_;
  std::unordered_map<std::uint64_t, std::size_t> by_call_;  ///< by key and stack
  std::unordered_map<std::uint64_t, std::string> names_;    ///< by an object's key, or by address
  bool is_full_ = false;
};

}  // namespace hocket::runtime
