#include "lifecycle.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "../../../runtime/execution/execution.hpp"
#include "../hooks/annotations.hpp"
#include "../hooks/atomic_regions.hpp"
#include "../host/control_blocks.hpp"
#include "../host/logical_threads.hpp"
#include "../host/single_thread.hpp"
#include "../host/stacks.hpp"
#include "../libc/environment.hpp"
#include "../libc/exit_handlers.hpp"
#include "../libc/open_files.hpp"
#include "../libc/regular_files.hpp"
#include "../libc/stdio_streams.hpp"
#include "../libstdcxx/iostreams.hpp"
#include "../memory/heap.hpp"
#include "../memory/outer_heap.hpp"
#include "../memory/watched_pages.hpp"
#include "../naming/address_names.hpp"
#include "../naming/outer_names.hpp"
#include "../pthread/barriers.hpp"
#include "../pthread/mutexes.hpp"
#include "../pthread/robust_mutexes.hpp"
#include "../pthread/signals.hpp"
#include "../pthread/writers_first.hpp"
#include "../restore/body_descriptors.hpp"
#include "../restore/instrumented_objects.hpp"
#include "../restore/kept_states.hpp"
#include "../restore/outer_files.hpp"
#include "../restore/outer_maps.hpp"
#include "../restore/shared_maps.hpp"
#include "../restore/snapshot.hpp"
#include "../shadow/cells.hpp"
#include "../shadow/hocket_objects.hpp"
#include "../shadow/memory_words.hpp"
#include "../shadow/models.hpp"
#include "../untracked/untracked_calls.hpp"

