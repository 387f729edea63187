// Implements hocket_instrument(<target> WHOLE_PROGRAM): the program's main() is the body of a search, and
// this file contains the main() that runs it.
//
// The linker option --wrap=main redirects calls of main to __wrap_main and gives the program's own main the
// name __real_main. An execution ends when the program ends, by returning from main or by exit(). Other
// threads may still run then; how far they have run by that moment is explored like any other choice.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <unistd.h>

#include "../../runtime/execution/allocations.hpp"
#include "../../runtime/execution/execution.hpp"
#include "../../scheduler/api/explore.hpp"
#include "../../scheduler/api/text_width.hpp"
#include "../../scheduler/deaths/supervisor.hpp"
#include "../../scheduler/options/replay_command.hpp"
#include "../../scheduler/options/settings.hpp"
#include "../unmodified/host/call_origin.hpp"
#include "../unmodified/host/logical_threads.hpp"
#include "../unmodified/libc/exit_handlers.hpp"
#include "../unmodified/libc/standard_input.hpp"

extern "C" int __real_main(int argc, char** argv, char** environment);

namespace hocket::unmodified {

namespace {

using runtime::execution;

using runtime::run;
namespace recording = runtime::recording;
using runtime::Where;

constexpr runtime::ObjectKind kProcessKind{"process", [](const runtime::Object&) -> void* { return nullptr; },
    [](runtime::Object&, const void*) {}, [](void*) {}};

// Ends the process with all its threads. For `end_of_stack` see Verdict::end_with_all_threads.
[[noreturn]] void end_program(int status, ExitManner manner, const void* end_of_stack) {
  if (manner == ExitManner::with_handlers) {
    destroy_thread_locals(run.current->index);
    run_exit_handlers(status);
    std::fflush(nullptr);
  }
  if (status != EXIT_SUCCESS && run.options.detect.contains(runtime::Detector::exit_status)) {
    runtime::step::fail(
        runtime::FailureKind::exit, "the program ended with status " + std::to_string(status), Where{});
  }
  constexpr runtime::FoundAt kOnlyOne{0x70726f63657373U};
  runtime::Object process(kProcessKind, kOnlyOne);
  if (run.recording) recording::name(process, "the process");
  if (runtime::step::arrive(process, runtime::Operation::process_exit, true, Where{}))
    runtime::step::act(process, runtime::Operation::process_exit, runtime::Access::write);
  execution.verdict.end_with_all_threads(end_of_stack);
}

[[gnu::noinline]] const void* end_of_callers_stack() {
  return __builtin_frame_address(0);
}

// Copies the arguments, because the program may write into them.
void run_program(const std::vector<std::string>& arguments) {
  std::vector<std::string> own = arguments;
  std::vector<char*> pointers;
  for (std::string& argument : own) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const int status = __real_main(static_cast<int>(own.size()), pointers.data(), __environ);
  // Otherwise the compiler keeps no pointer to them on the stack, and their memory would be reported as a
  // leak.
  __asm__ volatile("" : : "r"(&own), "r"(&pointers) : "memory");
  end_program(status, ExitManner::with_handlers, end_of_callers_stack());
}

int search(int argc, char** argv) {
  end_whole_program = [](int status, ExitManner manner) { end_program(status, manner, nullptr); };
  const std::vector<std::string> arguments(argv, argv + argc);
  supervise(settings());
  set_arguments_of_program({argv + (argc > 0 ? 1 : 0), argv + argc});
  const std::string path = argc > 0 ? argv[0] : "program";
  const StandardInput input;
  const Report report = explore(path.substr(path.rfind('/') + 1), [&] {
    input.rewind();
    run_program(arguments);
  });
  const std::string text = to_text(report, false, columns_of_output());
  std::fwrite(text.data(), 1, text.size(), stdout);  // not std::cout, which the program may have changed
  std::fflush(stdout);
  if (!settings().replay.empty()) return replay_status();
  switch (report.verdict) {
    case Verdict::failed:
    case Verdict::nondeterministic:
      return 1;
    case Verdict::stopped:
      return 3;
    default:
      return 0;
  }
}

}  // namespace

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

extern "C" {

int __wrap_main(int argc, char** argv);
int __wrap_main(int argc, char** argv) {
  try {
    return search(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

}  // extern "C"
