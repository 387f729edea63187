#include "chains.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <dwarf.h>

#include "functions.hpp"
#include "types.hpp"

namespace hocket::debug_info {

namespace {

constexpr std::size_t kMostOfOne = 4000;      ///< places that one question looks at
constexpr std::size_t kPlacesPerWord = 3;     ///< how much longer it takes to read memory
constexpr std::uint64_t kMostElements = 256;  ///< of one array or container
constexpr int kDeepest = 24;                  ///< members within members
constexpr std::size_t kWord = sizeof(std::uint64_t);

/// Stands for the name of the variable where a way begins: to find that takes longer than to follow the way.
constexpr char kVariable = 1;

constexpr std::string_view kThis = "this";
constexpr std::string_view kClosure =
    "__closure";  ///< GCC's name of the pointer to a lambda within its function

/// How the source code gets to an object.
struct Way {
  std::string to;    ///< "queue.head", with kVariable in place of `queue`
  std::size_t root;  ///< the number of the variable
  enum class By { itself, pointer, self, closure, element } by = By::itself;
  bool hides_its_parts = false;  ///< what it leads to has the name of the whole object

  /// The name of a part of the object.
  [[nodiscard]] std::string name_of(const std::string& path) const {
    if (hides_its_parts && !path.empty()) return name_of("");
    const std::string without_dot = path.starts_with('.') ? path.substr(1) : path;
    switch (by) {
      case By::itself:
        return to + path;
      case By::self:  // of a member function, which need not say so
        return path.empty() ? "*this" : without_dot;
      case By::closure:
        return (path.empty() ? "the captures" : without_dot);
      case By::element:  // there is no way to write it
        return (path.empty() ? path : without_dot + " of ") + to;
      case By::pointer:
        if (path.starts_with('.')) return in_brackets(to) + "->" + without_dot;
        if (path.starts_with('[')) return "(*" + to + ")" + path;
        return "*" + to + path;
    }
    return {};
  }
  /// The name of an object in an array of which a pointer points to the first.
  [[nodiscard]] std::string name_of_nth(std::uint64_t number, const std::string& path) const {
    return in_brackets(to) + "[" + std::to_string(number) + "]" + path;
  }
  static std::string in_brackets(const std::string& pointer) {
    return pointer.starts_with('*') ? "(" + pointer + ")" : pointer;
  }
  /// The way to a part of the object.
  [[nodiscard]] Way part(const std::string& path) const {
    if (path.empty() || hides_its_parts) return *this;
    return {name_of(path), root, by == By::element ? By::element : By::itself};
  }
};

/// An object that a way leads to.
struct Place {
  Dwarf_Die type;
  std::uint64_t address;
  Way way;
};

bool is_of_standard_library(Dwarf_Die type) {
  return full_name(type).starts_with("std::");
}

/// The value of a key that is a number.
std::optional<std::uint64_t> number_of_key(Dwarf_Die type, std::uint64_t word, bool& is_negative) {
  std::optional<Dwarf_Die> whole = stripped(type);
  if (!whole || dwarf_tag(&*whole) != DW_TAG_base_type) return {};
  Dwarf_Attribute attribute;
  Dwarf_Word encoding = 0;
  if (dwarf_attr(&*whole, DW_AT_encoding, &attribute) == nullptr ||
      dwarf_formudata(&attribute, &encoding) != 0)
    return {};
  const bool is_signed = encoding == DW_ATE_signed;
  if (!is_signed && encoding != DW_ATE_unsigned) return {};
  const std::uint64_t bytes = size_of(*whole).value_or(0);
  if (bytes == 0 || bytes > kWord) return {};
  const unsigned unused = 64U - 8U * static_cast<unsigned>(bytes);
  std::uint64_t value = word << unused >> unused;
  is_negative = is_signed && (value >> (8 * bytes - 1)) != 0;
  if (is_negative) value = (~value + 1) << unused >> unused;
  return value;
}

/// Whether there can be pointers in objects of the type.
bool leads_on(Dwarf_Die type) {
  std::optional<Dwarf_Die> whole = stripped(type);
  if (!whole) return false;
  switch (dwarf_tag(&*whole)) {
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
      return true;
    case DW_TAG_array_type: {
      const std::optional<Dwarf_Die> element = type_of(*whole);
      return element && leads_on(*element);
    }
    case DW_TAG_class_type:
    case DW_TAG_structure_type: {
      static std::map<void*, bool> known;
      if (const auto found = known.find(whole->addr); found != known.end()) return found->second;
      const std::vector<Member> members = members_of(*whole);
      const bool leads = std::any_of(
          members.begin(), members.end(), [](const Member& member) { return leads_on(member.type); });
      return known[whole->addr] = leads;
    }
    default:
      return false;
  }
}

bool is_nameless(Dwarf_Die& pointer) {
  std::optional<Dwarf_Die> to = type_of(pointer);
  if (to) to = stripped(*to);
  return to && dwarf_diename(&*to) == nullptr;
}

/// Whether objects of the class may be parts of larger ones, of derived classes.
bool is_polymorphic(Dwarf_Die type) {
  Dwarf_Die child;
  for (bool more = dwarf_child(&type, &child) == 0; more; more = dwarf_siblingof(&child, &child) == 0) {
    const char* const name = dwarf_tag(&child) == DW_TAG_member ? dwarf_diename(&child) : nullptr;
    if (name != nullptr && std::string_view(name).starts_with("_vptr")) return true;
    if (dwarf_tag(&child) != DW_TAG_inheritance) continue;
    std::optional<Dwarf_Die> base = type_of(child);
    if (base) base = stripped(*base);
    if (base && is_polymorphic(*base)) return true;
  }
  return false;
}

/// Whether a pointer that is a member of this class of the standard library stays what it is, or changes only
/// with what it owns.
bool keeps_its_pointer(Dwarf_Die& type) {
  const char* const name = dwarf_diename(&type);
  if (name == nullptr) return false;
  const std::string_view text = name;
  const bool is_one = text.starts_with("_Head_base<") ||  // of std::unique_ptr
                      text.starts_with("__shared_ptr<") || text.starts_with("reference_wrapper<");
  return is_one && is_of_standard_library(type);
}

/// Whether the parts of this class of the standard library that lie elsewhere are nothing that a person has
/// written, and what they are shared with has other names.
bool hides_its_parts(Dwarf_Die& type) {
  static constexpr std::array<std::string_view, 9> kHiding{"promise<", "future<", "shared_future<",
      "packaged_task<", "condition_variable_any", "stop_source", "stop_token", "stop_callback<", "jthread"};
  const char* const name = dwarf_diename(&type);
  return name != nullptr && std::any_of(kHiding.begin(), kHiding.end(), [&](std::string_view each) {
    return std::string_view(name).starts_with(each);
  }) && is_of_standard_library(type);
}

/// What a part is that such a class keeps elsewhere: "the mutex of ", or nothing.
std::string role_of(Dwarf_Die& type) {
  const std::string_view name = dwarf_diename(&type) != nullptr ? dwarf_diename(&type) : "";
  if (name.starts_with("_Sp_counted_")) return "the references of ";
  return name == "mutex" ? "the mutex of " : "";
}

/// One search for an address.
class Search {
 public:
  Search(const ChainQuestion& question, const ReadWord& read) : question_(question), read_(read) {}

