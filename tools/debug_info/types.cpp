#include "types.hpp"

#include <string_view>
#include <vector>

#include <dwarf.h>

#include "functions.hpp"

namespace hocket::debug_info {

namespace {

constexpr int kDeepest = 64;  ///< levels of a type, in case a file is damaged

bool is_class(int tag) {
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/// Names that begin with an underscore and another or a capital letter belong to the implementation.
bool is_reserved(std::string_view name) {
  return name.size() > 1 && name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

std::optional<std::uint64_t> number_at(Dwarf_Die& die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word number = 0;
  if (dwarf_attr_integrate(&die, attribute, &found) == nullptr || dwarf_formudata(&found, &number) != 0)
    return {};
  return number;
}

bool has_data(Dwarf_Die& type) {
  Dwarf_Die child;
  for (bool more = dwarf_child(&type, &child) == 0; more; more = dwarf_siblingof(&child, &child) == 0) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_member && dwarf_hasattr(&child, DW_AT_external) == 0) return true;
    if (tag != DW_TAG_inheritance) continue;
    std::optional<Dwarf_Die> base = type_of(child);
    if (base) base = stripped(*base);
    if (base && has_data(*base)) return true;
  }
  return false;
}

/// Whether it is a class of that name, or a template's, in namespace hocket.
bool is_hockets(Dwarf_Die& type, std::string_view which) {
  const char* const name = dwarf_diename(&type);
  return name != nullptr && std::string_view(name).starts_with(which) &&
         full_name(type).starts_with("hocket::" + std::string(which));
}

struct Part {
  Dwarf_Die type;
  std::uint64_t offset;
  std::string step;
  bool is_inside = false;  ///< it is no variable that a person has written
};

bool is_closure(Dwarf_Die& type);

/// The place and the name of a member or base class; nothing for what takes no room of its own.
std::optional<Member> as_member(Dwarf_Die& child, bool is_of_closure) {
  const int tag = dwarf_tag(&child);
  if (tag != DW_TAG_member && tag != DW_TAG_inheritance) return {};
  if (dwarf_hasattr(&child, DW_AT_external) != 0 || dwarf_hasattr(&child, DW_AT_const_value) != 0)
    return {};  // a static member
  const std::optional<Dwarf_Die> type = type_of(child);
  if (!type) return {};
  Member member{*type, number_at(child, DW_AT_data_member_location).value_or(0), {}, false};
  if (const auto bit = number_at(child, DW_AT_data_bit_offset)) member.offset = *bit / 8;
  if (tag == DW_TAG_inheritance) {  // an empty class shares its place with what comes behind it
    std::optional<Dwarf_Die> base = stripped(*type);
    if (base && !has_data(*base)) return {};
    return member;
  }
  const char* const name = dwarf_diename(&child);
  if (name == nullptr) return member;
  std::string_view text = name;
  if (is_of_closure && text.starts_with("__")) text.remove_prefix(2);  // GCC's names of captures
  member.is_reserved = is_reserved(text);
  if (!member.is_reserved) member.step = "." + std::string(text);
  return member;
}

/// The member or base class that contains the byte.
std::optional<Part> member_at(Dwarf_Die& type, std::uint64_t offset, std::uint64_t size) {
  const bool is_of_closure = is_closure(type);
  std::optional<Part> found;
  Dwarf_Die child;
  for (bool more = dwarf_child(&type, &child) == 0; more; more = dwarf_siblingof(&child, &child) == 0) {
    const std::optional<Member> member = as_member(child, is_of_closure);
    if (!member) continue;
    std::uint64_t bytes = size_of(member->type).value_or(0);
    if (const auto bits = number_at(child, DW_AT_bit_size)) bytes = (*bits + 7) / 8;
    if (offset < member->offset || offset >= member->offset + bytes) continue;
    const char* const name = dwarf_diename(&child);
    const bool is_of_array = name != nullptr && std::string_view(name) == "_M_elems";  // of std::array
    const bool is_inside =
        (member->is_reserved && !is_of_array) || number_at(child, DW_AT_bit_size).has_value();
    Part part{member->type, offset - member->offset, member->step, is_inside};
    // Of the members of a union that which has the size of the access.
    if (!found || (size != 0 && bytes == size)) found = std::move(part);
    if (size == 0 || bytes == size) return found;
  }
  return found;
}

/// The lengths of an array's dimensions.
std::vector<std::uint64_t> lengths_of(Dwarf_Die& array) {
  std::vector<std::uint64_t> lengths;
  Dwarf_Die child;
  for (bool more = dwarf_child(&array, &child) == 0; more; more = dwarf_siblingof(&child, &child) == 0) {
    if (dwarf_tag(&child) != DW_TAG_subrange_type) continue;
    if (const auto count = number_at(child, DW_AT_count)) {
      lengths.push_back(*count);
    } else if (const auto last = number_at(child, DW_AT_upper_bound)) {
      lengths.push_back(*last + 1);
    } else {
      lengths.push_back(1);
    }
  }
  return lengths;
}

std::optional<Part> element_at(Dwarf_Die& array, std::uint64_t offset) {
  const std::optional<Dwarf_Die> element = type_of(array);
  if (!element) return {};
  const std::uint64_t bytes = size_of(*element).value_or(0);
  if (bytes == 0) return {};
  std::uint64_t index = offset / bytes;
  const std::vector<std::uint64_t> lengths = lengths_of(array);
  std::string step;
  for (std::size_t n = lengths.size(); n > 1; --n) {
    if (lengths[n - 1] == 0) return {};
    step.insert(0, "[" + std::to_string(index % lengths[n - 1]) + "]");
    index /= lengths[n - 1];
  }
  step.insert(0, "[" + std::to_string(index) + "]");
  return Part{*element, offset % bytes, std::move(step)};
}

/// Whether the type is that of a lambda: it has a function, and a name that no program can give or none.
bool is_closure(Dwarf_Die& type) {
  const char* const name = dwarf_diename(&type);
  if (name != nullptr) return std::string_view(name).find("<lambda") != std::string_view::npos;
  Dwarf_Die child;
  for (bool more = dwarf_child(&type, &child) == 0; more; more = dwarf_siblingof(&child, &child) == 0)
    if (dwarf_tag(&child) == DW_TAG_subprogram) return true;
  return false;
}

}  // namespace

std::optional<Dwarf_Die> type_of(Dwarf_Die& die) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (dwarf_attr_integrate(&die, DW_AT_type, &attribute) == nullptr ||
      dwarf_formref_die(&attribute, &type) == nullptr)
    return {};
  return type;
}

