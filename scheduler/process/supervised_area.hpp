// What a process that searches shares with its supervisor: another process, which learns of an execution that
// has ended its process in a way of which nobody inside could tell.
//
// It is a file in memory: a header, texts, the state of the execution (runtime::Run) and the log of its
// choices. The two processes may be of different builds, so the header says where in the state things are.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hocket::supervised_area {

/// In the environment: the process ID of the supervisor and the number of the file there, with a colon
/// between them.
inline constexpr const char* kVariable = "HOCKET_SUPERVISED";

inline constexpr std::uint64_t kMagic = 0x33746b636f48ULL;  ///< of this layout of the header

enum class Phase : std::uint32_t {
  idle,       ///< no search runs, or one that cannot be supervised
  searching,  ///< if the state has an execution that runs, its schedule is in the log
  told        ///< the process has told itself how it ends
};

struct Header {
  std::uint64_t magic;
  volatile Phase phase;
  std::uint32_t text_size;  ///< of the schedule as JSON, without choices
  std::uint32_t
      folder_size;           ///< of the name of the folder in which it is to be saved, which comes after that
  std::uint32_t position;    ///< where in the state the number of choices is: 32 bits
  std::uint32_t os_thread;   ///< where a word is that is not 0 while an execution runs
  std::uint32_t entry_size;  ///< of a choice in the log
  std::uint32_t code;        ///< where in that its code is: 16 bits
  volatile std::uint64_t executions;  ///< of the search, before the one that runs
  volatile std::uint32_t deaths;      ///< executions that have ended their process, of which it has told
  std::int32_t owner;                 ///< the process that uses the area; 0: none has
};

inline constexpr std::size_t kTexts = std::size_t{64} * 1024;  ///< where the texts begin
inline constexpr std::size_t kMostTexts = std::size_t{1} << 20U;
inline constexpr std::size_t kState = kTexts + kMostTexts;
inline constexpr std::size_t kMostState = std::size_t{1} << 20U;
inline constexpr std::size_t kLog = kState + kMostState;
inline constexpr std::size_t kMostLog = std::size_t{64} << 20U;
inline constexpr std::size_t kBytes = kLog + kMostLog;  ///< of which only the pages that are used take memory

}  // namespace hocket::supervised_area