  /// `name` is the variable's own, without what is around it.
  void begin_at(Dwarf_Die type, std::uint64_t address, std::string_view name, std::size_t root) {
    walk({type, address, way_of(name, root)}, "", 0);
  }
  /// A pointer or reference in a register.
  void begin_with(Dwarf_Die type, std::uint64_t value, std::string_view name, std::size_t root) {
    if (std::optional<Dwarf_Die> whole = stripped(type)) follow(*whole, value, way_of(name, root), false);
  }

  /// The name, with kVariable in it, and the number of the variable; an empty name if there is none.
  std::pair<std::string, std::size_t> run() {
    while (found_.empty() && !next_.empty() && looked_at_ < kMostOfOne) {
      const Place place = std::move(next_.front());
      next_.pop_front();
      walk(place, "", 0);
    }
    return {found_, found_from_};
  }

  [[nodiscard]] std::size_t looked_at() const { return looked_at_; }
  [[nodiscard]] bool is_over() const { return !found_.empty() || looked_at_ >= kMostOfOne; }

 private:
  using Number = std::uint64_t;

  static Way way_of(std::string_view name, std::size_t root) {
    const bool is_of_language = name == kThis || name == kClosure;
    return {is_of_language ? std::string(name) : std::string(1, kVariable), root, Way::By::itself};
  }
  void find(std::string name, const Way& way) {
    found_ = std::move(name);
    found_from_ = way.root;
  }

