// Finds the functions of libc that Hocket calls.
//
// A program may have a variable or function of its own called `send` or `link`, because ISO C does not
// reserve these names. The linker would then resolve Hocket's calls of send() to it. So the calls are renamed
// to hocket_libc_send when the library is linked (cmake/HocketLibcCalls.cmake). That function jumps to what
// is found here at the first call. The code here must not call any libc function itself, because none has
// been found yet.
#include <cstddef>
#include <cstdint>

#include <elf.h>
#include <link.h>

extern "C" {

// The dynamic section of the main program, in which the loader records what it has loaded. A static program
// has none.
extern ElfW(Dyn) hocket_own_dynamic[] __asm__("_DYNAMIC") __attribute__((weak, visibility("hidden")));

/// The default version of the function `name` of libc or libm; `otherwise` in a program that has not loaded
/// them.
void* hocket_find_in_libc(const char* name, void* otherwise);

}  // extern "C"

namespace hocket::runtime::platform {

namespace {

// Read as volatile because the compiler would otherwise replace the loops with calls.
bool is_equal(const volatile char* a, const volatile char* b) {
  while (*a == *b && *a != '\0') {
    ++a;
    ++b;
  }
  return *a == *b;
}
bool begins_with(const volatile char* text, const volatile char* beginning) {
  while (*beginning != '\0' && *text == *beginning) {
    ++text;
    ++beginning;
  }
  return *beginning == '\0';
}

const char* file_name_of(const char* path) {
  const char* name = path;
  for (const volatile char* c = path; *c != '\0'; ++c) {
    if (*c == '/') name = path + (c - path) + 1;
  }
  return name;
}

std::uint32_t gnu_hash(const char* name) {
  std::uint32_t hash = 5381;
  for (const volatile char* c = name; *c != '\0'; ++c) hash = hash * 33 + static_cast<unsigned char>(*c);
  return hash;
}

/// The dynamic symbols of a loaded file.
class Symbols {
 public:
  explicit Symbols(const link_map& object) : base_(object.l_addr) {
    for (const ElfW(Dyn)* entry = object.l_ld; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_SYMTAB) symbols_ = at<ElfW(Sym)>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_STRTAB) names_ = at<char>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_GNU_HASH) hash_table_ = at<std::uint32_t>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_VERSYM) versions_ = at<std::uint16_t>(entry->d_un.d_ptr);
    }
  }

  void* function(const char* name) const {
    if (symbols_ == nullptr || names_ == nullptr || hash_table_ == nullptr) return nullptr;
    const std::uint32_t buckets = hash_table_[0];
    const std::uint32_t first = hash_table_[1];
    const std::uint32_t words_of_filter = hash_table_[2];
    constexpr std::size_t kHeader = 4;
    const std::uint32_t* const bucket =
        hash_table_ + kHeader + words_of_filter * (sizeof(ElfW(Addr)) / sizeof(std::uint32_t));
    const std::uint32_t* const chain = bucket + buckets;
    const std::uint32_t hash = gnu_hash(name);
    std::uint32_t n = bucket[hash % buckets];
    if (n < first) return nullptr;
    for (bool is_last = false; !is_last; ++n) {
      const std::uint32_t entry = chain[n - first];
      is_last = (entry & 1U) != 0;
      if ((entry | 1U) == (hash | 1U) && is_default(n) && is_equal(names_ + symbols_[n].st_name, name))
        return address_of(symbols_[n]);
    }
    return nullptr;
  }

 private:
  /// Some loaders leave the addresses as they are in the file, without adding the base.
  template <class T>
  const T* at(std::uintptr_t address) const {
    return reinterpret_cast<const T*>(address < base_ ? address + base_ : address);
  }
  [[nodiscard]] bool is_default(std::uint32_t n) const {
    constexpr std::uint16_t kIsHidden = 0x8000;
    return symbols_[n].st_shndx != SHN_UNDEF && (versions_ == nullptr || (versions_[n] & kIsHidden) == 0);
  }
  [[nodiscard]] void* address_of(const ElfW(Sym) & symbol) const {
    const std::uintptr_t address = base_ + symbol.st_value;
    constexpr unsigned kTypeBits = 0xf;
    if ((symbol.st_info & kTypeBits) != STT_GNU_IFUNC) return reinterpret_cast<void*>(address);
    return reinterpret_cast<void* (*)()>(address)();
  }

  std::uintptr_t base_;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* names_ = nullptr;
  const std::uint32_t* hash_table_ = nullptr;
  const std::uint16_t* versions_ = nullptr;
};

/// Searches the loaded file whose name begins with `library`.
void* find_in(const link_map* first, const char* library, const char* name) {
  for (const link_map* object = first; object != nullptr; object = object->l_next) {
    if (!begins_with(file_name_of(object->l_name), library)) continue;
    if (void* const found = Symbols(*object).function(name); found != nullptr) return found;
  }
  return nullptr;
}

const link_map* first_loaded() {
  if (hocket_own_dynamic == nullptr) return nullptr;
  for (const ElfW(Dyn)* entry = hocket_own_dynamic; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_DEBUG && entry->d_un.d_ptr != 0)
      return reinterpret_cast<const r_debug*>(entry->d_un.d_ptr)->r_map;
  }
  return nullptr;
}

}  // namespace

}  // namespace hocket::runtime::platform

void* hocket_find_in_libc(const char* name, void* otherwise) {
  using namespace hocket::runtime::platform;  // NOLINT(google-build-using-namespace): stands outside
  const link_map* const program = first_loaded();
  void* found = find_in(program, "libc.", name);
  if (found == nullptr) found = find_in(program, "libm.", name);
  if (found == nullptr) found = otherwise;
  if (found == nullptr) __builtin_trap();  // the function existed when Hocket was built
  return found;
}
