// What libc, the C++ library and the system keep for a process is put back between executions: each body
// finds it as the search has, changes it, and has more than one execution.
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cwchar>
#include <exception>
#include <functional>
#include <iomanip>
#include <iostream>
#include <locale>
#include <memory_resource>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <getopt.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/support/folder.hpp"
#include "tests/unmodified/support/collected.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using hocket::test::Folder;

/// Runs `body` and then something that has two schedules, so that `body` runs several times.
void run_several_times(const std::function<void()>& body) {
  const Report report = explored([&] {
    body();
    two_steps();
  });
  EXPECT_EQ(report.executions, 2U);
  EXPECT_EQ(report.note, "") << "the first execution was like the others";
}

// -- getopt

/// The arguments that follow the name of the program.
struct Arguments {
  std::vector<std::string> texts;
  std::vector<char*> pointers;

  explicit Arguments(std::vector<std::string> all) : texts(std::move(all)) {
    texts.insert(texts.begin(), "program");
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
  }
  [[nodiscard]] int count() const { return static_cast<int>(texts.size()); }
};

TEST(Getopt, BeginsAgainInEachExecution) {
  optind = 1;
  run_several_times([] {
    check(optind == 1 && opterr == 1 && optarg == nullptr, "as it was before the search");
    Arguments arguments({"-n", "2", "file"});
    check(getopt(arguments.count(), arguments.pointers.data(), "n:") == 'n', "the option is found");
    check(optarg == std::string("2"), "and its argument");
    check(getopt(arguments.count(), arguments.pointers.data(), "n:") == -1, "there are no more");
    check(optind == 3, "what is no option follows");
    opterr = 0;
  });
  EXPECT_EQ(optind, 1);
  EXPECT_EQ(opterr, 1);
}

TEST(Getopt, ForgetsWhereItStoodWithinAnArgument) {
  optind = 1;
  run_several_times([] {
    Arguments arguments({"-ab"});
    const option none{};
    check(getopt_long(arguments.count(), arguments.pointers.data(), "ab", &none, nullptr) == 'a',
        "the first letter comes first");
  });
}

// -- strtok, rand

TEST(Strtok, HasNoTextAtTheBeginning) {
  run_several_times([] {
    static bool is_the_first = true;
    check(is_the_first, "statics begin anew");
    is_the_first = false;
    std::array<char, 4> text{"a b"};
    check(std::strtok(text.data(), " ") == std::string("a"), "the first word");
  });
}

TEST(Strtok, GoesOnInATextFromBeforeTheSearch) {
  static std::array<char, 8> text{};
  std::strcpy(text.data(), "a b c");
  ASSERT_STREQ(std::strtok(text.data(), " "), "a");
  run_several_times([] { check(std::strtok(nullptr, " ") == std::string("b"), "the second word"); });
  EXPECT_STREQ(std::strtok(nullptr, " "), "b");
}

TEST(RandomNumbers, AreThoseOfLibcWhenNobodyHasSetASeed) {
  // As libc documents it: without a seed it is 1.
  const int first = std::rand();
  std::srand(1);
  const std::array<long, 3> from_one{std::rand(), random(), std::rand()};
  std::srand(1);
  EXPECT_EQ((std::array<long, 3>{random(), std::rand(), random()}), from_one) << "they are one generator";
  EXPECT_EQ(from_one[0], 1804289383) << "the number that glibc begins with";
  static_cast<void>(first);
  srandom(5);
  const long of_five = random();
  std::array<char, 64> table{};
  char* const before = initstate(7, table.data(), table.size());
  ASSERT_NE(before, nullptr);
  const long of_seven = random();
  EXPECT_EQ(setstate(before), table.data());
  random();
  initstate(7, table.data(), table.size());
  EXPECT_EQ(random(), of_seven);
  setstate(before);
  srandom(5);
  EXPECT_EQ(random(), of_five);
}

TEST(RandomNumbers, ComeAgainInEachExecution) {
  std::srand(3);
  srand48(3);
  const int next = std::rand();
  const double next_of_48 = drand48();
  std::srand(3);
  srand48(3);
  run_several_times([&] {
    check(std::rand() == next, "as rand() would have gone on");
    check(drand48() == next_of_48, "and drand48()");
    if (std::rand() % 2 == 0) std::srand(17);
    std::array<unsigned short, 3> seed{1, 2, 3};
    seed48(seed.data());
    static std::array<char, 64> table;
    initstate(1, table.data(), table.size());
  });
  EXPECT_EQ(std::rand(), next);
  EXPECT_EQ(drand48(), next_of_48);
}

