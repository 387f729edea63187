#include "expressions.hpp"

#include <cstddef>
#include <vector>

#include <dwarf.h>

namespace hocket::debug_info {

namespace {

/// The stack machine of DWARF, without the operations that compilers do not use for memory.
class Machine {
 public:
  Machine(const Surroundings& around, Dwarf_Attribute* attribute) : around_(around), attribute_(attribute) {}

  std::optional<Located> run(const Dwarf_Op* operations, std::size_t count) {
    for (std::size_t n = 0; n < count; ++n) {
      const Dwarf_Op& operation = operations[n];
      if (operation.atom == DW_OP_stack_value) return result(false);
      const bool is_register = operation.atom >= DW_OP_reg0 && operation.atom <= DW_OP_reg31;
      if (is_register) {
        if (count != 1 || !push_register(operation.atom - DW_OP_reg0, 0)) return {};
        return result(false);
      }
      if (!step(operation)) return {};
    }
    return result(true);
  }

 private:
  bool push(std::optional<std::uint64_t> value) {
    if (value) stack_.push_back(*value);
    return value.has_value();
  }
  bool push_register(std::uint64_t number, std::uint64_t offset) {
    if (around_.registers == nullptr || number >= around_.registers->size()) return false;
    const std::optional<std::uint64_t> value = (*around_.registers)[number];
    return value && push(*value + offset);
  }
  std::optional<std::uint64_t> pop() {
    if (stack_.empty()) return {};
    const std::uint64_t top = stack_.back();
    stack_.pop_back();
    return top;
  }
  template <class Of>
  bool combine(Of&& of) {
    const std::optional<std::uint64_t> right = pop();
    const std::optional<std::uint64_t> left = pop();
    return left && right && push(of(*left, *right));
  }
  bool push_indexed(const Dwarf_Op& operation) {
    Dwarf_Attribute found;
    Dwarf_Addr address = 0;
    if (attribute_ == nullptr || dwarf_getlocation_attr(attribute_, &operation, &found) != 0 ||
        dwarf_formaddr(&found, &address) != 0)
      return false;
    return push(address + around_.bias);
  }
  bool dereference(std::size_t size) {
    const std::optional<std::uint64_t> address = pop();
    if (!address || around_.read == nullptr || size == 0 || size > sizeof(std::uint64_t)) return false;
    const std::optional<std::uint64_t> word = (*around_.read)(*address);
    return word && push(*word & ~std::uint64_t{0} >> (64 - 8 * size));
  }

  bool step(const Dwarf_Op& operation) {
    using Number = std::uint64_t;
    const unsigned atom = operation.atom;
    if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) return push(atom - DW_OP_lit0);
    if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
      return push_register(atom - DW_OP_breg0, operation.number);
    switch (atom) {
      case DW_OP_addr:
        return push(operation.number + around_.bias);
      case DW_OP_addrx:
      case DW_OP_GNU_addr_index:
        return push_indexed(operation);
      case DW_OP_const1u:
      case DW_OP_const1s:
      case DW_OP_const2u:
      case DW_OP_const2s:
      case DW_OP_const4u:
      case DW_OP_const4s:
      case DW_OP_const8u:
      case DW_OP_const8s:
      case DW_OP_constu:
      case DW_OP_consts:
        return push(operation.number);
      case DW_OP_bregx:
        return push_register(operation.number, operation.number2);
      case DW_OP_fbreg:
        return around_.frame_base && push(*around_.frame_base + operation.number);
      case DW_OP_call_frame_cfa:
        return push(around_.cfa);
      case DW_OP_plus_uconst: {
        const std::optional<Number> top = pop();
        return top && push(*top + operation.number);
      }
      case DW_OP_deref:
        return dereference(sizeof(Number));
      case DW_OP_deref_size:
        return dereference(operation.number);
      case DW_OP_dup:
        return !stack_.empty() && push(stack_.back());
      case DW_OP_drop:
        return pop().has_value();
      case DW_OP_plus:
        return combine([](Number a, Number b) { return a + b; });
      case DW_OP_minus:
        return combine([](Number a, Number b) { return a - b; });
      case DW_OP_mul:
        return combine([](Number a, Number b) { return a * b; });
      case DW_OP_and:
        return combine([](Number a, Number b) { return a & b; });
      case DW_OP_or:
        return combine([](Number a, Number b) { return a | b; });
      case DW_OP_shl:
        return combine([](Number a, Number b) { return b < 64 ? a << b : 0; });
      case DW_OP_shr:
        return combine([](Number a, Number b) { return b < 64 ? a >> b : 0; });
      // In the unwinding information of procedure linkage tables.
      case DW_OP_ge:
        return combine([](Number a, Number b) -> Number {
          return static_cast<std::int64_t>(a) >= static_cast<std::int64_t>(b) ? 1 : 0;
        });
      case DW_OP_nop:
        return true;
      default:
        return false;
    }
  }

  [[nodiscard]] std::optional<Located> result(bool is_address) const {
    if (stack_.empty()) return {};
    return Located{is_address, stack_.back()};
  }

  const Surroundings& around_;
  Dwarf_Attribute* attribute_;
  std::vector<std::uint64_t> stack_;
};

}  // namespace

std::optional<Located> evaluate(
    const Dwarf_Op* operations, std::size_t count, const Surroundings& around, Dwarf_Attribute* attribute) {
  return Machine(around, attribute).run(operations, count);
}

}  // namespace hocket::debug_info
