#include <hocket/scheduler/crash_file.hpp>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <hocket/runtime/execution.hpp>
#include <hocket/scheduler/output_gate.hpp>
#include <hocket/scheduler/schedule_file.hpp>

namespace hocket {

namespace {

constexpr std::array kSignals{SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL};
constexpr std::array kNames{"SIGSEGV", "SIGABRT", "SIGFPE", "SIGBUS", "SIGILL"};
constexpr std::size_t kOverflow = kSignals.size();  // one more text: for a stack overflow
constexpr int kMostFiles = 100;

/// A file but for what is known only when it is written.
struct Text {
  std::string until_executions;
  std::string until_choices;
  std::string rest;
};

struct Prepared {
  std::array<Text, kSignals.size() + 1> texts;
  std::string temporary;
  std::string stem;       ///< of the file's name, with its folder
  std::string extension;  ///< follows the stem and a number
  std::string name;       ///< room for a whole one
  std::array<struct sigaction, kSignals.size()> previous;
  void* alternate_stack = nullptr;
  stack_t previous_stack{};
  bool saves = false;
  const std::uint64_t* executions = nullptr;  ///< made so far, without the one that runs
  std::string expected;                       ///< a file that tells of the crash already
};

Prepared* prepared = nullptr;

void put(int file, const char* text, std::size_t size) {
  while (size != 0) {
    const ssize_t n = write(file, text, size);
    if (n <= 0) return;
    text += n;
    size -= static_cast<std::size_t>(n);
  }
}
void put(int file, const char* text) {
  put(file, text, std::strlen(text));
}

/// The digits of `number` at the end of `room`: where they begin.
template <std::size_t Size>
char* write_digits(std::uint64_t number, std::array<char, Size>& room) {
  char* digit = room.data() + room.size();
  do {
    *--digit = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  return digit;
}

void put_number(int file, std::uint64_t number) {
  std::array<char, 20> room;
  const char* digits = write_digits(number, room);
  put(file, digits, static_cast<std::size_t>(room.data() + room.size() - digits));
}

void put_choices(int file, const runtime::Execution& execution) {
  std::array<char, 4096> buffer;
  std::size_t used = 0;
  for (std::uint32_t n = 0; n < execution.position; ++n) {
    std::array<char, 8> room;
    if (n != 0) buffer[used++] = ',';
    for (const char* digit = write_digits(execution.log[n].code, room); digit != room.data() + room.size();)
      buffer[used++] = *digit++;
    if (used > buffer.size() - 16) {
      put(file, buffer.data(), used);
      used = 0;
    }
  }
  put(file, buffer.data(), used);
}

/// schedule_file_name, without allocating.
const char* nth_name(Prepared& p, int n) {
  p.name = p.stem;
  if (n > 1) {
    p.name += '-';
    if (n >= 100) p.name += static_cast<char>('0' + n / 100);
    if (n >= 10) p.name += static_cast<char>('0' + n / 10 % 10);
    p.name += static_cast<char>('0' + n % 10);
  }
  p.name += p.extension;
  return p.name.c_str();
}

bool is_stack_overflow(const runtime::Execution& execution, int signal, const siginfo_t* info) {
  return (signal == SIGSEGV || signal == SIGBUS) && execution.current->stack.guards(info->si_addr);
}

void handle(int signal, siginfo_t* info, void* /*context*/) {
  Prepared& p = *prepared;
  const runtime::Execution& execution = runtime::execution;
  std::size_t place = 0;
  while (place + 1 < kSignals.size() && kSignals[place] != signal) ++place;
  if (runtime::is_controlled() && execution.current->stack.bottom != nullptr) {
    const int screen = OutputGate::real_stderr();
    const bool overflow = is_stack_overflow(execution, signal, info);
    put(screen,
        overflow ? "\nhocket: stack overflow in a logical thread (see Options::stack_size); " : "\nhocket: ");
    put(screen, kNames[place]);
    put(screen, " in an execution");
    const char* saved_as = nullptr;
    const int file = p.saves && p.expected.empty()
                         ? open(p.temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)
                         : -1;
    if (file >= 0) {
      const Text& text = p.texts[overflow ? kOverflow : place];
      put(file, text.until_executions.data(), text.until_executions.size());
      put_number(file, *p.executions);
      put(file, text.until_choices.data(), text.until_choices.size());
      put_choices(file, execution);
      put(file, text.rest.data(), text.rest.size());
      fsync(file);
      close(file);
      for (int n = 1; n <= kMostFiles && saved_as == nullptr; ++n) {  // the first name that is free is taken
        const char* name = nth_name(p, n);
        if (link(p.temporary.c_str(), name) == 0) saved_as = name;
      }
      unlink(p.temporary.c_str());
    }
    if (!p.expected.empty()) {
      put(screen, ": the one that is saved in ");
      put(screen, p.expected.c_str());
      put(screen, " came again\n");
    } else if (saved_as != nullptr) {
      put(screen, "; its schedule is saved in ");
      put(screen, saved_as);
      put(screen, "\nreplay it with --hocket_replay=");
      put(screen, saved_as);
      put(screen, " or: hocket replay ");
      put(screen, saved_as);
      put(screen, " BINARY\n");
    } else {
      put(screen, p.saves ? "; its schedule could not be saved\n" : "\n");
    }
  }
  sigaction(signal, &p.previous[place], nullptr);
  // A fault comes again when the instruction is repeated, now to the handler that was there before; others
  // are sent.
  if (info->si_code <= 0 || signal == SIGABRT) raise(signal);
}

Text split(const std::string& json) {
  // No text in the file holds these: its quotes are escaped.
  constexpr std::string_view kExecutions = "\"executions\": ";
  constexpr std::string_view kChoices = "\"choices\": [";
  const std::size_t executions = json.find(kExecutions) + kExecutions.size();
  const std::size_t after_executions = json.find_first_not_of("0123456789", executions);
  const std::size_t choices = json.find(kChoices) + kChoices.size();
  return {json.substr(0, executions), json.substr(after_executions, choices - after_executions),
      json.substr(choices)};
}

}  // namespace

CrashFile::CrashFile(
    const Schedule& about, const std::string& directory, const std::uint64_t& executions_so_far) {
  prepared = new Prepared;
  Prepared& p = *prepared;
  p.executions = &executions_so_far;
  p.saves = !directory.empty();
  if (p.saves) {
    for (std::size_t n = 0; n <= kOverflow; ++n) {
      Schedule schedule = about;
      schedule.complete = false;
      schedule.choices.clear();
      schedule.threads.clear();
      const bool overflow = n == kOverflow;
      schedule.kind = overflow ? runtime::FailureKind::stack_overflow : runtime::FailureKind::signal;
      schedule.signal = overflow ? SIGSEGV : kSignals[n];
      schedule.message = overflow ? "stack overflow: a logical thread used more than its " +
                                        std::to_string(about.stack_size / 1024) + " KiB"
                                  : std::string("the process got ") + kNames[n];
      p.texts[n] = split(to_json(schedule));
    }
    const std::filesystem::path folder = std::filesystem::absolute(directory);
    std::error_code ignored;  // what cannot be made now is told of when there is something to save
    std::filesystem::create_directories(folder, ignored);
    const std::string stem = schedule_file_stem(about.test);
    p.stem = (folder / stem).string();
    p.extension = schedule_file_name(about.test, 1).substr(stem.size());
    p.name.reserve(p.stem.size() + p.extension.size() + std::string_view("-100").size());
    p.temporary = p.stem + ".crash-" + std::to_string(getpid());
  }
  constexpr std::size_t kStack = std::size_t{64} * 1024;
  p.alternate_stack = mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack_t stack{};
  stack.ss_sp = p.alternate_stack;
  stack.ss_size = kStack;
  sigaltstack(&stack, &p.previous_stack);
  struct sigaction action {};
  action.sa_sigaction = &handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (std::size_t n = 0; n < kSignals.size(); ++n) sigaction(kSignals[n], &action, &p.previous[n]);
}

void CrashFile::expect(const std::string& file) {
  if (prepared != nullptr) prepared->expected = file;
}

CrashFile::~CrashFile() {
  Prepared& p = *prepared;
  for (std::size_t n = 0; n < kSignals.size(); ++n) sigaction(kSignals[n], &p.previous[n], nullptr);
  sigaltstack(&p.previous_stack, nullptr);
  munmap(p.alternate_stack, std::size_t{64} * 1024);
  delete prepared;
  prepared = nullptr;
}

}  // namespace hocket
