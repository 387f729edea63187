// State of the process that libc, the C++ library and the kernel keep and that a body may change. It is
// restored so that the next execution finds it as the search found it.
//
// libc's data cannot be restored as a whole, as the program's data is. It contains the heap that libc and
// Hocket themselves allocate from, the number of threads, and the keys and handlers of libraries that
// register only once. Without symbols it is impossible to tell where all this lies in libc's data. So each
// state is restored individually (docs/unmodified/executions.md has the list), most of them only if an
// execution has called a function that changes it. The entry points in these files detect such calls.
//
// None of this is done where nothing has to be restored, or where each execution has a process of its own.
#pragma once

#include <cstdio>
#include <ctime>

#include "../../../runtime/execution/execution.hpp"
#include "../host/call_origin.hpp"

namespace hocket::unmodified {

/// Whether the call is from a body whose changes have to be undone when the execution is over.
inline bool is_to_be_undone() {
  if (!is_from_body()) return false;
  const runtime::ExecutionOptions& options = runtime::run.options;
  return !options.keeps_memory && !options.own_process;
}

/// Whether what the body has left open or made is to be given back, now that the execution is over. One that
/// comes to its end cleans up after itself if nothing is restored; one that is cut short cannot.
inline bool is_to_be_given_back(const runtime::ExecutionOptions& options) {
  return !options.keeps_memory || runtime::execution.verdict.is_cut_short();
}

// -- library_states.cpp: getopt, locales, handlers of the C++ library

/// Called at the beginning of a search.
void hold_library_states();
/// Called at the beginning of an execution.
void note_library_states();
/// Called when the execution is over, like the other functions that restore something.
void put_library_states_back();
/// Resets errno and the locale of `thread`, which begins: another thread had its control block in the last
/// execution.
void begin_errno_and_locale_of(const runtime::Thread& thread);

// -- standard_streams.cpp: stdin, stdout, stderr, and the streams that the program opened before the search

void hold_streams();
void put_streams_back();
/// The program has opened or closed a stream outside bodies.
void note_outer_stream(std::FILE* stream);
void forget_outer_stream(std::FILE* stream);
/// Whether it is one of these streams, which the next execution needs again.
bool is_outer_stream(std::FILE* stream);
/// To be called when a body makes the stream refer to another file.
void note_descriptor_of(std::FILE* stream);

// -- process_states.cpp: working directory, umask, signal handlers, timers, file positions, and what
// descriptors 0 to 2 and those of the program's earlier streams refer to

void put_process_states_back();
/// To be called before a body changes the disposition of a signal, directly or through another function.
void note_disposition(int number);
/// To be called when a body has made a timer of the system, which is gone after the execution, and before it
/// deletes one.
void note_timer(timer_t timer);
void note_deleted_timer(timer_t timer);
/// To be called before a body reads, writes or seeks there.
void note_position(int descriptor);
/// To be called before a body closes the descriptor or makes it refer to another file.
void note_descriptor(int descriptor);

// -- semaphores.cpp: the semaphores that the body has opened with sem_open()

void close_semaphores_of_body(const runtime::ExecutionOptions& options);

}  // namespace hocket::unmodified