std::optional<Dwarf_Die> stripped(Dwarf_Die type) {
  for (int n = 0; n < kDeepest; ++n) {
    switch (dwarf_tag(&type)) {
      case DW_TAG_typedef:
      case DW_TAG_const_type:
      case DW_TAG_volatile_type:
      case DW_TAG_atomic_type:
      case DW_TAG_restrict_type:
        break;
      default:
        return type;
    }
    const std::optional<Dwarf_Die> next = type_of(type);
    if (!next) return {};
    type = *next;
  }
  return {};
}

std::optional<std::uint64_t> size_of(Dwarf_Die type) {
  Dwarf_Word size = 0;
  if (dwarf_aggregate_size(&type, &size) != 0) return {};
  return size;
}

std::optional<Dwarf_Die> template_argument(Dwarf_Die of, unsigned number) {
  Dwarf_Die child;
  for (bool more = dwarf_child(&of, &child) == 0; more; more = dwarf_siblingof(&child, &child) == 0)
    if (dwarf_tag(&child) == DW_TAG_template_type_parameter && number-- == 0) return type_of(child);
  return {};
}

std::vector<Member> members_of(Dwarf_Die type) {
  std::vector<Member> members;
  const bool is_of_closure = is_closure(type);
  Dwarf_Die child;
  for (bool more = dwarf_child(&type, &child) == 0; more; more = dwarf_siblingof(&child, &child) == 0)
    if (std::optional<Member> member = as_member(child, is_of_closure)) members.push_back(std::move(*member));
  return members;
}

bool is_of_hockets_inside(Dwarf_Die type) {
  std::optional<Dwarf_Die> whole = stripped(type);
  if (!whole || !is_class(dwarf_tag(&*whole))) return false;
  const std::string name = full_name(*whole);
  return name.starts_with("hocket::runtime::") || name.starts_with("hocket::detail::");
}

bool is_inside_of_hockets_type(Dwarf_Die& type, const Member& member) {
  return is_of_hockets_inside(type) || is_of_hockets_inside(member.type) || is_hockets(type, "var<") ||
         is_hockets(type, "atomic_flag");
}