namespace hocket::unmodified::lifecycle {

namespace {

using runtime::ExecutionOptions;
using runtime::Thread;

/// One part of the library. An action that it does not need is nullptr.
struct Part {
  void (*begin_search)() = nullptr;
  void (*begin_execution)(const ExecutionOptions& options) = nullptr;
  void (*begin_thread)(Thread& thread) = nullptr;
  void (*end_execution)(const ExecutionOptions& options) = nullptr;
};

/// Adapts an action that does not depend on the options.
template <void (*action)()>
void always(const ExecutionOptions& /*options*/) {
  action();
}
/// Adapts an action that undoes what an execution has changed. It is skipped if the options say that the next
/// execution is to find those changes.
template <void (*action)()>
void unless_kept(const ExecutionOptions& options) {
  if (!options.keeps_memory) action();
}
/// The same for state that also disappears together with a child process.
template <void (*action)()>
void unless_kept_or_in_child(const ExecutionOptions& options) {
  if (!options.keeps_memory && !options.own_process) action();
}

void begin_logical_thread(Thread& thread) {
  LogicalThread& logical = logical_thread(thread.index);
  logical.function = nullptr;
  logical.result = nullptr;
  logical.destructors.clear();
  logical.values.clear();
  logical.random_numbers = 0;
  logical.name.clear();
  if (thread.creator != nullptr) {
    const std::string& name = logical_thread(thread.creator->index).name;
    if (!name.empty()) logical.name = name;
  }
}

// The order of two rows matters only where a comment says so. What begins a search does not depend on other
// rows.
constexpr std::array kParts{
    Part{.begin_execution = always<hide_that_thread_is_single>},
    Part{.begin_thread = [](Thread& thread) { Stacks::begin(thread.index); },
        .end_execution =
            [](const ExecutionOptions&) {
              for (unsigned t = 0; t < runtime::execution.thread_count(); ++t) Stacks::begin(t);
            }},
    // The state that the system keeps for each thread.
    Part{.begin_thread =
             [](Thread& thread) {
               if (!runtime::run.options.own_process) reset_control_block(thread.index);
               begin_errno_and_locale_of(thread);  // which are in the control block
             }},
    Part{.begin_thread = begin_logical_thread},
    Part{.begin_thread = [](Thread& thread) { begin_signals_of(thread); }},
    // What the body has left behind is cleaned up before the states of the library are restored, because
    // those states contain some of it.
    Part{.begin_search = hold_environment, .end_execution = unless_kept<put_environment_back>},
    Part{.end_execution = forget_keys_of_body},
    Part{.end_execution = close_streams_of_body},
    Part{.end_execution = close_semaphores_of_body},
    Part{.end_execution = end_regular_files},
    // After the streams, which close their descriptors.
    Part{.end_execution = close_descriptors_of_body},
    Part{.end_execution = unless_kept_or_in_child<put_protections_back>},
    // A child process shares them with the search.
    Part{.begin_search = hold_shared_maps,
        .begin_execution = begin_shared_maps,
        .end_execution = unmap_what_body_mapped},
    // The program's memory. The rows after this one deal with its contents.
    Part{.begin_search =
             [] {
               forget_data();
               outer_pages().forget();
               forget_outer_names();
             },
        .begin_execution = unless_kept_or_in_child<begin_with_same_memory>},
    Part{.begin_search = begin_to_pass_over_counters_of_coverage},
    Part{.begin_search = hold_library_states,
        .begin_execution = always<note_library_states>,
        .end_execution = unless_kept_or_in_child<put_library_states_back>},
    Part{.begin_search = hold_streams,
        .begin_execution = always<keep_streams_as_library_has_them>,
        .end_execution = unless_kept_or_in_child<put_streams_back>},
    Part{.end_execution = unless_kept_or_in_child<put_process_states_back>},
    // A child process shares these files with the search.
    Part{.begin_search = find_outer_files,
        .begin_execution = put_outer_files_back,
        .end_execution = put_outer_files_back},
    // The models of the program's memory and objects. Cells come before everything that refers to cells.
    Part{.begin_search = [] { cells().clear(); },
        .begin_execution = [](const ExecutionOptions&) { cells().begin(); }},
    Part{.begin_execution = [](const ExecutionOptions&) { hocket_objects().begin(); }},
    Part{.begin_execution = always<forget_words>},
    Part{.begin_search = [] { atomic_regions().clear(); },
        .begin_execution = [](const ExecutionOptions&) { atomic_regions().begin(); }},
    Part{.begin_execution = [](const ExecutionOptions&) { models().begin(); }},
    Part{.begin_execution = [](const ExecutionOptions&) { benign_memory().begin(); }},
    Part{.begin_execution =
             [](const ExecutionOptions& options) {
               if (options.own_process) {
                 heap().begin_untouched();
               } else {
                 heap().begin(options.keeps_memory);
               }
             }},
    Part{.begin_execution = always<forget_names>},
    Part{.begin_execution = always<forget_barriers>},
    Part{.begin_execution = always<forget_locks_taken_again>},
    Part{.begin_execution = always<forget_robust_mutexes>},
    Part{.begin_execution = always<writers_first::forget>},
    Part{.begin_execution = always<forget_exit_handlers>},
    Part{.begin_execution = always<forget_open_files>},
    Part{.begin_search = forget_found_untracked_calls, .begin_execution = always<forget_untracked_calls>},
    Part{.begin_thread = [](Thread& thread) { thread.instrumented.begin(); }},
};

/// Runs `action` of every part that has one. The compiler knows the rows, so an execution does not pay for
/// parts without that action.
template <auto action, class... Arguments>
void have_all_do(Arguments&... arguments) {
  const auto have_one_do = [&]<std::size_t n>(std::integral_constant<std::size_t, n>) {
    constexpr auto kAction = kParts[n].*action;
    if constexpr (kAction != nullptr) kAction(arguments...);
  };
  [&]<std::size_t... n>(std::index_sequence<n...>) {
    (have_one_do(std::integral_constant<std::size_t, n>()), ...);
  }
  (std::make_index_sequence<kParts.size()>());
}

}  // namespace

void begin_search() {
  have_all_do<&Part::begin_search>();
}
void begin_execution(const ExecutionOptions& options) {
  have_all_do<&Part::begin_execution>(options);
}
void begin_thread(Thread& thread) {
  have_all_do<&Part::begin_thread>(thread);
}
void end_execution(const ExecutionOptions& options) {
  have_all_do<&Part::end_execution>(options);
}

void begin_with_same_memory() {
  outer_pages().begin(outer_heap().used_end() - OuterHeap::kBegin);
  begin_with_fresh_data();
}

}  // namespace hocket::unmodified::lifecycle