TEST(RandomNumbers, OfFortyEightBitsAreThoseOfLibc) {
  // The definition: X' = 0x5deece66d X + 11 modulo 2^48, of which the upper bits are taken.
  const auto next = [](std::uint64_t x) { return (0x5deece66dU * x + 11) & ((std::uint64_t{1} << 48U) - 1); };
  std::uint64_t x = (std::uint64_t{9} << 16U) + 0x330e;
  srand48(9);
  EXPECT_EQ(lrand48(), static_cast<long>((x = next(x)) >> 17U));
  EXPECT_EQ(mrand48(), static_cast<std::int32_t>((x = next(x)) >> 16U));
  EXPECT_EQ(drand48(), static_cast<double>(x = next(x)) / static_cast<double>(std::uint64_t{1} << 48U));
  std::array<unsigned short, 3> own{0x330e, 9, 0};
  srand48(4);
  x = (std::uint64_t{9} << 16U) + 0x330e;
  EXPECT_EQ(nrand48(own.data()), static_cast<long>((x = next(x)) >> 17U));
  EXPECT_EQ(jrand48(own.data()), static_cast<std::int32_t>((x = next(x)) >> 16U));
  EXPECT_EQ(erand48(own.data()), static_cast<double>(next(x)) / static_cast<double>(std::uint64_t{1} << 48U));
  std::array<unsigned short, 7> parameters{1, 0, 0, 0, 0, 0, 0};
  lcong48(parameters.data());
  EXPECT_EQ(lrand48(), 0) << "a = 0 and c = 0";
  srand48(1);
}

TEST(TheRandomDevice, GivesEachThreadTheSameNumbersInEachExecution) {
  Collected of_main;
  Collected of_other;
  const Report report = explored([&] {
    std::thread other([&] { of_other.add(std::random_device()()); });
    of_main.add(std::random_device()());
    two_steps();
    other.join();
  });
  EXPECT_GT(report.executions, 1U);
  EXPECT_EQ(of_main.all().size(), 1);
  EXPECT_EQ(of_other.all().size(), 1);
  EXPECT_NE(of_main.all(), of_other.all());
  EXPECT_NE(std::random_device()(), std::random_device()()) << "the system's again";
}

// -- errno

TEST(TheErrnoOfAThread, IsZeroAtItsBeginning) {
  run_several_times([] {
    check(errno == 0, "of the body's own thread");
    errno = EINTR;
    std::thread([] {
      check(errno == 0, "of another one");
      errno = EINTR;
    }).join();
    check(errno == EINTR, "it is the thread's own");
  });
}

// -- locales

std::string locale_now() {
  return std::setlocale(LC_ALL, nullptr);
}

TEST(TheLocale, IsThatOfTheSearch) {
  const std::string before = locale_now();
  run_several_times([&] {
    check(locale_now() == before, "as it was before the search");
    check(std::setlocale(LC_CTYPE, "C.UTF-8") != nullptr, "there is this one");
    check(locale_now() != before, "it has changed");
  });
  EXPECT_EQ(locale_now(), before);
}

TEST(TheLocale, OfTheCxxLibraryIsThatOfTheSearch) {
  struct Commas : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
  };
  const auto point = [] { return std::use_facet<std::numpunct<char>>(std::locale()).decimal_point(); };
  std::locale::global(std::locale(std::locale(), new Commas));  // which makes the library ready
  std::locale::global(std::locale::classic());
  run_several_times([&] {
    check(point() == '.', "as it was before the search");
    std::locale::global(std::locale(std::locale::classic(), new Commas));
    check(point() == ',', "it has changed");
  });
  EXPECT_EQ(point(), '.');
  EXPECT_EQ(std::locale(), std::locale::classic());
}

TEST(TheLocale, OfAThreadIsForgotten) {
  static const locale_t other = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  ASSERT_NE(other, nullptr);
  run_several_times([] {
    check(uselocale(nullptr) == LC_GLOBAL_LOCALE, "the body's own thread has none");
    uselocale(other);
    std::thread([] {
      check(uselocale(nullptr) == LC_GLOBAL_LOCALE, "nor has another one");
      uselocale(other);
    }).join();
  });
}

// -- the environment

TEST(TheTimeZone, IsReadAgainFromTheEnvironment) {
  unsetenv("TZ");
  tzset();
  const long before = timezone;
  run_several_times([&] {
    check(timezone == before, "as it was before the search");
    setenv("TZ", "XYZ-5", 1);
    tzset();
    check(timezone == -5L * 3600, "it has changed");
  });
  EXPECT_EQ(timezone, before);
}

// -- handlers of the C++ library

