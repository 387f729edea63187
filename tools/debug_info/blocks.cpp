#include "blocks.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include <dwarf.h>

#include "../../runtime/platform/symbols/user_code.hpp"

#include "functions.hpp"
#include "types.hpp"

namespace hocket::debug_info {

namespace {

/// The class that the function is a member of.
std::optional<Dwarf_Die> class_of(Dwarf_Die function) {
  Dwarf_Die declaration = origin_of(function);
  const std::vector<Dwarf_Die> outer = what_is_around(declaration);
  if (outer.empty()) return {};
  Dwarf_Die first = outer.front();
  const int tag = dwarf_tag(&first);
  if (tag != DW_TAG_class_type && tag != DW_TAG_structure_type) return {};
  return first;
}

/// What the block consists of.
struct Content {
  std::string name;
  std::optional<Dwarf_Die> type;  ///< of what the user put there
  std::uint64_t begin = 0;        ///< where that begins
};

/// Only the standard library's types need their namespace.
std::string name_of_type(Dwarf_Die type) {
  std::string full = full_name(type);
  if (full.starts_with("std::__future_base::")) return "state of a std::future";
  return full.starts_with("std::") ? full : short_name(type);
}

/// What an allocator for this type is for.
Content content_of(Dwarf_Die type) {
  const char* const name = dwarf_diename(&type);
  const std::string_view text = name == nullptr ? "" : name;
  const std::optional<Dwarf_Die> value = template_argument(type, 0);
  // Keys of maps cannot be changed; a set of pairs has others.
  const auto is_pair = [&] {
    Dwarf_Die die = *value;
    const char* const of = dwarf_diename(&die);
    if (of == nullptr || !std::string_view(of).starts_with("pair<")) return false;
    std::optional<Dwarf_Die> key = template_argument(die, 0);
    return key && dwarf_tag(&*key) == DW_TAG_const_type;
  };
  // Where libstdc++ puts the values, behind the links of its nodes.
  if (value && text.starts_with("_Rb_tree_node<"))
    return {is_pair() ? "std::map node" : "std::set node", value, 32};
  if (value && text.starts_with("_List_node<")) return {"std::list node", value, 16};
  if (value && text.starts_with("_Fwd_list_node<")) return {"std::forward_list node", value, 8};
  if (value && text.starts_with("_Hash_node<"))
    return {is_pair() ? "std::unordered_map node" : "std::unordered_set node", value, 8};
  if (value && text.starts_with("_Sp_counted_ptr_inplace<")) return {name_of_type(*value), value, 16};
  if (text.starts_with("_Hash_node_base")) return {"buckets", {}, 0};
  return {name_of_type(type), type, 0};
}

/// T, where the line of source says "new T" once and was not changed since the program was built.
std::string type_in_source(const Frame& frame, std::string_view program) {
  std::error_code error;
  const std::filesystem::path file = std::filesystem::path(frame.folder) / frame.file;
  const auto changed = std::filesystem::last_write_time(file, error);
  if (error || changed > std::filesystem::last_write_time(program, error) || error) return {};
  std::ifstream source(file);
  std::string line;
  for (int n = 0; n < frame.line; ++n)
    if (!std::getline(source, line)) return {};
  const std::size_t at = line.find("new ");
  if (at == std::string::npos || line.find("new ", at + 1) != std::string::npos) return {};
  std::size_t end = at + 4;
  const auto is_of_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':';
  };
  while (end < line.size() && is_of_name(line[end])) ++end;
  return line.substr(at + 4, end - at - 4);
}

/// The class or other type of that name in the scope, or in a namespace of it.
std::optional<Dwarf_Die> type_named(Dwarf_Die scope, std::string_view name) {
  Dwarf_Die child;
  for (bool more = dwarf_child(&scope, &child) == 0; more; more = dwarf_siblingof(&child, &child) == 0) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_namespace) {
      if (const std::optional<Dwarf_Die> found = type_named(child, name)) return found;
    }
    const bool is_type = tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_typedef;
    const char* const own = is_type ? dwarf_diename(&child) : nullptr;
    if (own != nullptr && own == name && dwarf_hasattr(&child, DW_AT_declaration) == 0) return child;
  }
  return {};
}

