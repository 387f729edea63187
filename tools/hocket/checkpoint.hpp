// The folder of a search that goes on after its process has ended, however that came: what the search is of,
// and what each of its parts has found.
//
// A file comes into being whole, or not at all, and outlives a power cut. It is a line of JSON, and one with
// a seal by which damage is noticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "commands.hpp"
#include "parts.hpp"

namespace hocket::tool {

/// A search whose parts are kept.
struct KeptSearch {
  RunCommand command;  ///< the program, its arguments and the test; its options are among the variables
  std::string folder;  ///< the absolute path of the current one, to which relative names refer
  std::string build;   ///< says which build of the program it is
  std::map<std::string, std::string> variables;  ///< of the environment, by which options are given
  /// So many parts cost a second or two, and a job that is killed loses little.
  static constexpr unsigned kUsualParts = 128;
  unsigned parts = 0;      ///< 0: as many as are usual, or as there are
  std::int64_t begun = 0;  ///< milliseconds since 1970, by the clock of the system
};

/// What says which build of a program this is: it differs if a byte of the file does. Throws UsageError if it
/// cannot be read.
std::string build_of(const std::string& program);

/// As long as it exists, no other process works in the folder. All functions throw UsageError, with the file
/// and what to do, if a file is damaged or cannot be written, and then nothing in the folder has changed.
class Checkpoint {
 public:
  /// A new one in `folder`, which is made; or, if it has one of the same search, the one that is there.
  Checkpoint(std::filesystem::path folder, const KeptSearch& search);
  /// The one that is there.
  explicit Checkpoint(std::filesystem::path folder);
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;
  ~Checkpoint();

  /// Whether this has made it.
  [[nodiscard]] bool is_new() const { return is_new_; }
  /// Before the current folder is changed.
  void use_absolute_path() { folder_ = std::filesystem::absolute(folder_); }
  [[nodiscard]] const KeptSearch& search() const { return search_; }
  /// Reads what the parts have found that have come to their ends.
  [[nodiscard]] std::vector<PartRun> parts() const;
  /// Keeps what a part has found, with the schedules of its failures.
  void keep(const PartRun& part);
  [[nodiscard]] unsigned count_of_kept() const { return kept_; }
  /// To be called after a part that has broken off: throws if that may be for lack of room in the folder.
  void check_room() const;
  /// Removes what was made, if this has made it and no part is kept: the search cannot be begun.
  void forget_unless_begun();

  /// For the files of parts that run, until each has ended. It is empty when this is made.
  [[nodiscard]] std::filesystem::path work() const { return folder_ / kWork; }
  /// When the search was begun. Files that are older are not of it.
  [[nodiscard]] std::filesystem::file_time_type begin() const;
  /// The command that goes on.
  [[nodiscard]] std::string command_to_resume() const;

 private:
  static constexpr const char* kWork = "work";
  static constexpr const char* kLock = "lock";
  static constexpr const char* kSearch = "search.jsonl";

  void lock();
  /// Refuses a folder that has something else.
  void check_names() const;
  void write_search();
  void read_search();
  void check_that_it_is(const KeptSearch& search) const;
  void begin_work() const;
  [[nodiscard]] PartRun read_part(unsigned number) const;
  [[nodiscard]] std::filesystem::path file_of(unsigned part) const;
  void write(const std::filesystem::path& file, const nlohmann::ordered_json& json);

  std::filesystem::path folder_;
  int lock_ = -1;
  KeptSearch search_;
  std::string id_;  ///< of the search: parts of another one do not belong here
  unsigned kept_ = 0;
  std::size_t most_written_ = 0;  ///< bytes of a file
  bool is_new_ = false;
};

}  // namespace hocket::tool