  [[nodiscard]] std::optional<Number> word(Number address) {
    looked_at_ += kPlacesPerWord;
    return read_(address);
  }
  [[nodiscard]] Number word_or_null(Number address) { return word(address).value_or(0); }

  /// Looks at the pointers in an object or a part of it. `path` leads to the part.
  void walk(const Place& place, const std::string& path, int depth) {
    if (is_over() || depth > kDeepest) return;
    ++looked_at_;
    std::optional<Dwarf_Die> whole = stripped(place.type);
    if (!whole) return;
    switch (dwarf_tag(&*whole)) {
      case DW_TAG_pointer_type:
      case DW_TAG_reference_type:
      case DW_TAG_rvalue_reference_type:
        if (const auto value = word(place.address)) follow(*whole, *value, place.way.part(path), is_kept_);
        return;
      case DW_TAG_array_type:
        walk_array(*whole, place, path, depth);
        return;
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
        walk_class(*whole, place, path, depth);
        return;
      default:
        return;
    }
  }

  void walk_array(Dwarf_Die& type, const Place& place, const std::string& path, int depth) {
    const std::optional<Dwarf_Die> element = type_of(type);
    if (!element || !leads_on(*element)) return;
    const Number bytes = size_of(*element).value_or(0);
    const Number all = size_of(type).value_or(0);
    if (bytes == 0) return;
    for (Number at = 0; at < all && at / bytes < kMostElements; at += bytes)
      walk({*element, place.address + at, place.way}, path + "[" + std::to_string(at / bytes) + "]",
          depth + 1);
  }

  void walk_class(Dwarf_Die& type, const Place& place, const std::string& path, int depth) {
    if (!place.way.hides_its_parts && hides_its_parts(type)) {
      Way whole = place.way.part(path);
      whole.hides_its_parts = true;
      return walk_class(type, {place.type, place.address, whole}, "", depth);
    }
    if (walk_container(type, place.address, place.way.part(path))) return;
    if (!leads_on(type)) return;
    const bool was_kept = std::exchange(is_kept_, keeps_its_pointer(type));
    for (const Member& member : members_of(type))
      walk({member.type, place.address + member.offset, place.way},
          path + (is_inside_of_hockets_type(type, member) ? "" : member.step), depth + 1);
    is_kept_ = was_kept;
  }

  void follow(Dwarf_Die& pointer, Number value, Way way, bool is_of_library) {
    if (value == 0) return;
    const bool is_reference = dwarf_tag(&pointer) != DW_TAG_pointer_type;
    const bool is_this = way.to == kThis;
    // Within its function a lambda has this name with GCC; with Clang it is a class without a name.
    const bool is_closure = way.to == kClosure || (is_this && is_nameless(pointer));
    const bool is_kept = is_reference || is_this || is_closure || is_of_library || way.hides_its_parts;
    if (!is_kept && !question_.by_any_pointer) return;
    const std::optional<Dwarf_Die> to = type_of(pointer);
    if (!to) return;
    if (way.hides_its_parts) {
      // The name stays as it is.
    } else if (is_closure) {
      way.by = Way::By::closure;
    } else if (is_this) {
      way.by = Way::By::self;
    } else if (!is_reference) {
      if (way.by == Way::By::pointer || way.by == Way::By::itself) {
        way.to = way.by == Way::By::pointer ? "*" + way.to : way.to;
        way.by = Way::By::pointer;
      }
    }
    arrive(*to, value, way, false);
  }

  /// `is_exact`: the object is one of several, so that nothing of it lies behind it.
  void arrive(Dwarf_Die type, Number address, const Way& way, bool is_exact) {
    std::optional<Dwarf_Die> whole = stripped(type);
    if (!whole || is_over() || is_of_hockets_inside(*whole)) return;
    const Number bytes = size_of(*whole).value_or(0);
    if (bytes == 0) return;
    Number end = address + bytes;
    // Behind what the pointer says lies the rest of a derived class.
    if (way.hides_its_parts && address - question_.block < question_.block_size)
      end = question_.block + question_.block_size;
    const bool may_be_array = !is_exact && way.by == Way::By::pointer && address == question_.block &&
                              question_.block_size >= 2 * bytes && !is_polymorphic(*whole);
    if (may_be_array) end = address + question_.block_size;
    const Number offset = question_.address - address;
    if (question_.address >= address && question_.address < end) {
      const std::string path = path_to(*whole, offset % bytes, question_.size);
      const std::string role = way.hides_its_parts ? role_of(*whole) : "";
      find(role + (may_be_array ? way.name_of_nth(offset / bytes, path) : way.name_of(path)), way);
    } else if (leads_on(*whole) && visited_.insert({address, whole->addr}).second &&
               next_.size() < kMostOfOne) {
      next_.push_back({*whole, address, way});
    }
  }

