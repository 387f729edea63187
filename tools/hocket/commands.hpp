// The commands of `hocket`: their arguments and exit statuses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/terms/utf8.hpp"
#include "scheduler/options/option_table.hpp"

namespace hocket::tool {

/// The exit statuses of the process.
inline constexpr int kPassed = 0;  ///< for a replay: it ran clean
inline constexpr int kFailed = 1;  ///< a failure was found or occurred again, or the body is nondeterministic
inline constexpr int kBad =
    2;  ///< bad usage, a bad file, a program that cannot be run; a replay that diverged
inline constexpr int kStopped = 3;  ///< a limit or Ctrl-C ended a search before it was complete

/// An error that the user has to correct. what() is one sentence without a full stop.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An option as it was given on the command line.
struct GivenOption {
  const OptionInfo* option;
  std::string text;  ///< its value; "true" for a switch
};

/// `hocket run`. Options that are not given are left to the test program and to the environment.
struct RunCommand {
  std::string binary;
  std::vector<std::string> arguments;  ///< of the program
  std::string test;                    ///< empty: all
  std::string jobs = "1";              ///< how many processes; "auto" or "0": one for each core
  std::string checkpoint;  ///< the folder that keeps what is found, so that it goes on; empty: none
  std::string launch;      ///< the words of a shell before the command of each part; empty: none
  unsigned parts = 0;      ///< into which the search is split; 0: as many as are usual
  std::vector<GivenOption> options;
};

/// `hocket resume`
struct ResumeCommand {
  std::string folder;      ///< that `hocket run --checkpoint` was given
  std::string jobs = "1";  ///< as in RunCommand
  std::string launch;      ///< as well
  std::vector<GivenOption> options;
};

/// `hocket replay`, and `hocket minimize`
struct ReplayCommand {
  std::string file;
  std::string binary;
  std::vector<std::string> arguments;  ///< of the program
  std::vector<GivenOption> options;
  std::string minimize_time;  ///< of hocket minimize: how long to go on; otherwise empty
};

/// `hocket show`
struct ShowCommand {
  std::string file;
  bool all = false;
  bool json = false;                 ///< a document for programs
  bool markdown = false;             ///< for an issue tracker
  std::optional<std::size_t> width;  ///< columns; none: those of the terminal
  std::string color = "auto";        ///< "auto", "always" or "never"
};

/// Where sources are looked for.
struct SourcePlaces {
  std::string binary;                ///< whose debug information says where they are; may be empty
  std::vector<std::string> folders;  ///< these and the folders in them
};

/// `hocket report`
struct ReportCommand {
  std::vector<std::string> files;
  std::string output;  ///< the page; or the folder for pages and a list of them
  SourcePlaces sources;
};

/// `hocket export`
struct ExportCommand {
  std::vector<std::string> files;
  std::string format;  ///< "markdown", "sarif", "github", "trace", "shiviz" or "dot"
  SourcePlaces sources;
};

/// `hocket gdb`
struct GdbCommand {
  std::string file;
  std::string binary;
  std::vector<std::string> arguments;  ///< of the program
  std::uint64_t step = 0;              ///< to stop before, too; 0: none
};

/// `hocket vscode`
struct VscodeCommand {
  std::string file;
  std::string binary;
  std::vector<std::string> arguments;  ///< of the program
  std::string debugger = "gdb";        ///< or "lldb"
  std::uint64_t step = 0;              ///< to stop before, too; 0: none
  std::string folder = ".";            ///< that VS Code opens
};

/// `hocket list`
struct ListCommand {
  std::string binary;
  std::vector<std::string> arguments;  ///< of the program
};

/// `hocket merge`
struct MergeCommand {
  std::vector<std::string> files;
  std::string output;  ///< the report of the whole search; empty: none is written
};

/// `hocket flags`
struct FlagsCommand {
  bool compile = false;
  bool link = false;
  std::string language = "c++";  ///< or "c"
  std::string compiler;          ///< its name
  bool whole_program = false;
  bool gtest = false;
  std::string prefix;  ///< the name of the folder in which Hocket is installed; empty: that of this program
};

/// `hocket check`
struct CheckCommand {
  std::string map;  ///< the file that the linker wrote
  std::string build_tree = ".";
  std::vector<std::string> without_hooks;  ///< libraries that may be without them
};

/// Puts `options` into the environment, where every test program linked with Hocket finds them. Returns the
/// resulting options of a program that sets none itself. Throws std::invalid_argument for an invalid value.
Options pass_on(const std::vector<GivenOption>& options);

/// Each function carries out its command, prints the results and returns the exit status. Throws UsageError,
/// ScheduleError, or std::invalid_argument for a value that the search refuses.
int run(const RunCommand& command);
int resume(const ResumeCommand& command);
int replay(const ReplayCommand& command);
int show(const ShowCommand& command);
int report(const ReportCommand& command);
int export_failures(const ExportCommand& command);
int gdb(const GdbCommand& command);  // does not return: the process becomes gdb
int vscode(const VscodeCommand& command);
int list(const ListCommand& command);
int merge(const MergeCommand& command);
int flags(const FlagsCommand& command);
int check_link(const CheckCommand& command);

/// `hocket run --checkpoint`: a search whose parts are kept, and that `hocket resume` goes on with. Carries
/// out `command`, which has a folder, with so many processes at the same time. Its options are in the
/// environment already.
int run_with_checkpoint(const RunCommand& command, unsigned jobs);

/// The script for a debugger, "gdb" or "lldb", that belongs to this program; empty if it is not there.
std::string script_for(const std::string& debugger);

/// Prints the sentence to stderr, with the name of the command before it, so that nothing in it can command
/// the terminal.
inline void tell(const std::string& sentence) {
  std::fprintf(stderr, "hocket: %s\n", utf8::printable(sentence).c_str());
}

}  // namespace hocket::tool