std::optional<Member> member_named(Dwarf_Die type, const char* name) {
  std::optional<Dwarf_Die> whole = stripped(type);
  if (!whole || !is_class(dwarf_tag(&*whole))) return {};
  Dwarf_Die child;
  for (bool more = dwarf_child(&*whole, &child) == 0; more; more = dwarf_siblingof(&child, &child) == 0) {
    std::optional<Member> member = as_member(child, false);
    if (!member) continue;
    const char* const own = dwarf_diename(&child);
    if (own != nullptr && std::string_view(own) == name) return member;
    if (std::optional<Member> inner = member_named(member->type, name)) {
      inner->offset += member->offset;
      return inner;
    }
  }
  return {};
}

namespace {

std::optional<Dwarf_Die> last_type;  ///< of the part that the last path led to
bool last_is_inside = false;  ///< of what the path calls it by: a member of the library's, or some bits

/// " idle=0 busy=1"
std::string enumerators_of(Dwarf_Die type) {
  constexpr int kMost = 256;
  std::string text;
  Dwarf_Die child;
  int count = 0;
  for (bool more = dwarf_child(&type, &child) == 0; more && count < kMost;
       more = dwarf_siblingof(&child, &child) == 0) {
    if (dwarf_tag(&child) != DW_TAG_enumerator) continue;
    Dwarf_Attribute value;
    Dwarf_Sword number = 0;
    const char* const name = dwarf_diename(&child);
    if (name == nullptr || dwarf_attr(&child, DW_AT_const_value, &value) == nullptr ||
        dwarf_formsdata(&value, &number) != 0)
      continue;
    text.append(" ").append(name).append("=").append(std::to_string(number));
    ++count;
  }
  return text;
}

}  // namespace

std::string values_at_last_path() {
  std::optional<Dwarf_Die> type = last_type ? stripped(*last_type) : std::nullopt;
  if (type && (is_hockets(*type, "atomic<") || is_hockets(*type, "var<"))) {
    type = template_argument(*type, 0);
    if (type) type = stripped(*type);
  }
  if (!type) return {};
  std::string kind;
  switch (dwarf_tag(&*type)) {
    case DW_TAG_pointer_type:
      kind = "pointer";
      break;
    case DW_TAG_enumeration_type:
      kind = "enum" + enumerators_of(*type);
      break;
    case DW_TAG_base_type:
      switch (number_at(*type, DW_AT_encoding).value_or(0)) {
        case DW_ATE_boolean:
          kind = "bool";
          break;
        case DW_ATE_float:
          kind = "float";
          break;
        case DW_ATE_signed:
        case DW_ATE_signed_char:
          kind = "signed";
          break;
        case DW_ATE_unsigned:
        case DW_ATE_unsigned_char:
        case DW_ATE_UTF:
          kind = "unsigned";
          break;
        default:
          return {};
      }
      break;
    default:
      return {};
  }
  return std::to_string(size_of(*type).value_or(0)) + " " + kind + (last_is_inside ? " inside" : "");
}

void forget_last_path() {
  last_type.reset();
}

std::string path_to(Dwarf_Die type, std::uint64_t offset, std::uint64_t size) {
  std::string path;
  last_type.reset();
  last_is_inside = false;
  for (int n = 0; n < kDeepest; ++n) {
    last_type = offset == 0 ? std::optional(type) : std::nullopt;
    if (offset == 0 && size == kLargest) break;
    std::optional<Dwarf_Die> whole = stripped(type);
    if (!whole) break;
    const int tag = dwarf_tag(&*whole);
    if (tag != DW_TAG_array_type && !is_class(tag)) break;
    if (is_hockets(*whole, "atomic_flag")) return path;
    if (offset == 0 && size != 0 && size_of(*whole) == size && tag == DW_TAG_array_type) break;
    std::optional<Part> part =
        tag == DW_TAG_array_type ? element_at(*whole, offset) : member_at(*whole, offset, size);
    if (!part) break;
    if (is_of_hockets_inside(part->type)) return path;
    path += part->step;
    last_is_inside |= part->is_inside;
    type = part->type;
    offset = part->offset;
  }
  if (offset != 0) path += "+" + std::to_string(offset);
  return path;
}

}  // namespace hocket::debug_info
