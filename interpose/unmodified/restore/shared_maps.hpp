// Memory that the program maps and that is no block of the body's heap: files, memory that processes share,
// and named semaphores. The system gives it other addresses in every execution and in every process, so it is
// named by its file or by its turn. One page of a file may be mapped at several addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <sys/types.h>

#include "../../../runtime/execution/execution_options.hpp"
#include "own_data.hpp"

namespace hocket::unmodified {

/// The arguments of mmap() that tell what is mapped.
struct MappedFile {
  std::size_t size;
  int protection;
  int flags;
  int descriptor;
  off_t offset;
  const void* caller;  ///< where the call of mmap() returns to
};

/// Where the body maps exactly this already, or did in this execution, unless it wants an address of its
/// choice. The same address serves both, so that an access through one is one through the other.
std::optional<void*> map_again(const MappedFile& file);

/// To be called when code of the program has mapped something that map_again() did not answer for.
void note_shared_map(void* memory, const MappedFile& file);
/// To be called when mremap() has moved or resized what is mapped at `before`.
void note_moved_map(const void* before, void* memory, std::size_t size);
/// A hash of the path of the file behind the descriptor; 0 if it has none that is the same in every
/// execution.
std::uint64_t stable_path_behind(int descriptor);
/// To be called for the file behind the descriptor, or the folder, whose name the system has made up.
void note_random_name(int descriptor);
void note_random_folder(const char* path);
/// To be called when sem_open() has returned this semaphore.
void note_named_semaphore(const void* semaphore, std::size_t size, const char* name);

/// To be called before memory is unmapped outside of bodies.
void forget_shared_map(const void* memory, std::size_t size);
/// What munmap() is to return to the body. No value if the address is in no such memory. The memory cannot be
/// accessed any more, but its addresses stand for it until the execution is over.
std::optional<int> unmap_shared(void* memory, std::size_t size);

/// Whether the memory is from before the search and needed by the next execution.
bool is_shared_map_needed_again(const void* memory);
/// What was mapped before the search and is put back.
std::vector<AddressRange> restored_shared_maps();

/// A key that is the same under every schedule; 0 if the address is in no such memory.
std::uint64_t key_in_shared_map(std::uintptr_t address);

/// Called when a search begins: copies what may be written and was mapped before.
void hold_shared_maps();
/// Called when an execution begins: the memory has the contents of the beginning of the search.
void begin_shared_maps(const runtime::ExecutionOptions& options);
/// Called when an execution is over: unmaps what the body has mapped.
void unmap_what_body_mapped(const runtime::ExecutionOptions& options);

}  // namespace hocket::unmodified