TEST(HandlersOfTheCxxLibrary, AreThoseOfTheSearch) {
  const std::new_handler no_memory = std::get_new_handler();
  std::pmr::memory_resource* const memory = std::pmr::get_default_resource();
  const std::terminate_handler terminate = std::get_terminate();
  run_several_times([&] {
    static const std::terminate_handler of_search = std::get_terminate();
    check(of_search != &std::abort, "as it was before the search");
    check(std::get_new_handler() == no_memory, "so is this one");
    check(std::pmr::get_default_resource() == memory, "and this");
    std::set_terminate(&std::abort);
    std::set_new_handler(&std::abort);
    std::pmr::set_default_resource(std::pmr::null_memory_resource());
  });
  EXPECT_EQ(std::get_terminate(), terminate);
  EXPECT_EQ(std::get_new_handler(), no_memory);
  EXPECT_EQ(std::pmr::get_default_resource(), memory);
}

// -- streams

TEST(StreamsOfTheCxxLibrary, HaveTheFormatsOfTheSearch) {
  const auto base = std::cout.flags() & std::ios::basefield;
  run_several_times([&] {
    check((std::cout.flags() & std::ios::basefield) == base, "as it was before the search");
    check(std::cout.exceptions() == std::ios::goodbit && std::cout.good(), "and this");
    std::cout << std::hex << std::setprecision(3);
    std::cout.exceptions(std::ios::badbit);
    std::cin.setstate(std::ios::eofbit);
    std::cerr.rdbuf(nullptr);
  });
  EXPECT_EQ(std::cout.flags() & std::ios::basefield, base);
  EXPECT_NE(std::cerr.rdbuf(), nullptr);
}

TEST(StandardStreams, AreForNarrowCharactersAgain) {
  // Of the three only stderr is sure to be one that nobody has used in this process.
  const int before = std::fwide(stderr, 0);
  ASSERT_LE(before, 0);
  run_several_times([&] {
    check(std::fwide(stderr, 0) == before, "as it was before the search");
    if (before == 0) check(std::fwprintf(stderr, L"wide") == 4, "a wide text can be printed");
    if (before == 0) check(std::fwide(stderr, 0) > 0, "from then on it is wide");
  });
  EXPECT_EQ(std::fwide(stderr, 0), before);
}

TEST(StandardStreams, HaveNoBufferOfADeadExecution) {
  run_several_times([] {
    std::array<char, 16> mine;
    mine.fill('x');
    check(mine[5] == 'x', "it has not been written to");
    std::printf("0123456789");
    check(mine[5] == 'x', "nor is it by what is printed");
    check(std::setvbuf(stdout, mine.data(), _IOFBF, mine.size()) == 0, "it can be the buffer");
    std::printf("abc");
  });
}

