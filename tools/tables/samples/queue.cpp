// What the reduction saves on the work-stealing queue.
#include <array>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "samples/work_stealing_queue.hpp"
#include "tools/tables/measure/markdown.hpp"
#include "tools/tables/samples/searching.hpp"
#include "tools/tables/samples/tables.hpp"

namespace tables {

namespace {

constexpr const char* kIntroduction =
    R"(Complete executions of the work-stealing queue, with at most the given number of preemptions (`icb`) or of
classes within that bound (`cb-por`). The owner has one item more than the queue has slots.
)";

constexpr std::array<std::size_t, 3> kSizes{3, 4, 5};

/// A variable whose accesses all conflict with each other, as if each wrote, with those of all that share
/// `common`; what it holds is changed within the step of that access.
template <class Value, bool kIsShared>
class Conflicting {
 public:
  explicit Conflicting(Value value = {}) : value_(value) {}
  [[nodiscard]] Value load() {
    touch();
    return value_;
  }
  void store(Value value) {
    touch();
    value_ = value;
  }
  static inline hocket::atomic<int>* common = nullptr;

 private:
  void touch() { static_cast<void>((kIsShared ? *common : own_).fetch_add(0)); }

  hocket::atomic<int> own_{0};
  Value value_;
};

/// A variable whose accesses are no steps: the search switches at synchronization alone.
class Plain {
 public:
  [[nodiscard]] int load() const { return value_; }
  void store(int value) { value_ = value; }

 private:
  int value_ = 0;
};

template <class End, class Slot>
void run_variant(const samples::StealingSetup& setup) {
  constexpr auto kNone = samples::StealingSeed::none;
  hocket::atomic<int> common{0};
  Conflicting<long, true>::common = &common;
  samples::run_workers<kNone, samples::WorkStealingQueue<int, kNone, End, Slot>>(setup);
}

/// How often the thief tries to steal: as in the sample, and more often, which makes executions like those of
/// docs/papers.md in number.
constexpr std::array<int, 2> kAttempts{1, 3};

}  // namespace

std::vector<hocket::Report> searches_of_queue(int attempts, const Request& request) {
  std::vector<hocket::Report> reports;
  for (const std::size_t size : kSizes) {
    const samples::StealingSetup setup{
        .slots = size, .items = static_cast<int>(size) + 1, .attempts = attempts};
    const auto body = [setup] { samples::run_workers<samples::StealingSeed::none>(setup); };
    for (const char* strategy : {"icb", "cb-por"}) {
      reports.push_back(search_correct(strategy, request.max_bound, request.seconds, body));
    }
  }
  return reports;
}

std::span<const QueueVariant> queue_variants() {
  using Loud = Conflicting<long, false>;
  static constexpr std::array<QueueVariant, 5> kAll{{
      {"as it is", run_variant<hocket::atomic<long>, hocket::atomic<int>>},
      {"loads conflict with loads", run_variant<Loud, Conflicting<int, false>>},
      {"plain slots", run_variant<hocket::atomic<long>, Plain>},
      {"both", run_variant<Loud, Plain>},
      {"both, and head and tail are one variable", run_variant<Conflicting<long, true>, Plain>},
  }};
  return kAll;
}

namespace {

void print_measured(int attempts, const Request& request, std::ostream& out) {
  std::vector<std::string> header{"bound"};
  for (const std::size_t size : kSizes) {
    for (const char* strategy : {"icb", "cb-por"})
      header.push_back(strategy + (", size " + std::to_string(size)));
  }
  const std::vector<hocket::Report> reports = searches_of_queue(attempts, request);
  measure::MarkdownTable table(header);
  for (unsigned bound = 0; bound <= request.max_bound; ++bound) {
    std::vector<std::string> row{std::to_string(bound)};
    for (const hocket::Report& report : reports) row.push_back(to_text(executions_within(report, bound)));
    table.add(row);
  }
  out << table;
}

}  // namespace

void print_queue(const Request& request, std::ostream& out) {
  out << kIntroduction;
  for (const int attempts : kAttempts) {
    out << "\nThe thief tries to steal " << (attempts == 1 ? "once" : std::to_string(attempts) + " times")
        << ":\n\n";
    print_measured(attempts, request, out);
  }
}

}  // namespace tables
