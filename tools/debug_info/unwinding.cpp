#include "unwinding.hpp"

#include <array>
#include <cstdlib>

namespace hocket::debug_info {

namespace {

/// How to unwind at an address, from the file's own unwinding tables or those for debuggers.
Dwarf_Frame* rules_at(Dwfl_Module* module, std::uint64_t address, std::uint64_t& bias) {
  Dwarf_Frame* rules = nullptr;
  Dwarf_CFI* table = dwfl_module_eh_cfi(module, &bias);
  if (table != nullptr && dwarf_cfi_addrframe(table, address - bias, &rules) == 0) return rules;
  table = dwfl_module_dwarf_cfi(module, &bias);
  if (table != nullptr && dwarf_cfi_addrframe(table, address - bias, &rules) == 0) return rules;
  return nullptr;
}

std::optional<std::uint64_t> saved(Dwarf_Frame* rules, unsigned number, const Surroundings& around) {
  std::array<Dwarf_Op, 3> room{};
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_frame_register(rules, static_cast<int>(number), room.data(), &operations, &count) != 0) return {};
  if (count == 0) {
    // Undefined: what the callee must preserve it has not touched.
    if (operations != nullptr && number == kCode) return {};
    return (*around.registers)[number];
  }
  const std::optional<Located> at = evaluate(operations, count, around, nullptr);
  if (!at) return {};
  return at->is_address ? (*around.read)(at->value) : at->value;
}

}  // namespace

void unwind(ProcessFiles& files, const ReadWord& read, Registers registers,
    const std::function<bool(const StackFrame&)>& visit) {
  constexpr int kMostFrames = 256;
  for (int n = 0; n < kMostFrames; ++n) {
    if (!registers[kCode] || *registers[kCode] == 0 || !registers[kSp]) return;
    // A return address may be behind the function.
    const std::uint64_t code = *registers[kCode] - (n == 0 ? 0 : 1);
    Dwfl_Module* const module = files.module_at(code);
    if (module == nullptr) return;
    std::uint64_t bias = 0;
    Dwarf_Frame* const rules = rules_at(module, code, bias);
    if (rules == nullptr) return;
    Surroundings around{&registers, {}, {}, bias, &read};
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    std::optional<Located> cfa;
    if (dwarf_frame_cfa(rules, &operations, &count) == 0) cfa = evaluate(operations, count, around, nullptr);
    if (!cfa || cfa->value <= *registers[kSp]) {
      std::free(rules);  // NOLINT: libdw allocates it so
      return;
    }
    if (!visit(StackFrame{code, cfa->value, registers})) {
      std::free(rules);  // NOLINT
      return;
    }
    around.cfa = cfa->value;
    Registers outer;
    for (const unsigned number : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 12U, 13U, 14U, 15U, 16U})
      outer[number] = saved(rules, number, around);
    outer[kSp] = cfa->value;
    std::free(rules);  // NOLINT
    registers = outer;
  }
}

}  // namespace hocket::debug_info