  // -- The containers of libstdc++

  bool walk_container(Dwarf_Die& type, Number address, const Way& way) {
    const char* const name = dwarf_diename(&type);
    if (name == nullptr) return false;
    const std::string_view text = name;
    struct Known {
      std::string_view begin;
      void (Search::*walk)(Dwarf_Die&, Number, const Way&);
    };
    static constexpr std::array<Known, 7> kKnown{{{"_Vector_base<", &Search::walk_vector},
        {"_Rb_tree<", &Search::walk_tree}, {"_List_base<", &Search::walk_list},
        {"_Fwd_list_base<", &Search::walk_forward_list}, {"_Hashtable<", &Search::walk_hash_table},
        {"_Deque_base<", &Search::walk_deque}, {"basic_string<", &Search::walk_string}}};
    const auto known = std::find_if(
        kKnown.begin(), kKnown.end(), [&](const Known& each) { return text.starts_with(each.begin); });
    if (known == kKnown.end() || !is_of_standard_library(type)) return false;
    (this->*known->walk)(type, address, way);
    return true;
  }

  /// Whether a container may have its elements there. Variables that have no value yet contain anything.
  [[nodiscard]] bool is_plausible(Number begin, Number end) const {
    constexpr Number kMostBytes = Number{1} << 28U;
    if (begin == 0 || end < begin || end - begin > kMostBytes) return false;
    const bool is_about_block = question_.address >= begin && question_.address < end && question_.block != 0;
    return !is_about_block || (begin == question_.block && end <= begin + question_.block_size);
  }

  void walk_elements(Dwarf_Die element, Number begin, Number end, const Way& way) {
    const Number bytes = size_of(element).value_or(0);
    if (bytes == 0 || !is_plausible(begin, end)) return;
    const Number sought = question_.address;
    if (sought >= begin && sought < end) {
      const Number n = (sought - begin) / bytes;
      arrive(element, begin + n * bytes, way.part("[" + std::to_string(n) + "]"), true);
      return;
    }
    if (!leads_on(element)) return;
    for (Number n = 0; n < kMostElements && begin + (n + 1) * bytes <= end; ++n)
      arrive(element, begin + n * bytes, way.part("[" + std::to_string(n) + "]"), true);
  }

  void walk_vector(Dwarf_Die& type, Number address, const Way& way) {
    const std::optional<Dwarf_Die> element = template_argument(type, 0);
    const std::optional<Member> start = member_named(type, "_M_start");
    const std::optional<Member> end = member_named(type, "_M_end_of_storage");
    if (!element || !start || !end) return;
    walk_elements(*element, word_or_null(address + start->offset), word_or_null(address + end->offset), way);
  }

  /// `links` is the size of what is in front of the value.
  void walk_node(Dwarf_Die value, Number node, Number links, Way way, const std::string& key) {
    const Number sought = question_.address;
    if (sought >= node && sought < node + links) {
      find("a node of " + way.to, way);
      return;
    }
    if (key.empty()) {
      way.to = "an element of " + way.to;
      way.by = Way::By::element;
      arrive(value, node + links, way, true);
      return;
    }
    const std::optional<Member> second = member_named(value, "second");
    if (second) arrive(second->type, node + links + second->offset, way.part(key), true);
    if (second && sought >= node + links && sought < node + links + second->offset)
      find("the key of " + way.part(key).name_of(""), way);
  }

