// hocket_check_hooks MAP OBJDUMP BUILD_TREE [LIBRARY...]: checks a link of instrumented code by GNU's linker
// for three problems that silently hide operations from Hocket. hocket_instrument() runs it after each link.
//
// 1. An inline function that was compiled in several files is in the program once. If the linker took the
// copy
//    of a file without hooks, Hocket does not see what the function does. This is an error: exit status 1.
// 2. Hocket does not see atomic operations, system calls and encoded reads of the time stamp counter in
//    inline assembly. This is a warning.
// 3. Hocket does not see what a library of the project (built in BUILD_TREE, and not one of LIBRARY...) does
//    if the library has no hooks at all. This is a warning.
//
// What it warned of it notes in the program, whose searches repeat it.
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <cxxabi.h>

#include "inline_assembly.hpp"
#include "object_file.hpp"
#include "project_libraries.hpp"

namespace hocket::check_hooks {

namespace {

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : symbol;
}

/// "_ZN5Queue3popEv" of ".text._ZN5Queue3popEv" and ".text.unlikely._ZN5Queue3popEv"; empty if the section is
/// not that of one function.
std::string function_of(const std::string& section) {
  const std::size_t begin = section.find("._Z");
  return begin == std::string::npos ? std::string() : section.substr(begin + 1);
}

/// What to use in place of an instruction that Hocket does not see.
std::string_view remedy_for(std::string_view instruction) {
  return instruction.starts_with("rdtsc")
             ? "its result differs from execution to execution; write it as a mnemonic, or use __rdtsc()"
             : "use std::atomic or the __atomic builtins there";
}

class Check {
 public:
  Check(LinkMap map, std::string objdump, ProjectLibraries project)
      : map_(std::move(map)), objdump_(std::move(objdump)), project_(std::move(project)) {}

  /// Prints what it finds. Returns whether it is an error.
  bool run() {
    const bool is_error = find_lost_hooks();
    find_assembly_in_code_with_hooks();
    find_libraries_without_hooks();
    note_in_program("hocket_assembly", functions_with_assembly_);  // as in build_notes.cpp
    note_in_program("hocket_hookless", libraries_without_hooks_);
    return is_error;
  }

 private:
  const ObjectFile& object(const std::string& file) {
    const auto [known, is_new] = objects_.try_emplace(file, file);
    // The temporary files of link-time optimisation are gone, and had no hooks.
    const bool is_temporary = file.ends_with(".ltrans.o");
    const std::string& problem = known->second.problem();
    if (is_new && !problem.empty() && !is_temporary) {
      std::cerr << "hocket: warning: cannot read " << file << " (" << problem
                << "): perhaps hooks were lost there\n";
    }
    return known->second;
  }

  bool find_lost_hooks() {
    std::map<std::string, std::vector<std::string>> taken_from;  // by name of section
    for (const CodeSection& section : map_.sections) {
      if (section.is_taken && !function_of(section.name).empty())
        taken_from[section.name].push_back(section.file);
    }
    std::map<std::string, std::set<std::string>> lost;  // functions, by the file without hooks
    for (const CodeSection& section : map_.sections) {
      if (section.is_taken) continue;
      const auto taken = taken_from.find(section.name);
      if (taken == taken_from.end() || !object(section.file).calls_hooks(section.name)) continue;
      std::string winner;
      bool has_hooks = false;
      for (const std::string& file : taken->second) {
        has_hooks |= object(file).has_hooks();
        if (!object(file).has_hooks() && !object(file).is_of_hocket()) winner = file;
      }
      if (!has_hooks && !winner.empty()) lost[winner].insert(demangled(function_of(section.name)));
    }
    constexpr std::size_t kMost = 10;
    for (const auto& [winner, functions] : lost) {
      std::cerr << "hocket: error: " << winner
                << " is not instrumented, and the linker has taken its copy of "
                << (functions.size() == 1 ? "a function" : std::to_string(functions.size()) + " functions")
                << " in place of the instrumented one, so that Hocket does not see what is done there:\n";
      std::size_t count = 0;
      for (const std::string& function : functions) {
        if (++count > kMost) break;
        std::cerr << "  " << function << '\n';
      }
      if (functions.size() > kMost) std::cerr << "  and " << functions.size() - kMost << " more\n";
      std::cerr << "  Call hocket_instrument() for the target of that file, too, or link that target after "
                   "the instrumented ones. set(HOCKET_CHECK_HOOKS OFF) turns the check off.\n";
    }
    return !lost.empty();
  }