/// The type that is called `name` in the source code at the instruction, if it has the size of the block.
std::optional<Dwarf_Die> type_at(
    ProcessFiles& files, const File& file, std::uint64_t code, std::string_view name, std::uint64_t size) {
  name.remove_prefix(std::min(name.rfind(':') + 1, name.size()));
  std::vector<Dwarf_Die> scopes = scopes_at(files, file, code);
  if (const std::optional<Dwarf_Die> unit = files.unit_at(file, code)) scopes.push_back(*unit);
  for (const Dwarf_Die& scope : scopes) {
    std::optional<Dwarf_Die> found = type_named(scope, name);
    if (found && size_of(*found) == size) return found;
  }
  return {};
}

std::string without_dot(std::string path) {
  if (path.starts_with('.')) path.erase(0, 1);
  return path;
}

}  // namespace

std::string name_of_block(ProcessFiles& files, const BlockQuestion& question) {
  std::optional<Content> content;
  for (const std::uint64_t code : question.allocated_by) {
    const std::optional<File> file = files.file_at(code);
    if (!file) continue;
    const std::vector<Frame> frames = frames_at(files, code);
    std::size_t n = 0;
    for (const Dwarf_Die& scope : scopes_at(files, *file, code)) {
      Dwarf_Die function = scope;
      if (dwarf_tag(&function) == DW_TAG_lexical_block || n >= frames.size()) continue;
      const Frame& frame = frames[n++];
      if (is_of_library(frame.function) || !runtime::platform::holds_user_code(frame.file)) {
        const bool allocates =
            frame.function.find("allocator") != std::string::npos && frame.function.ends_with("::allocate");
        std::optional<Dwarf_Die> type;
        if (allocates) {
          if (const std::optional<Dwarf_Die> allocator = class_of(function))
            type = template_argument(*allocator, 0);
        } else if (frame.function.starts_with("testing::internal::TestFactoryImpl<")) {
          // The fixture of a test, whose members need no more than their names.
          const std::optional<Dwarf_Die> factory = class_of(function);
          const std::optional<Dwarf_Die> fixture = factory ? template_argument(*factory, 0) : std::nullopt;
          std::string path = fixture ? without_dot(path_to(*fixture, question.offset, question.access)) : "";
          return path.empty() ? "\tthe fixture" : path + '\t';
        } else if (frame.function.starts_with("std::make_unique<")) {
          type = template_argument(origin_of(function), 0);
          if (!type) type = template_argument(function, 0);
        }
        if (type && !content) content = content_of(*type);
        if (!content && frame.function.starts_with("std::thread::thread"))
          content = Content{"state of a std::thread", {}, 0};
        if (!content && frame.function.starts_with("std::stop_source::stop_source"))
          content = Content{"state of a std::stop_source", {}, 0};
        continue;
      }
      if (frame.line == 0) return {};
      std::string path;
      if (!content) {
        content = Content{type_in_source(frame, files.program()), {}, 0};
        if (!content->name.empty()) content->type = type_at(files, *file, code, content->name, question.size);
      }
      std::string name = content->name;
      if (content->type) {
        const std::uint64_t bytes = size_of(*content->type).value_or(0);
        if (content->begin == 0 && bytes != 0 && question.size >= 2 * bytes) {
          path = "[" + std::to_string(question.offset / bytes) + "]" +
                 path_to(*content->type, question.offset % bytes, question.access);
          name += "[" + std::to_string(question.size / bytes) + "]";
        } else if (question.offset >= content->begin) {
          path = without_dot(path_to(*content->type, question.offset - content->begin, question.access));
        }
      } else if (question.offset != 0) {
        path = "byte " + std::to_string(question.offset);
      }
      if (name.empty()) name = "block";
      name += " (made at " + frame.file.substr(frame.file.rfind('/') + 1) + ":" + std::to_string(frame.line);
      if (!is_body_of_test(frame.function)) name += " in " + frame.short_function;
      name += ")";
      return path.append("\t").append(name);
    }
  }
  return {};
}

}  // namespace hocket::debug_info
