// Registers this library with the runtime: what an execution of code that was not written for Hocket begins
// and ends with.
#include "../../../runtime/threads/thread_host.hpp"

#include <cstddef>
#include <stdexcept>
#include <string_view>

#include <link.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#include "../../../runtime/platform/files.hpp"
#include "../../../runtime/platform/static_storage.hpp"
#include "../hooks/annotations.hpp"
#include "../hooks/atomic_regions.hpp"
#include "../libc/environment.hpp"
#include "../libc/exit_handlers.hpp"
#include "../libc/stdio_streams.hpp"
#include "../libstdcxx/iostreams.hpp"
#include "../memory/heap.hpp"
#include "../memory/outer_heap.hpp"
#include "../memory/watched_pages.hpp"
#include "../naming/address_names.hpp"
#include "../naming/outer_names.hpp"
#include "../pthread/barriers.hpp"
#include "../pthread/signals.hpp"
#include "../restore/fork_server.hpp"
#include "../restore/instrumented_objects.hpp"
#include "../restore/kept_states.hpp"
#include "../restore/leak_roots.hpp"
#include "../restore/snapshot.hpp"
#include "../shadow/cells.hpp"
#include "../shadow/hocket_objects.hpp"
#include "../shadow/memory_words.hpp"
#include "../shadow/models.hpp"
#include "call_origin.hpp"
#include "control_blocks.hpp"
#include "logical_threads.hpp"
#include "stacks.hpp"

namespace hocket::unmodified {

namespace {

/// Refuses a program that would seem to be under control and is not.
void check_program() {
  if (!is_anything_instrumented()) {
    throw std::logic_error(
        "hocket: this program is linked with hocket::unmodified, but none of its code is instrumented: call "
        "hocket_instrument(<target>) in CMakeLists.txt for the target that holds the code under test");
  }
}

/// Refuses ThreadSanitizer, before any other code of the program runs: it would fail in ways that tell
/// nothing.
[[gnu::constructor(101)]] void refuse_sanitizer() {
  const int is_linked = dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t /*size*/, void* /*argument*/) {
        return static_cast<int>(
            std::string_view(object->dlpi_name).find("/libtsan.so") != std::string_view::npos);
      },
      nullptr);
  if (is_linked == 0) return;
  constexpr std::string_view kMessage =
      "hocket: this program is linked with ThreadSanitizer, whose hooks Hocket has to replace: "
      "link "
      "without -fsanitize=thread; hocket_instrument() compiles with it where it is needed\n";
  static_cast<void>(!write(STDERR_FILENO, kMessage.data(), kMessage.size()));
  _exit(2);
}

/// How many threads of the system the process has beside the one that searches and those that are parked.
unsigned threads_of_program() {
  constexpr unsigned kTries = 5;
  constexpr useconds_t kPause = 1000;  // microseconds
  std::size_t count = 0;
  // One that has just been joined may still be listed.
  for (unsigned n = 0; n == 0 || (count != 0 && n < kTries); ++n) {
    if (n != 0) usleep(kPause);
    const std::size_t listed = runtime::platform::names_in("/proc/self/task").size();
    const std::size_t known = 1 + control_blocks_made();
    count = listed > known ? listed - known : 0;
  }
  return static_cast<unsigned>(count);
}

class InstrumentedHost final : public runtime::ThreadHost {
 public:
  void begin_search() override {
    check_program();
    cells().clear();
    atomic_regions().clear();
    forget_data();
    outer_pages().forget();
    forget_outer_names();
    begin_to_pass_over_counters_of_coverage();
    hold_environment();
    hold_library_states();
    hold_streams();
  }

  bool found_overlaps() override { return atomic_regions().found_any_new(); }

  unsigned uncontrolled_threads() override { return threads_of_program(); }

  void catch_faults(bool are_caught) override { WatchedPages::catch_faults(are_caught); }
  bool faulted(void* address) override { return WatchedPages::faulted(address); }