  void find_assembly_in_code_with_hooks() {
    std::map<std::string, std::set<std::string>> taken;  // sections, by file
    for (const CodeSection& section : map_.sections) {
      if (section.is_taken) taken[section.file].insert(section.name);
    }
    for (const auto& [file, sections] : taken) {
      if (!object(file).has_hooks()) continue;
      for (const Assembly& assembly : find_assembly(object(file), sections, objdump_)) {
        const std::string function = demangled(assembly.function);
        if (function.starts_with("hocket::")) continue;  // outside of bodies only
        std::cerr << "hocket: warning: " << function << " in " << file << " has inline assembly ("
                  << assembly.instruction
                  << "), which Hocket does not see: " << remedy_for(assembly.instruction) << "\n";
        functions_with_assembly_.insert(function);
      }
    }
  }

  void find_libraries_without_hooks() {
    std::map<std::string, bool> has_hooks;  // by library
    for (const CodeSection& section : map_.sections) {
      if (!section.is_taken || section.is_empty) continue;
      const std::string library = project_.library_of(section.file);
      if (library.empty()) continue;
      bool& it_has = has_hooks.try_emplace(library, false).first->second;
      // Nothing more is to be said of a file that could not be read.
      it_has = it_has || object(section.file).has_hooks() || !object(section.file).problem().empty();
    }
    for (const std::string& file : map_.shared_libraries) {
      const std::string library = project_.library_of(file);
      if (!library.empty() && object(file).has_functions())  // has none if it could not be read
        has_hooks.try_emplace(library, object(file).has_hooks());
    }
    for (const auto& [library, it_has] : has_hooks) {
      if (it_has) continue;
      const std::string name = name_of_library(library);
      std::cerr << "hocket: warning: " << (is_target(library) ? "the target " + name : library)
                << " is not instrumented: what its code does to memory is not seen, and data races there are "
                   "not found. Call hocket_instrument() for it, too; or, if it is not under test, "
                   "list(APPEND HOCKET_WITHOUT_HOOKS "
                << name << ") before hocket_instrument() of this program\n";
      libraries_without_hooks_.insert(name);
    }
  }

  void note_in_program(const std::string& section, const std::set<std::string>& names) {
    if (names.empty() || map_.output.empty()) return;
    std::string objcopy = objdump_;
    if (const std::size_t begin = objcopy.rfind("objdump"); begin != std::string::npos)
      objcopy.replace(begin + 3, 4, "copy");
    if (!add_section(map_.output, section, names, objcopy))
      std::cerr << "hocket: warning: its searches will not repeat that: " << objcopy << " failed\n";
  }

  LinkMap map_;
  std::string objdump_;
  ProjectLibraries project_;
  std::map<std::string, ObjectFile> objects_;
  std::set<std::string> functions_with_assembly_;
  std::set<std::string> libraries_without_hooks_;
};

}  // namespace

}  // namespace hocket::check_hooks

int main(int argc, char** argv) {
  using namespace hocket::check_hooks;
  if (argc < 4) {
    std::cerr << "usage: " << argv[0] << " MAP OBJDUMP BUILD_TREE [LIBRARY...]\n";
    return 2;
  }
  return Check(read_link_map(argv[1]), argv[2], ProjectLibraries(argv[3], {argv + 4, argv + argc})).run() ? 1
                                                                                                          : 0;
}
