// What a process that searches shares with its supervisor: another process, which learns of an execution that
// has ended its process in a way of which nobody inside could tell.
//
// It is memory, in a file if the other process is not forked: a header, texts, the state of the execution
// (runtime::Run), the log of its choices and records of what came of the tests, as fresh_start.hpp keeps
// them. The two processes may be of different builds, so the header says where in the state things are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "count_of_calls.hpp"
#include "last_words.hpp"

namespace hocket::supervised_area {

/// In the environment: the process ID of the supervisor and the number of the file there, with a colon
/// between them, and kBeginsAnew if the program has run before.
inline constexpr const char* kVariable = "HOCKET_SUPERVISED";
inline constexpr std::string_view kBeginsAnew = ":again";

inline constexpr std::uint64_t kMagic = 0x35746b636f48ULL;  ///< of this layout of the header

enum class Phase : std::uint32_t {
  idle,       ///< no search runs, or one that cannot be supervised
  searching,  ///< if the state has an execution that runs, its schedule is in the log
  checking,   ///< a model, with the name in the text; where the last words are there is a CheckOfModel
  told        ///< the process has told itself how it ends
};

/// Whether the supervisor starts the program again, for the tests that are left, when an execution ends it.
enum class BeginsAnew : std::uint32_t {
  no,
  if_it_dies,            ///< of which the supervisor adds a record
  if_it_dies_following,  ///< the same, but it follows a schedule, and there is a record of how that ends
  yes                    ///< the process has added the record itself
};

/// As in BoundReport.
struct CountsOfBound {
  std::uint64_t executions;
  std::uint64_t classes;
  std::uint64_t failures;
  std::uint64_t is_complete;
};

/// As in Coverage.
struct Counts {
  std::uint64_t executions;
  std::uint64_t pruned;
  std::uint64_t dropped;
  std::uint64_t classes;
  std::uint64_t failed_classes;
  std::uint64_t steps;
  std::uint64_t count_of_bounds;
  std::array<CountsOfBound, 32> bounds;  ///< the first ones
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
  std::uint32_t marks;       ///< where in that a byte is that says more
  std::uint8_t gives_way;    ///< the bits of that byte for a yield in a loop that retries
  std::uint8_t kind;         ///< those for the kind of choice,
  std::uint8_t is_value;     ///< and which of them are set where it is a value
  Counts counts;             ///< of the search, before the execution that runs
  volatile std::uint32_t deaths;  ///< executions of which the process has told that they ended it
  std::int32_t owner;             ///< the process that uses the area; 0: none has
  volatile BeginsAnew begins_anew;
  volatile std::uint32_t records_size;  ///< more than kMostRecords: there was no room for all of them
  volatile std::int32_t order;          ///< of the tests: GoogleTest's seed; 0: as they are written
  std::int64_t begin;                   ///< of the search: nanoseconds of CLOCK_MONOTONIC
};

/// While the process checks a model.
struct CheckOfModel {
  CountOfCalls calls{};           ///< of the model, by the thread that checks
  bool has_one_thread = true;     ///< which checks, so that calls have numbers
  std::uint64_t first_crash = 0;  ///< the number of the first call that crashed and was left; 0: none has
};

inline constexpr std::size_t kWords = 4096;                    ///< where the LastWords are, behind the header
inline constexpr std::size_t kTexts = std::size_t{64} * 1024;  ///< where the texts begin
static_assert(sizeof(Header) <= kWords && sizeof(LastWords) <= kTexts - kWords);
inline constexpr std::size_t kMostTexts = std::size_t{1} << 20U;
inline constexpr std::size_t kState = kTexts + kMostTexts;
inline constexpr std::size_t kMostState = std::size_t{1} << 20U;
inline constexpr std::size_t kLog = kState + kMostState;
inline constexpr std::size_t kMostLog = std::size_t{64} << 20U;
inline constexpr std::size_t kRecords = kLog + kMostLog;
inline constexpr std::uint32_t kMostRecords = std::uint32_t{8} << 20U;
inline constexpr std::size_t kBytes =
    kRecords + kMostRecords;  ///< of which only the pages that are used take memory

/// What this process shares with its supervisor; nullptr if it has none, or if another process uses it.
std::byte* area();
/// Whether this process's parent is its supervisor.
bool has_supervisor();
/// Has a child of its supervisor, which has just been forked, share this memory with it.
void share_with_parent(std::byte* area);

/// The records that are there, and those of an earlier run if this is the program that begins anew.
std::string_view records_in(const std::byte* area);
std::string_view records_from_before();

/// Whether the supervisor can start this process's program again. What follows is only for a process of which
/// that is so.
bool can_begin_anew();
void begin_anew(BeginsAnew how);
void keep_order(int seed);
/// Returns whether there was room. If not, there are no records any more, since one would be missing.
bool add_record(std::string_view record);

}  // namespace hocket::supervised_area
