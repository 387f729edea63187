// Common parts of the tests of schedule files: a folder, and the text of error messages.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/schedules/schedule_file.hpp"

#include "tests/support/folder.hpp"
#include "tests/support/sample_schedule.hpp"

namespace hocket::tests {

/// A test fixture with its own folder, which is removed at the end of the test.
class ScheduleFile : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file(std::string_view name) const { return folder_ / name; }
  std::filesystem::path write(std::string_view name, std::string_view text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return file(name);
  }
  static std::string text_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  /// The error message of `action`, with the folder's name replaced by "FOLDER"; empty if there is none.
  template <class Action>
  std::string complaint(Action action) const {
    try {
      action();
    } catch (const ScheduleError& e) {
      std::string text = e.what();
      for (std::size_t at; (at = text.find(folder_.string())) != std::string::npos;) {
        text.replace(at, folder_.string().size(), "FOLDER");
      }
      return text;
    }
    return {};
  }
  [[nodiscard]] std::string complaint_about(const std::filesystem::path& path) const {
    return complaint([&] { static_cast<void>(read_schedule(path)); });
  }

  test::Folder own_;
  std::filesystem::path folder_ = own_.path();
};

/// The error message from reading `text`; empty if there is none.
inline std::string complaint_about_text(std::string_view text) {
  try {
    static_cast<void>(schedule_from_json(text, "x.json"));
  } catch (const ScheduleError& e) {
    return e.what();
  }
  return {};
}

/// Returns `text` with the first `from` replaced by `to`; `from` must occur.
inline std::string changed(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// The error message from reading the sample's file with `from` replaced by `to`.
inline std::string complaint_after(std::string_view from, std::string_view to) {
  return complaint_about_text(changed(to_json(sample_schedule()), from, to));
}

inline Schedule incomplete_schedule() {
  Schedule schedule = sample_schedule();
  schedule.complete = false;
  schedule.kind = runtime::FailureKind::signal;
  schedule.message = "SIGSEGV";
  schedule.signal = SIGSEGV;
  schedule.bound = 0;
  schedule.threads.clear();
  for (runtime::RecordedChoice& choice : schedule.choices) {
    runtime::RecordedChoice bare;
    bare.code = choice.code;
    choice = bare;
  }
  return schedule;
}

inline constexpr std::string_view kUndo = "; undo what was changed in the file, or get another copy of it";
inline constexpr std::string_view kGetAnother = "; get another copy of it, or run the search again";

inline std::string with(std::string_view sentence, std::string_view remedy) {
  return std::string(sentence) + std::string(remedy);
}

/// A change of a file, and what is then said of it between the name of the file and the advice.
struct Change {
  std::string from;
  std::string to;
  std::string_view complaint;
};

/// Each change by itself makes a file of this text one that is refused.
inline void expect_refused(
    const std::vector<Change>& changes, const std::string& text = to_json(sample_schedule())) {
  for (const Change& change : changes) {
    EXPECT_EQ(complaint_about_text(changed(text, change.from, change.to)),
        "x.json: " + with(change.complaint, kUndo));
  }
}

inline void expect_equal(const Schedule& a, const Schedule& b) {
  EXPECT_EQ(a.test, b.test);
  EXPECT_EQ(a.binary, b.binary);
  EXPECT_EQ(a.build_id, b.build_id);
  EXPECT_EQ(a.strategy, b.strategy);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.seal, b.seal);
  EXPECT_EQ(a.open, b.open);
  EXPECT_TRUE(a.rules() == b.rules());
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(a.where, b.where);
  EXPECT_EQ(a.signal, b.signal);
  EXPECT_EQ(a.bound, b.bound);
  EXPECT_EQ(a.executions, b.executions);
  EXPECT_EQ(a.found_bound, b.found_bound);
  EXPECT_EQ(a.found_choices, b.found_choices);
  EXPECT_EQ(a.complete, b.complete);
  ASSERT_EQ(a.threads.size(), b.threads.size());
  for (std::size_t n = 0; n < a.threads.size(); ++n) {
    EXPECT_EQ(a.threads[n].label, b.threads[n].label);
    EXPECT_EQ(a.threads[n].creator, b.threads[n].creator);
    EXPECT_EQ(a.threads[n].ordinal, b.threads[n].ordinal);
    EXPECT_EQ(a.threads[n].made_at, b.threads[n].made_at);
    EXPECT_EQ(a.threads[n].made_after, b.threads[n].made_after);
    EXPECT_EQ(a.threads[n].joiner, b.threads[n].joiner);
    EXPECT_EQ(a.threads[n].joined_after, b.threads[n].joined_after);
    EXPECT_EQ(a.threads[n].waiting.for_what, b.threads[n].waiting.for_what);
    EXPECT_EQ(a.threads[n].waiting.object, b.threads[n].waiting.object);
    EXPECT_EQ(a.threads[n].waiting.threads, b.threads[n].waiting.threads);
    EXPECT_EQ(a.threads[n].waiting.where, b.threads[n].waiting.where);
    EXPECT_EQ(a.threads[n].access, b.threads[n].access);
  }
  ASSERT_EQ(a.choices.size(), b.choices.size());
  for (std::size_t n = 0; n < a.choices.size(); ++n) {
    SCOPED_TRACE("step " + std::to_string(n + 1));
    EXPECT_EQ(a.choices[n].is_value, b.choices[n].is_value);
    EXPECT_EQ(a.choices[n].thread, b.choices[n].thread);
    EXPECT_EQ(a.choices[n].operation, b.choices[n].operation);
    EXPECT_EQ(a.choices[n].object, b.choices[n].object);
    EXPECT_EQ(a.choices[n].lock, b.choices[n].lock);
    EXPECT_EQ(a.choices[n].mode, b.choices[n].mode);
    EXPECT_EQ(a.choices[n].code, b.choices[n].code);
    EXPECT_EQ(a.choices[n].count, b.choices[n].count);
    EXPECT_EQ(a.choices[n].price, b.choices[n].price);
    EXPECT_EQ(a.choices[n].where, b.choices[n].where);
    EXPECT_EQ(a.choices[n].notes, b.choices[n].notes);
  }
}

}  // namespace hocket::tests
