// Registers this library with the runtime.
#include "../../../runtime/threads/host.hpp"

#include <cstddef>
#include <stdexcept>
#include <string_view>

#include <link.h>
#include <unistd.h>

#include "../../../runtime/execution/recording.hpp"
#include "../../../runtime/platform/static_storage.hpp"
#include "../../../runtime/platform/thread_count.hpp"
#include "../hooks/atomic_regions.hpp"
#include "../host/control_blocks.hpp"
#include "../host/logical_threads.hpp"
#include "../host/stacks.hpp"
#include "../libc/asynchronous_io.hpp"
#include "../libc/exit_handlers.hpp"
#include "../libc/thread_timers.hpp"
#include "../libstdcxx/library_waits.hpp"
#include "../memory/outer_heap.hpp"
#include "../memory/watched_pages.hpp"
#include "../naming/address_names.hpp"
#include "../pthread/robust_mutexes.hpp"
#include "../restore/fork_server.hpp"
#include "../restore/instrumented_objects.hpp"
#include "../restore/leak_roots.hpp"
#include "../restore/outer_files.hpp"
#include "../restore/snapshot.hpp"
#include "../shadow/cells.hpp"
#include "../shadow/hocket_objects.hpp"
#include "../shadow/models.hpp"
#include "lifecycle.hpp"

namespace hocket::unmodified {

namespace {

/// Refuses a program that seems to be under control but is not.
void check_program() {
  if (!is_anything_instrumented()) {
    throw std::logic_error(
        "hocket: this program is linked with hocket::unmodified, but none of its code is instrumented: call "
        "hocket_instrument(<target>) in CMakeLists.txt for the target that holds the code under test");
  }
  static const bool once = (warn_of_library_waits(), true);
  static_cast<void>(once);
}

/// Refuses a program that is linked with ThreadSanitizer. This happens before any other code of the program
/// runs, because the program would otherwise fail in ways that do not show the cause.
[[gnu::constructor(101)]] void refuse_sanitizer() {
  const int is_linked = dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t /*size*/, void* /*argument*/) {
        return static_cast<int>(
            std::string_view(object->dlpi_name).find("/libtsan.so") != std::string_view::npos);
      },
      nullptr);
  if (is_linked == 0) return;
  constexpr std::string_view kMessage =
      "hocket: this program is linked with ThreadSanitizer, whose hooks Hocket has to replace: link "
      "without -fsanitize=thread; hocket_instrument() compiles with it where it is needed\n";
  static_cast<void>(!write(STDERR_FILENO, kMessage.data(), kMessage.size()));
  _exit(2);
}

class Searches final : public runtime::HostSearches {
 public:
  void begin_search() override {
    check_program();
    lifecycle::begin_search();
  }
  bool take_found_overlaps() override { return atomic_regions().take_any_new(); }
  const std::vector<LeftChanged>& left_changed() override { return files_left_changed(); }
  void begin() override { lifecycle::begin_execution(runtime::run.options); }
  void end() override { lifecycle::end_execution(runtime::run.options); }

  void share_with_children(
      const std::function<void()>& search, void (*ended)(const runtime::platform::Ending& ending)) override {
    unmodified::share_with_children(search, ended);
  }
  void begin_child(const runtime::ExecutionOptions& options) override {
    if (options.trace != nullptr && !is_data_saved()) lifecycle::begin_with_same_memory();
    unmodified::begin_child(options);
  }
  void end_child() override { unmodified::end_child(); }
};

class Memory final : public runtime::HostMemory {
 public:
  void made(const runtime::Object& object) override { hocket_objects().add(object); }
  bool puts_back(const runtime::Object& object) override {
    if (runtime::run.options.keeps_memory) return false;
    return runtime::platform::is_in_static_storage(&object) || OuterHeap::contains(&object);
  }
  std::uintptr_t address_of(const runtime::Object& object) override {
    const Cell* const cell = as_cell(object);
    return cell != nullptr ? cell->address : 0;
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
      if (cell.address == address) runtime::recording::name(cell, name);
    });
  }
  void for_each_root(const std::function<void(std::uintptr_t, std::uintptr_t)>& visit) override {
    for_each_root_of_blocks(visit);
  }
  void catch_faults(bool are_caught) override { WatchedPages::catch_faults(are_caught); }
  bool faulted(void* address) override { return WatchedPages::faulted(address); }
};

class Threads final : public runtime::HostThreads {
 public:
  std::uintptr_t control_block(unsigned index) override { return control_block_of(index); }
  void* top_of_stack(unsigned index) override { return StackSpace::top_of(index); }
  void created(runtime::Thread& thread) override { lifecycle::begin_thread(thread); }
  void returned(runtime::Thread& thread) override {
    destroy_thread_locals(thread.index);
    if (thread.creator == nullptr) {
      run_exit_handlers(0);  // destroys the statics that the body has made
      end_thread_timers();
      end_requests();
    }
    if (thread.creator != nullptr) give_robust_mutexes_back();
    Stacks::ended();
    cells().end_thread_locals(thread.index);
  }
  unsigned uncontrolled() override {
    // Those that are parked are Hocket's.
    return static_cast<unsigned>(runtime::platform::threads_beside(1 + control_blocks_made()));
  }
};

[[maybe_unused]] const bool is_registered = [] {
  static constinit Searches searches;
  static constinit Memory memory;
  static constinit Threads threads;
  static constinit const runtime::Host host{searches, memory, threads};
  runtime::run.host = &host;
  return true;
}();

}  // namespace

}  // namespace hocket::unmodified