  void share_with_children(const std::function<void()>& search, void (*ended)(int status)) override {
    unmodified::share_with_children(search, ended);
  }
  void begin_child(const runtime::ExecutionOptions& options) override {
    if (options.trace != nullptr && !is_data_saved()) note_memory();
    unmodified::begin_child(options);
  }
  void end_child() override { unmodified::end_child(); }

  void begin() override {
    // Else libstdc++ counts shared_ptrs without atomic operations while there is one OS thread only.
    __libc_single_threaded = 0;
    const runtime::ExecutionOptions& options = runtime::execution.options();
    if (!options.keeps_memory && !options.own_process) note_memory();
    note_library_states();
    keep_streams_as_library_has_them();
    cells().begin();
    hocket_objects().begin();
    forget_words();
    atomic_regions().begin();
    models().begin();
    benign_memory().begin();
    if (options.own_process) {
      heap().begin_untouched();
    } else {
      heap().begin(options.keeps_memory);
    }
    forget_names();
    forget_barriers();
    forget_exit_handlers();
  }

  void end() override {
    for (unsigned t = 0; t < runtime::execution.thread_count(); ++t) Stacks::begin(t);
    if (runtime::execution.options().keeps_memory) return;
    put_environment_back();
    forget_keys_of_body();
    close_streams_of_body();
    if (runtime::execution.options().own_process) return;
    put_library_states_back();
    put_streams_back();
    put_process_states_back();
  }

  void for_each_root(const std::function<void(std::uintptr_t, std::uintptr_t)>& visit) override {
    for_each_root_of_blocks(visit);
  }

  void made(const runtime::Object& object) override { hocket_objects().add(object); }
  bool puts_back(const runtime::Object& object) override {
    if (runtime::execution.options().keeps_memory) return false;
    return runtime::platform::is_in_static_storage(&object) || OuterHeap::contains(&object);
  }

  void name(const void* object, std::string_view name) override {
    const runtime::OwnMemory own;
    const auto address = reinterpret_cast<std::uintptr_t>(object);
    give_name(address, name);
    models().mutexes.rename(object, name);
    models().shared_mutexes.rename(object, name);
    models().conditions.rename(object, name);
    models().semaphores.rename(object, name);
    models().annotations.rename(object, name);
    cells().for_each_in(address, 1, [&](Cell& cell) {
      if (cell.address == address) runtime::execution.name(cell, name);
    });
  }

  std::uintptr_t memory_of(const runtime::Object& object) override {
    const Cell* const cell = as_cell(object);
    return cell != nullptr ? cell->address : 0;
  }

  void* top_of_stack(unsigned index) override { return StackSpace::top_of(index); }

  std::uintptr_t control_block(unsigned index) override { return control_block_of(index); }

  void created(runtime::Thread& thread) override {
    if (!runtime::execution.options().own_process) reset_control_block(thread.index);
    begin_errno_and_locale_of(thread);
    LogicalThread& logical = logical_thread(thread.index);
    logical.function = nullptr;
    logical.result = nullptr;
    logical.destructors.clear();
    logical.values.clear();
    logical.name.clear();
    if (thread.creator != nullptr) {
      const std::string& name = logical_thread(thread.creator->index).name;
      if (!name.empty()) logical.name = name;
    }
    begin_signals_of(thread);
    thread.looks.begin();
    thread.standard_lock = {};
    thread.caller = nullptr;
    thread.entered_at = 0;
    Stacks::begin(thread.index);
    thread.parts_touched.clear();
  }

  void returned(runtime::Thread& thread) override {
    destroy_thread_locals(thread.index);
    if (thread.creator == nullptr) run_exit_handlers(0);  // the statics that the body has made
    Stacks::ended();
  }

 private:
  /// Takes the picture of the program's memory, or puts it back.
  static void note_memory() {
    outer_pages().begin(outer_heap().used_end() - OuterHeap::kBegin);
    begin_with_fresh_data();
  }
};

[[maybe_unused]] const bool is_registered = [] {
  static constinit InstrumentedHost instrumented_host;
  runtime::execution.host = &instrumented_host;
  return true;
}();

}  // namespace

}  // namespace hocket::unmodified