  /// "[17]" or "[\"one\"]" for the node of a map whose keys are numbers or short texts.
  std::string key_of(Dwarf_Die value, Number at) {
    Dwarf_Die die = value;
    const char* const name = dwarf_diename(&die);
    if (name == nullptr || !std::string_view(name).starts_with("pair<")) return {};
    std::optional<Dwarf_Die> key = template_argument(value, 0);
    const bool is_of_map = key && dwarf_tag(&*key) == DW_TAG_const_type;
    if (is_of_map) key = stripped(*key);
    const std::optional<Number> found = word(at);
    if (!is_of_map || !key || !found) return {};
    const char* const key_name = dwarf_diename(&*key);
    if (key_name != nullptr && std::string_view(key_name).starts_with("basic_string<char,"))
      return key_of_text(*found, word_or_null(at + kWord));
    bool is_negative = false;
    const std::optional<Number> number = number_of_key(*key, *found, is_negative);
    return number ? (is_negative ? "[-" : "[") + std::to_string(*number) + "]" : std::string{};
  }

  std::string key_of_text(Number begin, Number length) {
    constexpr Number kLongest = 32;
    if (length > kLongest) return {};
    std::string text;
    for (Number n = 0; n < length; ++n) {
      const auto c = static_cast<char>(word_or_null(begin + n / kWord * kWord) >> 8 * (n % kWord));
      if (c < ' ' || c == '"' || c == '\\' || c == 127) return {};
      text += c;
    }
    return "[\"" + text + "\"]";
  }

  void walk_tree(Dwarf_Die& type, Number address, const Way& way) {
    const std::optional<Dwarf_Die> value = template_argument(type, 1);
    const std::optional<Member> header = member_named(type, "_M_header");
    if (!value || !header) return;
    constexpr Number kParent = 8;
    constexpr Number kLeft = 16;
    constexpr Number kRight = 24;
    constexpr Number kLinks = 32;
    std::deque<Number> nodes{word_or_null(address + header->offset + kParent)};
    for (Number n = 0; n < kMostElements && !nodes.empty() && !is_over();) {
      const Number node = nodes.front();
      nodes.pop_front();
      if (node == 0) continue;
      ++n;
      ++looked_at_;
      walk_node(*value, node, kLinks, way, key_of(*value, node + kLinks));
      nodes.push_back(word_or_null(node + kLeft));
      nodes.push_back(word_or_null(node + kRight));
    }
  }

  void walk_chain(Dwarf_Die value, Number first, Number end, Number links, const Way& way) {
    for (Number n = 0, node = first; n < kMostElements && node != 0 && node != end && !is_over(); ++n) {
      ++looked_at_;
      walk_node(value, node, links, way, key_of(value, node + links));
      node = word_or_null(node);
    }
  }
  void walk_list(Dwarf_Die& type, Number address, const Way& way) {
    constexpr Number kLinks = 16;
    if (const auto value = template_argument(type, 0))
      walk_chain(*value, word_or_null(address), address, kLinks, way);
  }
  void walk_forward_list(Dwarf_Die& type, Number address, const Way& way) {
    if (const auto value = template_argument(type, 0))
      walk_chain(*value, word_or_null(address), 0, kWord, way);
  }
  void walk_hash_table(Dwarf_Die& type, Number address, const Way& way) {
    const std::optional<Dwarf_Die> value = template_argument(type, 1);
    const std::optional<Member> buckets = member_named(type, "_M_buckets");
    const std::optional<Member> count = member_named(type, "_M_bucket_count");
    const std::optional<Member> first = member_named(type, "_M_before_begin");
    if (!value || !buckets || !count || !first) return;
    const Number begin = word_or_null(address + buckets->offset);
    const Number end = begin + word_or_null(address + count->offset) * kWord;
    if (is_plausible(begin, end) && question_.address >= begin && question_.address < end) {
      find("the buckets of " + way.to, way);
      return;
    }
    walk_chain(*value, word_or_null(address + first->offset), 0, kWord, way);
  }

