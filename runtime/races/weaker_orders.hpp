// Which operations asked for a weaker memory order than seq_cst. They are explored as seq_cst all the same,
// so a search that passes has to say which they are.
//
// Every execution notes those that no earlier one has noted. For that the hot path compares one word, a hash
// of the place that the call comes from, and of what it asks for; only an operation that is weaker at all
// takes that way. A place in the standard library serves many callers, which that word cannot tell apart. So
// one execution of a search is run to look closely (ExecutionOptions::notes_callers): it walks the stack at
// each such operation. Callers of library code that only other executions come to may be missed, and the list
// says so.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "../terms/operation.hpp"
#include "../terms/where.hpp"

namespace hocket::runtime {

struct Object;

/// What a call of an atomic operation or of a fence asks for.
struct AskedOrder {
  Operation operation;  ///< none: a fence
  std::memory_order order;
  std::memory_order on_failure;  ///< of a compare-exchange that fails, else as `order`

  /// As one word, which is not 0 and leaves the lower half free.
  static constexpr std::uint64_t packed(
      Operation operation, std::memory_order order, std::memory_order on_failure) {
    return std::uint64_t{1} << 56U | static_cast<std::uint64_t>(operation) << 48U |
           static_cast<std::uint64_t>(order) << 40U | static_cast<std::uint64_t>(on_failure) << 32U;
  }
  static constexpr AskedOrder unpacked(std::uint64_t word) {
    const auto byte = [word](unsigned bit) { return static_cast<std::uint8_t>(word >> bit); };
    return {static_cast<Operation>(byte(48)), static_cast<std::memory_order>(byte(40)),
        static_cast<std::memory_order>(byte(32))};
  }
};

/// One that is weaker, for a reader.
struct WeakerOperation {
  std::string operation;  ///< "flag.load"; "atomic.load" where the atomic has no name; "fence"
  std::string where;      ///< the line of the user's code, "file.cpp:12", or empty
  std::string order;      ///< "acquire", "acq_rel, relaxed on failure"

  bool operator==(const WeakerOperation&) const = default;
};

struct WeakerOperations {
  std::vector<WeakerOperation> list;  ///< in the order in which they were first met, each once
  bool may_be_more = false;  ///< the standard library asks for some, and not all who call it may be known
};

class WeakerOrders {
 public:
  /// Forgets all; at the beginning of a search.
  void clear();

  /// `key` tells the place of the call, as far as it is known without a look at the stack, and what it asks
  /// for. `code` is that place where `where` is none: the address to which the call returns.
  void note(const AskedOrder& asked, std::uint64_t key, Where where, const void* code, const Object* object);

  /// While an execution looks closely: the name that the body gives an object, or memory of its own.
  void name(const Object& object, std::string_view name);
  void name_memory(const void* memory, std::string_view name);
  /// When it is over: objects of the next one have other names, or none.
  void forget_names() { names_.clear(); }

  /// Slow: has addresses translated. On the OS thread of the search.
  [[nodiscard]] WeakerOperations in_words() const;

 private:
  struct Noted {
    AskedOrder asked;
    Where where;
    const void* code;
    std::vector<std::uintptr_t> stack;  ///< empty where `where` is in the user's code
    std::uintptr_t memory;              ///< of the object, if it stands for memory of the program, or 0
    std::string name;                   ///< that the body has given it, or empty
  };

  [[nodiscard]] std::string name_given_to(const Object& object, std::uintptr_t memory) const;

  std::vector<Noted> noted_;
  std::unordered_map<std::uint64_t, std::size_t> by_call_;  ///< by key and stack
  std::unordered_map<std::uint64_t, std::string> names_;    ///< by an object's key, or by address
  bool is_full_ = false;
};

}  // namespace hocket::runtime
