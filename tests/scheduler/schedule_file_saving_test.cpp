// Where schedule files go, and under which names.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include "runtime/platform/symbols/build_id.hpp"

#include "tests/support/sample_schedule.hpp"
#include "tests/support/schedule_files.hpp"

namespace hocket::tests {

namespace {

namespace fs = std::filesystem;

TEST_F(ScheduleFile, IsSavedUnderTheNameOfItsTest) {
  const fs::path path = save_new(sample_schedule(), folder_);
  EXPECT_EQ(path, file("queue_two-thieves.schedule.json"));
  EXPECT_EQ(text_of(path), to_json(sample_schedule()));
  expect_equal(read_schedule(path), sample_schedule());
  EXPECT_EQ(names(), std::vector<std::string>{"queue_two-thieves.schedule.json"});
}

TEST_F(ScheduleFile, NeverTakesThePlaceOfAnother) {
  write("queue_two-thieves.schedule.json", "mine");
  write("queue_two-thieves-3.schedule.json", "mine too");
  EXPECT_EQ(save_new(sample_schedule(), folder_), file("queue_two-thieves-2.schedule.json"));
  EXPECT_EQ(save_new(sample_schedule(), folder_), file("queue_two-thieves-4.schedule.json"));
  EXPECT_EQ(text_of(file("queue_two-thieves.schedule.json")), "mine");
  EXPECT_EQ(text_of(file("queue_two-thieves-3.schedule.json")), "mine too");
}

TEST_F(ScheduleFile, NeverTakesThePlaceOfADanglingLinkOrAFolder) {
  fs::create_symlink("nowhere", file("queue_two-thieves.schedule.json"));
  fs::create_directory(file("queue_two-thieves-2.schedule.json"));
  EXPECT_EQ(save_new(sample_schedule(), folder_), file("queue_two-thieves-3.schedule.json"));
  EXPECT_FALSE(fs::exists(file("nowhere")));
}

TEST_F(ScheduleFile, IsSavedInAFolderThatIsMadeForIt) {
  EXPECT_EQ(save_new(sample_schedule(), file("a/b/")), file("a/b/queue_two-thieves.schedule.json"));
}

TEST_F(ScheduleFile, CannotBeSavedUnderAFile) {
  write("a", "");
  EXPECT_EQ(complaint([&] { save_new(sample_schedule(), file("a")); }),
      "the schedule cannot be saved in FOLDER/a (Not a directory); choose another folder: a part of this "
      "path is a file");
  EXPECT_EQ(complaint([&] { save_new(sample_schedule(), file("a/b")); }),
      "the schedule cannot be saved in FOLDER/a/b (Not a directory); choose another folder: a part of this "
      "path is a file");
}

/// While it lives, a superuser has the rights of a user without any.
class NotTheSuperuser {
 public:
  NotTheSuperuser() {
    constexpr uid_t kNobody = 65534;
    if (is_superuser_) {
      EXPECT_EQ(::seteuid(kNobody), 0);
    }
  }
  ~NotTheSuperuser() {
    if (is_superuser_) {
      EXPECT_EQ(::seteuid(0), 0);
    }
  }
  NotTheSuperuser(const NotTheSuperuser&) = delete;
  NotTheSuperuser& operator=(const NotTheSuperuser&) = delete;