  void walk_deque(Dwarf_Die& type, Number address, const Way& way) {
    const std::optional<Dwarf_Die> element = template_argument(type, 0);
    const std::optional<Member> map = member_named(type, "_M_map");
    const std::optional<Member> map_size = member_named(type, "_M_map_size");
    const std::optional<Member> start = member_named(type, "_M_start");
    const std::optional<Member> finish = member_named(type, "_M_finish");
    if (!element || !map || !map_size || !start || !finish) return;
    const Number index = word_or_null(address + map->offset);
    const Number end = index + word_or_null(address + map_size->offset) * kWord;
    if (!is_plausible(index, end)) return;
    if (question_.address >= index && question_.address < end) {
      find("the index of " + way.to, way);
      return;
    }
    constexpr Number kNode =
        3 * kWord;  // of an iterator: the current element, both ends, the place in the index
    constexpr Number kBytes = 512;
    const Number bytes = size_of(*element).value_or(0);
    if (bytes == 0) return;
    const Number part = bytes < kBytes ? kBytes / bytes : 1;
    Way element_way = way;
    element_way.to = "an element of " + way.to;
    element_way.by = Way::By::element;
    const Number last = word_or_null(address + finish->offset + kNode);
    Number seen = 0;
    for (Number node = word_or_null(address + start->offset + kNode); node != 0 && node <= last;
         node += kWord) {
      const Number begin = word_or_null(node);
      if (question_.address >= begin && question_.address < begin + part * bytes) {
        const Number n = (question_.address - begin) / bytes;
        arrive(*element, begin + n * bytes, element_way, true);
      }
      for (Number n = 0; n < part && seen < kMostElements && !is_over(); ++n, ++seen)
        arrive(*element, begin + n * bytes, element_way, true);
    }
  }

  void walk_string(Dwarf_Die& type, Number address, const Way& way) {
    const std::optional<Dwarf_Die> element = template_argument(type, 0);
    const std::optional<Member> text = member_named(type, "_M_p");
    const std::optional<Member> room = member_named(type, "_M_allocated_capacity");
    if (!element || !text || !room) return;
    const Number begin = word_or_null(address + text->offset);
    const Number bytes = size_of(*element).value_or(1);
    if (begin - address < size_of(type).value_or(0)) return;  // within the object
    walk_elements(*element, begin, begin + (word_or_null(address + room->offset) + 1) * bytes, way);
  }

  const ChainQuestion& question_;
  const ReadWord& read_;
  bool is_kept_ = false;  ///< keeps_its_pointer(), of the class whose members are looked at
  std::string found_;
  std::size_t found_from_ = 0;
  std::deque<Place> next_;
  std::set<std::pair<Number, void*>> visited_;
  std::size_t looked_at_ = 0;
};

/// Code around a search has them, usually as the variable that gets what the search returns.
bool is_hockets_report(Dwarf_Die type) {
  const std::optional<Dwarf_Die> whole = stripped(type);
  return whole && full_name(*whole) == "hocket::Report";
}

}  // namespace

std::string Chains::name_of(const ChainQuestion& question) {
  std::vector<Root> roots;
  std::vector<Root> objects;  // of member functions: what they are called elsewhere says more than `this`
  for (const Registers& registers : question.threads) {
    for (Local& local : variables_.visible_from(registers)) {
      const std::optional<Dwarf_Die> type = type_of(local.die);
      const char* const name = dwarf_diename(&local.die);
      if (!type || name == nullptr || is_hockets_report(*type)) continue;
      (name == kThis ? objects : roots).push_back({local.die, *type, local.at});
    }
  }
  if (const std::optional<File> program = files_.program_file()) {
    variables_.for_each_global(*program, [&](Dwarf_Die variable, std::uint64_t address) {
      const std::optional<Dwarf_Die> type = type_of(variable);
      if (type && leads_on(*type)) roots.push_back({variable, *type, {true, address}});
    });
  }
  std::string name = name_from(roots, question);
  return name.empty() && !objects.empty() ? name_from(objects, question) : name;
}

std::string Chains::name_from(std::vector<Root>& roots, const ChainQuestion& question) {
  if (left_ == 0) return {};
  Search search(question, read_);
  for (std::size_t n = 0; n < roots.size() && !search.is_over(); ++n) {
    Root& root = roots[n];
    const char* const own = dwarf_diename(&root.variable);
    const std::string_view name = own == nullptr ? "" : own;
    if (root.at.is_address) {
      search.begin_at(root.type, root.at.value, name, n);
    } else {
      search.begin_with(root.type, root.at.value, name, n);
    }
  }
  auto [name, root] = search.run();
  left_ -= std::min(left_, search.looked_at());
  if (name.empty()) return {};
  const std::string variable = full_name(roots[root].variable);
  const std::size_t function = std::min(variable.find(" in "), variable.size());
  for (std::size_t at = name.find(kVariable); at != std::string::npos; at = name.find(kVariable))
    name.replace(at, 1, variable, 0, function);
  return name + variable.substr(function);
}

}  // namespace hocket::debug_info