TEST(StandardStreams, MayBeClosedAndLedElsewhere) {
  Folder folder;
  const std::string file = (folder.path() / "file").string();
  struct stat before {};
  struct stat after {};
  ASSERT_EQ(fstat(STDOUT_FILENO, &before), 0);
  run_several_times([&] {
    check(!std::ferror(stdout), "it is in order");
    check(std::freopen(file.c_str(), "w", stdout) != nullptr, "a file can take its place");
    std::printf("into the file");
    std::fclose(stdin);
    dup2(STDOUT_FILENO, STDERR_FILENO);
  });
  ASSERT_EQ(fstat(STDOUT_FILENO, &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(std::printf("%s", ""), 0);
}

TEST(StreamsFromBeforeTheSearch, StandWhereTheyStood) {
  Folder folder;
  const std::string name = (folder.path() / "file").string();
  std::FILE* const written = std::fopen(name.c_str(), "w");
  ASSERT_NE(written, nullptr);
  std::fputs("one\ntwo\nthree\n", written);
  std::fclose(written);
  std::FILE* const file = std::fopen(name.c_str(), "r");
  ASSERT_NE(file, nullptr);
  std::array<char, 16> line{};
  ASSERT_STREQ(std::fgets(line.data(), 16, file), "one\n");
  run_several_times([&] {
    check(std::fgets(line.data(), 16, file) == std::string("two\n"), "the second line");
    std::ungetc('!', file);
    if (std::fgets(line.data(), 16, file) == std::string("!three\n")) std::fclose(file);
  });
  EXPECT_STREQ(std::fgets(line.data(), 16, file), "two\n");
  std::fclose(file);
}

TEST(DescriptorsFromBeforeTheSearch, StandWhereTheyStood) {
  Folder folder;
  const int file = open((folder.path() / "file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0);
  ASSERT_EQ(write(file, "abcdef", 6), 6);
  ASSERT_EQ(lseek(file, 2, SEEK_SET), 2);
  run_several_times([&] {
    char letter = 0;
    check(read(file, &letter, 1) == 1 && letter == 'c', "the third byte");
    lseek(file, 5, SEEK_SET);
    check(read(file, &letter, 1) == 1 && letter == 'f', "the last byte");
  });
  EXPECT_EQ(lseek(file, 0, SEEK_CUR), 2);
  close(file);
}

// -- what is done at the end

unsigned calls_at_the_end = 0;

TEST(AtTheEndOfTheProcess, NothingOfABodyIsCalled) {
  const auto body = [] {
    std::atexit([] { ++calls_at_the_end; });
    std::at_quick_exit([] { std::abort(); });
    on_exit([](int /*status*/, void* count) { ++*static_cast<unsigned*>(count); }, &calls_at_the_end);
    pthread_atfork([] { std::abort(); }, nullptr, nullptr);
    two_steps();
  };
  EXPECT_EXIT(
      {
        explored(body);
        const pid_t child = fork();
        if (child == 0) _exit(0);
        std::quick_exit(calls_at_the_end == 0 ? 3 : 4);
      },
      testing::ExitedWithCode(3), "");
}

// -- the process

TEST(TheWorkingDirectory, IsThatOfTheSearch) {
  const auto here = [] {
    std::array<char, 4096> path{};
    return std::string(getcwd(path.data(), path.size()));
  };
  const std::string before = here();
  run_several_times([&] {
    check(here() == before, "as it was before the search");
    check(chdir("/") == 0 && here() == "/", "it has changed");
    const int folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    check(fchdir(folder) == 0 && here() == "/proc", "and once more");
    close(folder);
  });
  EXPECT_EQ(here(), before);
}

TEST(TheUmask, IsThatOfTheSearch) {
  const mode_t before = umask(022);
  run_several_times([] {
    check(umask(077) == 022, "as it was before the search");
    check(umask(0) == 077, "it has changed");
  });
  EXPECT_EQ(umask(before), 022U);
}

TEST(HandlersOfSignals, AreThoseOfTheSearch) {
  std::signal(SIGUSR1, SIG_IGN);
  run_several_times([] {
    struct sigaction now {};
    sigaction(SIGUSR1, nullptr, &now);
    check(now.sa_handler == SIG_IGN, "as it was before the search");
    static std::atomic<int> calls{0};
    struct sigaction once {};
    once.sa_handler = [](int) { ++calls; };
    once.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGUSR1, &once, nullptr);
    std::raise(SIGUSR1);
    check(calls == 1, "it is called");
    check(std::signal(SIGSEGV, SIG_DFL) != SIG_DFL, "Hocket listens to this one");
    std::signal(SIGUSR2, [](int) {});
  });
  EXPECT_EQ(std::signal(SIGUSR1, SIG_DFL), SIG_IGN);
  EXPECT_EQ(std::signal(SIGUSR2, SIG_DFL), SIG_DFL);
}

TEST(TheStackOfSignals, IsThatOfTheSearch) {
  static std::array<char, 65536> mine;
  run_several_times([] {
    stack_t now{};
    sigaltstack(nullptr, &now);
    check(now.ss_sp != mine.data(), "as it was before the search");
    stack_t other{};
    other.ss_sp = mine.data();
    other.ss_size = mine.size();
    check(sigaltstack(&other, nullptr) == 0, "it can be changed");
  });
}

TEST(Timers, DoNotOutliveTheirExecution) {
  run_several_times([] {
    itimerval now{};
    getitimer(ITIMER_VIRTUAL, &now);
    check(now.it_value.tv_sec == 0, "as it was before the search");
    const itimerval long_time{{0, 0}, {3600, 0}};
    setitimer(ITIMER_VIRTUAL, &long_time, nullptr);
    check(alarm(3600) == 0, "there was no alarm");
    sigevent nothing{};
    nothing.sigev_notify = SIGEV_NONE;
    timer_t timer{};
    check(timer_create(CLOCK_MONOTONIC, &nothing, &timer) == 0, "there is one more");
    static std::array<timer_t, 2> others;
    timer_create(CLOCK_MONOTONIC, &nothing, &others[0]);
    timer_delete(others[0]);
  });
  EXPECT_EQ(alarm(0), 0U);
}

// -- the safety net

// A library without hooks keeps something that Hocket knows nothing of: here by a file.
TEST(WhatTheFirstExecutionLeaves, IsToldOfIfItChangesTheSecond) {
  Folder folder;
  const std::string name = (folder.path() / "marker").string();
  const Report report = explored([&] {
    const bool is_the_first = open(name.c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0600) >= 0;
    if (is_the_first) two_steps();
  });
  EXPECT_EQ(report.executions, 1U);
  EXPECT_NE(report.note.find("the first execution, which does not count, differed from the second one under "
                             "the same schedule (4 steps, then 1)"),
      std::string::npos)
      << report;
}

TEST(WhatTheFirstExecutionLeaves, IsNotSpokenOfWhereNothingIsPutBack) {
  static int runs = 0;
  const Report report = explored(exhaustively({.restore = hocket::Restore::nothing}), [] {
    if (runs++ == 0) two_steps();
  });
  EXPECT_EQ(report.note, "");
}

}  // namespace

}  // namespace unmodified
