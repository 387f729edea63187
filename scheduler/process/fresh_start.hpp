// How the tests that are left get their verdicts after a body has ended the process.
//
// A crash can leave the process in any state, with a broken heap or with locks held, so nothing of it is used
// any more: its supervisor has the program go on in another process, from where it was split, or starts it
// again. A test that had come to its end by then is not searched again. Its result is passed on in memory
// that the supervisor shares, and so is what is known of the death. GoogleTest, and the process that waits
// for the program, see a single run of it. Without a supervisor the tests that are left do not run.
//
// Most functions are to be called by the adapter of a test framework.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "../api/report.hpp"

namespace hocket::fresh_start {

/// How a test has ended.
struct Result {
  enum class Kind : char { passed = 'p', failed = 'f', skipped = 's' };
  Kind kind = Kind::passed;
  std::string text;
  std::string outcomes = {};  ///< of its searches, for the last line of the program
};

/// How an execution has ended the process.
struct Ending {
  std::string what;           ///< "thread 1 got SIGSEGV in an execution"
  std::string stack;          ///< where the thread was, as platform::put_stack() writes it; or empty
  std::string schedule_file;  ///< in which the schedule is saved, or empty
  bool was_saved = false;     ///< the file was saved before, and the death came again
  bool was_followed = false;  ///< this was not the search, but an attempt to follow the schedule
  Coverage coverage;          ///< counts alone
  double seconds = 0;
};

/// A call of a model's member in which, or after which, the process has ended.
struct LostCall {
  std::uint64_t number = 0;  ///< among those of its check; 0: several threads made calls
  int signal = 0;            ///< that ended the process, if any
};

/// Takes over what the supervisor of this process has from before, once. To be called again where it gets a
/// supervisor after that.
void take_over();
/// Whether the program has begun anew after a death.
bool is_one();
/// Calls this as soon as that is known. The program's first thread calls it before a test begins.
void when_it_is_one(void (*call)());

/// Discards standard output, until the second function is called: it was printed before. Where few files may
/// be open it is printed again.
void discard_output();
void show_output();

/// The result of the next search of `test`, if it was made before the fresh start. Each is returned once.
std::optional<Result> take_result(const std::string& test);
/// The call in which the next check of the model `test` has ended the process, if that is so.
std::optional<LostCall> lost_call(const std::string& test);
/// Whether the next search of `test` is the one with the death.
bool has_ending(const std::string& test);
/// Whether there are results that were not taken yet.
bool has_anything_left();
/// The death in the next search of `test`, if there was one.
std::optional<Ending> take_ending(const std::string& test);

/// Keeps the result of a search of `test`, in case the program begins anew.
void keep(const std::string& test, const Result& result);

/// GoogleTest's variable for the seed of a random order of tests, which is to be the same after a fresh
/// start.
inline constexpr const char* kOrderVariable = "GTEST_RANDOM_SEED";
void keep_order(int seed);

/// While an object of this class exists, the death of the process is followed by a fresh start, except in a
/// debugger. If it follows the schedule of a death, the program that then begins anew gets that death once
/// more, instead of the new one.
class Possible {
 public:
  explicit Possible(bool follows_a_death);
  ~Possible();
  Possible(const Possible&) = delete;
  Possible& operator=(const Possible&) = delete;

 private:
  bool is_supervised_;
};

/// Whether one exists.
bool is_possible();

/// Ends this process, so that its supervisor begins the program anew, if a Possible exists and this is its
/// process. Otherwise says that the tests that are left do not run.
void begin(const std::string& test, const Ending& ending);
/// Says only that, if a Possible exists. Can be called in the handler of a signal.
void say_that_tests_are_left();

inline constexpr std::string_view kBeginsAgain =
    "hocket: the program begins again, for the tests that are left\n";

/// The records that a supervisor adds to those of a process that has died: how it ended, or that it did so
/// while it followed the schedule of its last death, or in a call of a model, or that the tests that are left
/// are not to run.
std::string record_of(const std::string& test, const Ending& ending);
std::string record_of_following(std::string_view test);
std::string record_of_lost_call(std::string_view test, const LostCall& call);
std::string record_of_interruption(int signal);

/// How many results are among the records; nothing if they are not whole.
std::optional<std::size_t> results_in(std::string_view records);

}  // namespace hocket::fresh_start
