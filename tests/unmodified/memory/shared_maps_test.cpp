// Files that a body maps, and memory that processes share: the system gives them other addresses each time.
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

constexpr std::size_t kBytesOfPage = 4096;

std::atomic<int>* map_shared(int file, std::size_t size = kBytesOfPage) {
  const int flags = file < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, file, 0);
  check(memory != MAP_FAILED);
  return static_cast<std::atomic<int>*>(memory);
}

int file_of_size(std::size_t size) {
  const int file = memfd_create("pages", 0);
  check(file >= 0 && ftruncate(file, static_cast<off_t>(size)) == 0);
  return file;
}

std::string name_for_shared() {
  return "/hocket-shared-maps-" + std::to_string(getpid());
}

/// Two threads that look at the number twice each, and at another: one class, whatever the addresses.
void looked_at_by_two(std::atomic<int>& number) {
  std::atomic<int> other{0};
  const auto look = [&] { check(other == 0 && number == 0 && number == 0); };
  in_parallel(look, look);
}

void has_one_class(const std::function<void()>& body) {
  for (const char* const strategy : {"icb", "dfs", "cb-por", "dpor", "hb-cache"}) {
    const Report report = explored(body, with(strategy));
    EXPECT_EQ(report.classes, 1U) << strategy << report;
  }
}

TEST(SharedMemory, HasNamesThatDoNotDependOnWhoUsesItFirst) {
  has_one_class([] {
    std::atomic<int>* const memory = map_shared(-1);
    looked_at_by_two(*memory);
    check(munmap(memory, kBytesOfPage) == 0);
  });
  has_one_class([] {
    const int file = file_of_size(kBytesOfPage);
    std::atomic<int>* const memory = map_shared(file);
    looked_at_by_two(*memory);
    check(munmap(memory, kBytesOfPage) == 0);
    close(file);
  });
}

TEST(SharedMemory, HasTheNameOfItsFileWhoeverMapsItFirst) {
  static const std::string file_name = "/tmp" + name_for_shared();
  std::ofstream(file_name) << std::string(kBytesOfPage, '\0');
  has_one_class([] {
    const auto look = [](int file) {
      std::atomic<int>* const memory = map_shared(file);
      check(memory->load() == 0 && memory->load() == 0);
      check(munmap(memory, kBytesOfPage) == 0);
    };
    const int one = open(file_name.c_str(), O_RDWR);
    const int other = open(file_name.c_str(), O_RDWR);
    in_parallel([&] { look(one); }, [&] { look(other); });
    close(one);
    close(other);
  });
  unlink(file_name.c_str());
}

TEST(SharedMemory, OfAFileWithARandomNameIsNamedByWhoMapsIt) {
  has_one_class([] {
    char name[] = "/tmp/hocket-maps-XXXXXX";
    const int file = mkstemp(name);
    check(file >= 0 && ftruncate(file, kBytesOfPage) == 0);
    std::atomic<int>* const memory = map_shared(file);
    looked_at_by_two(*memory);
    munmap(memory, kBytesOfPage);
    close(file);
    unlink(name);
  });
}

TEST(SharedMemory, OfAFileInAFolderWithARandomNameIsNamedByWhoMapsIt) {
  has_one_class([] {
    char folder[] = "/tmp/hocket-maps-XXXXXX";
    check(mkdtemp(folder) != nullptr);
    const std::string name = std::string(folder) + "/data";
    const int file = open(name.c_str(), O_RDWR | O_CREAT, 0600);
    check(file >= 0 && ftruncate(file, kBytesOfPage) == 0);
    looked_at_by_two(*map_shared(file));
    close(file);
    unlink(name.c_str());
    rmdir(folder);
  });
}

TEST(SharedMemory, OfARandomNameFromBeforeTheSearchKeepsItsName) {
  char name[] = "/tmp/hocket-maps-XXXXXX";
  const int file = mkstemp(name);
  EXPECT_EQ(ftruncate(file, kBytesOfPage), 0);
  has_one_class([=] { looked_at_by_two(*map_shared(file)); });
  close(file);
  unlink(name);
}