 private:
  bool is_superuser_ = ::geteuid() == 0;
};

TEST_F(ScheduleFile, CannotBeSavedWhereNothingMayBeWritten) {
  // Not even the superuser may make files here.
  EXPECT_EQ(complaint([&] { save_new(sample_schedule(), "/proc/self"); }).substr(0, 46),
      "the schedule cannot be saved in /proc/self (No");
  constexpr fs::perms kNoWriting =
      fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec;
  fs::permissions(folder_, kNoWriting);
  {
    const NotTheSuperuser guard;  // who may write everywhere else
    EXPECT_EQ(complaint([&] { save_new(sample_schedule(), folder_); }),
        "the schedule cannot be saved in FOLDER (Permission denied); choose a folder that can be written to");
  }
  fs::permissions(folder_, fs::perms::owner_all);
}

/// While it lives, files cannot grow beyond some bytes, as on a disk that is nearly full.
class LittleRoom {
 public:
  explicit LittleRoom(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  LittleRoom(const LittleRoom&) = delete;
  LittleRoom& operator=(const LittleRoom&) = delete;
  ~LittleRoom() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST_F(ScheduleFile, LeavesNothingBehindWhereThereIsNoRoom) {
  std::string first;
  std::string second;
  write("old.schedule.json", "old");
  {
    const LittleRoom room(1000);
    first = complaint([&] { save_new(sample_schedule(), folder_); });
    second = complaint([&] { replace(file("old.schedule.json"), sample_schedule()); });
  }
  EXPECT_EQ(first,
      "the schedule cannot be saved in FOLDER (File too large); make room there, or choose another folder");
  EXPECT_EQ(second,
      "the schedule cannot be saved in FOLDER/old.schedule.json (File too large); make room there, or choose "
      "another folder");
  EXPECT_EQ(names(), std::vector<std::string>{"old.schedule.json"});
  EXPECT_EQ(text_of(file("old.schedule.json")), "old");
}

TEST_F(ScheduleFile, IsCompletedInItsPlace) {
  const fs::path path = save_new(incomplete_schedule(), folder_);
  EXPECT_FALSE(read_schedule(path).complete);
  fs::create_symlink(path.filename(), file("link"));
  replace(file("link"), sample_schedule());
  EXPECT_TRUE(fs::is_symlink(file("link")));
  expect_equal(read_schedule(path), sample_schedule());
  EXPECT_EQ(names(), (std::vector<std::string>{"link", "queue_two-thieves.schedule.json"}));
}

TEST_F(ScheduleFile, IsNotChangedByReading) {
  for (const std::string& text :
      {to_json(sample_schedule()), to_json(incomplete_schedule()), std::string("{")}) {
    const fs::path path = write("x.json", text);
    const auto time = fs::last_write_time(path);
    static_cast<void>(complaint_about(path));
    EXPECT_EQ(text_of(path), text);
    EXPECT_EQ(fs::last_write_time(path), time);
    EXPECT_EQ(names(), std::vector<std::string>{"x.json"});
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Names

TEST_F(ScheduleFile, IsFoundByTheNameOfItsTest) {
  for (const char* name : {"q.schedule.json", "q-10.schedule.json", "q-2.schedule.json", "q-1.schedule.json",
           "q-02.schedule.json", "q-x.schedule.json", "q-.schedule.json", "q-2x.schedule.json",
           "qq.schedule.json", "q.json", "q-99999999999.schedule.json", ".schedule.json",
           "q.schedule.json.tmp"}) {
    write(name, "not read");
  }
  EXPECT_EQ(saved_schedules(folder_, "q"), (std::vector<fs::path>{file("q.schedule.json"),
                                               file("q-2.schedule.json"), file("q-10.schedule.json")}));
  EXPECT_EQ(saved_schedules(folder_, "r"), std::vector<fs::path>{});
  EXPECT_EQ(saved_schedules(file("no such folder"), "q"), std::vector<fs::path>{});
  EXPECT_EQ(saved_schedules(file("q.json"), "q"), std::vector<fs::path>{});
}

TEST_F(ScheduleFile, HasANameThatAnyFileSystemTakes) {
  EXPECT_EQ(schedule_file_stem("WorkStealingQueue.OwnerAndThief"), "WorkStealingQueue.OwnerAndThief");
  EXPECT_EQ(schedule_file_stem("queue/two thieves"), "queue_two_thieves");
  EXPECT_EQ(schedule_file_stem("../../etc/passwd"), "_._.._etc_passwd");
  EXPECT_EQ(schedule_file_stem("-rf"), "_rf");
  EXPECT_EQ(schedule_file_stem(""), "unnamed");
  EXPECT_EQ(schedule_file_stem("größe/漢字"), "größe_漢字");
  EXPECT_EQ(schedule_file_stem("a\xff\n\u0085"
                               "b"),
      "a___b");
  EXPECT_EQ(schedule_file_name("q", 1), "q.schedule.json");
  EXPECT_EQ(schedule_file_name("q", 12), "q-12.schedule.json");
}

TEST_F(ScheduleFile, OfATestWithALongNameHasAShorterOneThatIsStillItsOwn) {
  const std::string name(1000, 'x');
  EXPECT_LT(schedule_file_name(name + "a", 1'000'000).size(), 255U);
  EXPECT_NE(schedule_file_stem(name + "a"), schedule_file_stem(name + "b"));
  Schedule schedule = sample_schedule();
  schedule.test = name;
  const fs::path path = save_new(schedule, folder_);
  EXPECT_EQ(saved_schedules(folder_, name), std::vector<fs::path>{path});
}

TEST(ThisProgram, HasAPathAndABuildId) {
  EXPECT_EQ(runtime::platform::path_of_this_program(), fs::canonical("/proc/self/exe").string());
  const std::string id = runtime::platform::build_id_of_this_program();
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(id.size() % 2, 0U);
  EXPECT_EQ(id, runtime::platform::build_id_of_this_program());
}

}  // namespace

}  // namespace hocket::tests
