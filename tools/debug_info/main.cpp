// hocket-debug-info: tells a process that is being tested what its addresses are called in the source code.
//
// The process starts it for the report of a failure, with its own number as the argument, and sends
// questions, a line each; numbers are hexadecimal:
//
//   frames CODE                          the functions at an instruction, innermost first
//   static ADDRESS SIZE                  a variable in static storage
//   stack ADDRESS SIZE CODE SP BP BX     a variable of the thread that has stopped with these registers
//   thread MODULE OFFSET SIZE            a thread_local variable of the program or library at the address
//   block OFFSET ACCESS SIZE CODE...     a block of the heap that the calls at these instructions made
//   chain ADDRESS PART BLOCK SIZE ANY THREAD...
//                                        what pointers lead to from the variables of threads, each with CODE
//                                        SP BP BX, and from global variables; ANY: 1 for any pointers, 0 for
//                                        containers and smart pointers. BLOCK and SIZE are 0 if the block is
//                                        not known
//   described                            "yes" if debug information describes types of the program, else "no"
//   execution                            what follows is about another execution; the answer is empty
//
// An answer is a line that begins with '='; it is empty if nothing is known. Behind the name of a variable
// may follow the character 31 and what values it has: see values_at_last_path(). Of each function it has the
// name for a reader, the whole name, the file and the line, all separated by tabs. Before it answers, the
// program may ask for memory of the process with a line "?ADDRESS", and gets the words from there on,
// separated by blanks; an empty line if there is no memory. So it needs no permission to trace the process.
//
// With --sources PROGRAM it prints the paths of the files from which the program was compiled, a line each.
//
// It is a program of its own because libdw then need not be linked with the tests, and because whatever is
// wrong with a file cannot do more harm than leave a report without names.

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blocks.hpp"
#include "chains.hpp"
#include "function_names.hpp"
#include "functions.hpp"
#include "process_files.hpp"
#include "source_files.hpp"
#include "types.hpp"
#include "unwinding.hpp"
#include "variables.hpp"

namespace {

using namespace hocket::debug_info;

constexpr char kBeforeValues = 31;  // the unit separator

std::optional<std::uint64_t> number(std::string_view text) {
  constexpr int kHexadecimal = 16;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, kHexadecimal);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

/// The numbers behind the first blank.
std::vector<std::uint64_t> numbers_in(std::string_view question) {
  std::vector<std::uint64_t> found;
  for (std::size_t blank = question.find(' '); blank != std::string_view::npos;) {
    question.remove_prefix(blank + 1);
    blank = question.find(' ');
    found.push_back(number(question.substr(0, blank)).value_or(0));
  }
  return found;
}

/// What the question that is being answered has read.
std::map<std::uint64_t, std::uint64_t> memory;

std::optional<std::uint64_t> read_word(std::uint64_t address) {
  if (const auto known = memory.find(address); known != memory.end()) return known->second;
  std::cout << '?' << std::hex << address << std::endl;
  std::string line;
  if (!std::getline(std::cin, line) || line.empty()) return {};
  std::uint64_t at = address;
  for (const std::uint64_t word : numbers_in(' ' + line)) {
    memory[at] = word;
    at += sizeof word;
  }
  return memory[address];
}

Registers registers_in(const std::vector<std::uint64_t>& numbers, std::size_t at) {
  Registers registers;
  registers[kCode] = numbers[at];
  registers[kSp] = numbers[at + 1];
  registers[kBp] = numbers[at + 2];
  registers[kBx] = numbers[at + 3];
  return registers;
}

/// The path of the file, from the folder in which the compiler ran.
std::string path_of(const Frame& frame) {
  const bool is_whole = frame.file.empty() || frame.file.front() == '/' || frame.folder.empty();
  return is_whole ? frame.file : frame.folder + '/' + frame.file;
}

std::string answer(ProcessFiles& files, Variables& variables, Chains& chains, std::string_view question) {
  const std::vector<std::uint64_t> numbers = numbers_in(question);
  if (question.starts_with("frames ") && numbers.size() == 1) {
    std::string text;
    for (const Frame& frame : frames_at(files, numbers[0])) {
      if (!text.empty()) text += '\t';
      const bool is_described = frame.scope.addr != nullptr;
      text += (is_described ? name_of_function(frame.scope) : frame.short_function) + '\t' +
              (is_described ? whole_name_of_function(frame.scope) : frame.function) + '\t' + path_of(frame) +
              '\t' + std::to_string(frame.line);
    }
    return text;
  }
  if (question.starts_with("static ") && numbers.size() == 2)
    return variables.in_static_storage(numbers[0], numbers[1]);
  if (question.starts_with("thread ") && numbers.size() == 3)
    return variables.in_thread_storage(numbers[0], numbers[1], numbers[2]);
  if (question.starts_with("stack ") && numbers.size() == 6) {
    return variables.on_stack(numbers[0], numbers[1], registers_in(numbers, 2));
  }
  if (question.starts_with("chain ") && numbers.size() >= 5 && numbers.size() % 4 == 1) {
    ChainQuestion about{numbers[0], numbers[1], numbers[2], numbers[3], numbers[4] != 0, {}};
    for (std::size_t at = 5; at < numbers.size(); at += 4) about.threads.push_back(registers_in(numbers, at));
    return chains.name_of(about);
  }
  if (question == "execution") chains.begin();
  if (question == "described") return files.is_program_described() ? "yes" : "no";
  if (question.starts_with("block ") && numbers.size() > 3)
    return name_of_block(files, {numbers[0], numbers[1], numbers[2], {numbers.begin() + 3, numbers.end()}});
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  // A report does not wait for downloads.
  unsetenv("DEBUGINFOD_URLS");
  if (count == 3 && std::string_view(arguments[1]) == "--sources") {
    for (const std::string& path : source_files(arguments[2])) std::cout << path << '\n';
    return 0;
  }
  const std::string_view process = count == 2 ? arguments[1] : "";
  pid_t id = 0;
  const auto [end, error] = std::from_chars(process.data(), process.data() + process.size(), id);
  if (error != std::errc{} || end != process.data() + process.size() || id <= 0) {
    std::cerr << "hocket-debug-info is started by programs that Hocket tests; see docs/supported.md\n";
    return 2;
  }
  ProcessFiles files(id);
  Variables variables(files, &read_word);
  Chains chains(files, variables, &read_word);
  std::string question;
  while (std::getline(std::cin, question)) {
    memory.clear();
    forget_last_path();
    const std::string text = answer(files, variables, chains, question);  // it may ask first
    std::cout << '=' << text;
    if (const std::string values = values_at_last_path(); !text.empty() && !values.empty())
      std::cout << kBeforeValues << values;
    std::cout << std::endl;
  }
  return 0;
}