TEST(APrivateMapping, OfAFileIsAnObjectOfItsOwn) {
  const int file = file_of_size(kBytesOfPage);
  explored_everywhere([=] {
    const auto map_privately = [=] {
      void* const memory = mmap(nullptr, kBytesOfPage, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
      check(memory != MAP_FAILED);
      return static_cast<std::atomic<int>*>(memory);
    };
    std::atomic<int>* const one = map_privately();
    std::atomic<int>* const other = map_privately();
    in_parallel([=] { ++*one; }, [=] { ++*other; });
    check(*one == 1 && *other == 1);
  });
  close(file);
}

TEST(AFile, ThatGrowsAndIsMappedAnewIsMappedOnceAtATime) {
  const int file = file_of_size(2 * kBytesOfPage);
  const Report report = explored([=] {
    munmap(map_shared(file), kBytesOfPage);
    *map_shared(file, 2 * kBytesOfPage) = 1;
    two_steps();
  });
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  close(file);
}

TEST(SharedMemory, ThatWasMappedBeforeTheSearchHasItsContentsOfThenInEachExecution) {
  std::atomic<int>* const alone = map_shared(-1);
  const int file = file_of_size(kBytesOfPage);
  std::atomic<int>* const of_file =
      map_shared(file, 3 * kBytesOfPage);  // two pages of it are behind the file's end
  *alone = 3;
  const Report report = explored([=] {
    check(*alone == 3 && *of_file == 0);
    in_parallel([=] { *alone = 4; }, [=] { *of_file = 5; });
  });
  EXPECT_EQ(report.classes, 1U) << report;
  munmap(of_file, 3 * kBytesOfPage);
  munmap(alone, kBytesOfPage);
  close(file);
}

TEST(ANamedSemaphore, HasTheSameNameUnderEverySchedule) {
  has_one_class([] {
    sem_t* const semaphore = sem_open(name_for_shared().c_str(), O_CREAT, 0600, 0);
    check(semaphore != SEM_FAILED);
    const auto look = [=] { check(sem_trywait(semaphore) != 0 && sem_trywait(semaphore) != 0); };
    in_parallel(look, look);
    sem_close(semaphore);
  });
  sem_unlink(name_for_shared().c_str());
}

/// Whether a value that is stored through one address is always seen through another: false where both
/// threads run. `size_of_other`: of the second mapping, in bytes.
void store_at_one_and_look_at_another(std::size_t size_of_other) {
  const int file = file_of_size(2 * kBytesOfPage);
  std::atomic<int>* const one = map_shared(file);
  std::atomic<int>* const other = map_shared(file, size_of_other);
  int seen = 0;
  in_parallel([&] { *one = 1; }, [&] { seen = *other; });
  munmap(one, kBytesOfPage);
  munmap(other, size_of_other);
  close(file);
  check(seen == 1, "looked first");
}

TEST(OnePageAtTwoAddresses, IsOneObject) {
  for (const char* const strategy : {"icb", "icb-por", "cb-por", "dpor"}) {
    const auto body = [] { store_at_one_and_look_at_another(kBytesOfPage); };
    EXPECT_NE(failure_of(body, with(strategy)).message.find("looked first"), std::string::npos) << strategy;
  }
  expect_failure(FailureKind::data_race, 0, "data race", [] {
    const int file = file_of_size(kBytesOfPage);
    int* const one = reinterpret_cast<int*>(map_shared(file));
    int* const other = reinterpret_cast<int*>(map_shared(file));
    in_parallel([=] { *one = 1; }, [=] { *other = 2; });
  });
}

TEST(OnePageAtTwoAddresses, StaysWhileOneOfThemIsUsed) {
  explored([] {
    const int file = file_of_size(kBytesOfPage);
    std::atomic<int>* const one = map_shared(file);
    std::atomic<int>* const other = map_shared(file);
    check(munmap(one, kBytesOfPage) == 0);
    *other = 1;
    check(munmap(other, kBytesOfPage) == 0);
    check(map_shared(file)->load() == 1);
    close(file);
    two_steps();
  });
}

TEST(OnePageAtTwoAddresses, IsNamedByAPassIfTheMappingsDiffer) {
  const Report report = report_of(with("icb-por"), [] {
    in_parallel([] {
      const int file = file_of_size(2 * kBytesOfPage);
      std::atomic<int>* const one = map_shared(file);
      std::atomic<int>* const other = map_shared(file, 2 * kBytesOfPage);
      *one = 1;
      check(*other == 1);
      munmap(one, kBytesOfPage);
      munmap(other, 2 * kBytesOfPage);
      close(file);
    });
  });
  EXPECT_EQ(report.verdict, Verdict::passed_sample) << report;
  const std::string words = "memory that is mapped at two addresses (mmap at shared_maps_test.cpp:";
  EXPECT_NE(report.note.find(words), std::string::npos) << report.note;
}

TEST(SharedMemory, CannotBeAccessedAfterItsLastMappingIsGone) {
  explored([] {
    const int file = file_of_size(kBytesOfPage);
    std::atomic<int>* const memory = map_shared(file);
    *memory = 1;
    check(munmap(memory, kBytesOfPage) == 0);
    check(pwrite(file, memory, 1, 1) == -1 && errno == EFAULT);
    check(*map_shared(file) == 1);
    close(file);
    two_steps();
  });
}

TEST(SharedMemory, ThatAnExecutionLeavesMappedIsGivenBack) {
  const auto mappings = [] {
    std::ifstream all("/proc/self/maps");
    std::size_t count = 0;
    for (std::string line; std::getline(all, line);) count += line.find("memfd:pages") != std::string::npos;
    return count;
  };
  explored([] {
    const int file = file_of_size(kBytesOfPage);
    map_shared(file);
    two_steps();
  });
  EXPECT_EQ(mappings(), 0U);
}

}  // namespace

}  // namespace unmodified
