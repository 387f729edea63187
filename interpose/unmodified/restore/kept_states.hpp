// What libc, the C++ library and the system keep for the process, and a body may change: it is as the search
// has found it when the next execution begins.
//
// libc's data cannot be put back as a whole, like the program's: the heap is in there that libc and Hocket
// themselves take memory from, the number of threads, keys and handlers of libraries that register once only;
// and where that lies among the rest no one can say of a libc without symbols. So each state is put back by
// itself (docs/unmodified.md has the list), most of them only where an execution has called a function that
// changes it: that is what the entry points in these files are for.
//
// None of it is done where nothing is to be put back, and where each execution has a process of its own.
#pragma once

#include <cstdio>

#include "../../../runtime/execution/execution.hpp"
#include "../host/call_origin.hpp"

namespace hocket::unmodified {

/// Whether a body calls, and what it does is to be undone when the execution is over.
inline bool is_to_be_undone() {
  if (!is_from_body()) return false;
  const runtime::ExecutionOptions& options = runtime::execution.options();
  return !options.keeps_memory && !options.own_process;
}

// -- library_states.cpp: getopt, locales, handlers of the C++ library

/// At the beginning of a search.
void hold_library_states();
/// At the beginning of an execution.
void note_library_states();
/// When it is over, as the others that put something back.
void put_library_states_back();
/// `thread` begins, whose control block another one has had in the last execution.
void begin_errno_and_locale_of(const runtime::Thread& thread);

// -- standard_streams.cpp: stdin, stdout, stderr, and what the program has opened before the search

void hold_streams();
void put_streams_back();
/// The program has opened or closed a stream outside of bodies.
void note_outer_stream(std::FILE* stream);
void forget_outer_stream(std::FILE* stream);
/// Whether it is one of these, which has to be there again in the next execution.
bool is_outer_stream(std::FILE* stream);
/// A body lets it lead to another file.
void note_descriptor_of(std::FILE* stream);

// -- process_states.cpp: working directory, umask, handlers of signals, timers, positions in files, what
// descriptors lead to that are there before the search

void put_process_states_back();
/// A body changes what is done with a signal, or has something done that does.
void note_disposition(int number);
/// A body reads, writes or seeks there.
void note_position(int descriptor);
/// A body closes the descriptor, or lets it lead to another file.
void note_descriptor(int descriptor);

}  // namespace hocket::unmodified
