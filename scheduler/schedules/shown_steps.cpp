#include "shown_steps.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "../../runtime/diagnosis/notes.hpp"
#include "../../runtime/terms/semantics.hpp"
#include "store_order.hpp"

namespace hocket {

namespace {

using runtime::Mode;
using runtime::RecordedChoice;

constexpr std::size_t kLeastRounds = 4;

bool is_like(const RecordedChoice& a, const RecordedChoice& b) {
  return !a.is_left_out && !b.is_left_out && a.thread == b.thread && a.operation == b.operation &&
         a.object == b.object && a.where == b.where && a.mode == b.mode && a.is_value == b.is_value &&
         (!a.is_value || a.code == b.code);
}

/// The choices that are to be shown, of which there is a limited number.
class Selection {
 public:
  Selection(const std::vector<RecordedChoice>& choices, std::size_t most)
      : choices_(choices), is_shown_(choices.size()), left_(most) {}

  /// Adds the choices from `first` to `last` as far as they exist and are not left out, unless they are too
  /// many.
  void add(std::ptrdiff_t first, std::ptrdiff_t last) {
    const auto count = static_cast<std::ptrdiff_t>(is_shown_.size());
    const std::ptrdiff_t begin = std::clamp<std::ptrdiff_t>(first, 0, count);
    const std::ptrdiff_t end = std::clamp<std::ptrdiff_t>(last + 1, begin, count);
    const auto hidden =
        static_cast<std::size_t>(std::count(is_shown_.begin() + begin, is_shown_.begin() + end, false));
    if (hidden > left_) return;
    left_ -= hidden;
    for (auto n = static_cast<std::size_t>(begin); n < static_cast<std::size_t>(end); ++n)
      is_shown_[n] = !choices_[n].is_left_out;
  }
  [[nodiscard]] std::size_t left() const { return left_; }

  /// A gap of few choices is shown: the line for it would not save a line.
  [[nodiscard]] std::vector<Range> ranges() const {
    constexpr std::size_t kSmallGap = 2;
    std::vector<Range> all;
    for (std::size_t n = 0; n < is_shown_.size(); ++n) {
      if (!is_shown_[n]) continue;
      const std::size_t before = all.empty() ? 0 : all.back().end;
      if (n - before > kSmallGap || (all.empty() && n > kSmallGap)) all.push_back({n, n});
      if (all.empty()) all.push_back({0, 0});
      all.back().end = n + 1;
    }
    if (!all.empty() && is_shown_.size() - all.back().end <= kSmallGap) all.back().end = is_shown_.size();
    return all;
  }

 private:
  const std::vector<RecordedChoice>& choices_;
  std::vector<bool> is_shown_;
  std::size_t left_;
};

/// Calls `visit` for the numbers of steps in a text: 4 in "in step 4", 12 and 15 in "steps 12 to 15".
template <class Visit>
void for_each_step_in(std::string_view text, Visit&& visit) {
  constexpr std::string_view kWord = "step";
  for (std::size_t at = text.find(kWord); at != std::string_view::npos; at = text.find(kWord, at)) {
    at += kWord.size();
    if (at < text.size() && text[at] == 's') ++at;
    for (std::string_view between : {" ", " to ", " and "}) {
      if (text.substr(at, between.size()) != between) continue;
      std::size_t digit = at + between.size();
      std::size_t number = 0;
      constexpr std::size_t kMost = 100'000'000;
      while (digit < text.size() && text[digit] >= '0' && text[digit] <= '9' && number < kMost)
        number = 10 * number + static_cast<std::size_t>(text[digit++] - '0');
      if (digit == at + between.size()) continue;
      visit(number);
      at = digit;
    }
  }
}

/// Whether both did the same, but that one of them fails.
bool does_the_same(const RecordedChoice& a, const RecordedChoice& b) {
  const auto notes_of = [](const RecordedChoice& choice) {
    std::vector<std::string> notes = choice.notes;
    std::erase_if(notes, [](const std::string& note) { return note.starts_with(runtime::notes::kFails); });
    return notes;
  };
  return is_like(a, b) && notes_of(a) == notes_of(b);
}

/// The round at the end of an execution that goes on for ever: at its end, and where it begins if it did
/// something else there. Returns the number of choices before it, or of all if there is none.
std::size_t add_rounds_at_the_end(Selection& selection, const Schedule& schedule) {
  const std::vector<RecordedChoice>& choices = schedule.choices;
  const std::size_t count = choices.size();
  const auto [length, rounds] = repetition_before(schedule, count);
  if (rounds == 0 || 2 * length > selection.left()) return count;
  const auto add = [&](std::size_t begin, std::size_t end) {
    selection.add(static_cast<std::ptrdiff_t>(begin), static_cast<std::ptrdiff_t>(end) - 1);
  };
  add(count - length, count);
  std::size_t begin = count - length;
  while (begin != 0 && does_the_same(choices[begin - 1], choices[begin - 1 + length])) --begin;
  if (count - begin >= kLeastRounds * length) {
    begin += (count - begin) % length;
    if (begin != 0) add(begin - 1, begin);
    return begin;
  }
  begin = count - rounds * length;
  add(begin, begin + length);
  return begin;
}

/// Whether the choices before `end` are the round that comes after it, and are shown.
bool shows_round_before(const Schedule& schedule, const Range& shown, std::size_t length) {
  if (shown.end - shown.begin < length) return false;
  for (std::size_t n = shown.end; n < shown.end + length; ++n) {
    if (!is_like(schedule.choices[n], schedule.choices[n - length])) return false;
  }
  return true;
}

}  // namespace

std::size_t step_before(const Schedule& schedule, std::size_t n) {
  while (n > 1 && schedule.choices[n - 1].is_value) --n;
  return n - 1;
}

bool is_preemption(const Schedule& schedule, std::size_t n) {
  const RecordedChoice& choice = schedule.choices[n];
  if (n == 0 || choice.is_value || choice.thread == schedule.choices[n - 1].thread) return false;
  if (runtime::is_yield(schedule.choices[n - 1].operation)) return false;
  return choice.price > (choice.mode == Mode::run ? 0U : 1U);  // an expiry itself costs one
}

bool is_stale(const RecordedChoice& choice) {
  return choice.chooses_store && choice.code != 0;
}

namespace {

/// Calls `visit` for the choices that the message and what is said of preemptions send a reader to.
template <class Visit>
void for_each_named(const Schedule& schedule, Visit&& visit) {
  const auto name_steps_in = [&](std::string_view text) {
    for_each_step_in(text, [&](std::size_t number) { visit(static_cast<std::ptrdiff_t>(number) - 1); });
  };
  name_steps_in(schedule.message);
  name_steps_in(missed_stores_text(schedule));
  for (const auto& [at, why] : schedule.why) {
    visit(static_cast<std::ptrdiff_t>(at));
    name_steps_in(why);
  }
}

/// All choices but those of rounds that come again and again before anything else happens, as where a test
/// fills a queue.
std::vector<Range> without_repetitions(const Schedule& schedule) {
  const std::size_t count = schedule.choices.size();
  std::vector<bool> stays(count);
  const auto keep = [&](std::ptrdiff_t n) {
    if (n >= 0 && n < static_cast<std::ptrdiff_t>(count)) stays[static_cast<std::size_t>(n)] = true;
  };
  for_each_named(schedule, keep);
  const auto failing = static_cast<std::ptrdiff_t>(failing_choice(schedule));
  for (std::ptrdiff_t n = failing - 3; n <= failing; ++n) keep(n);
  for (std::size_t n = 1; n < count; ++n) {
    if (schedule.choices[n].price == 0) continue;
    keep(static_cast<std::ptrdiff_t>(n) - 1);
    keep(static_cast<std::ptrdiff_t>(n));
  }
  Selection selection(schedule.choices, count);
  std::size_t shown_until = 0;
  for (std::size_t n = 0; n < count;) {
    const auto end = static_cast<std::size_t>(
        std::find(stays.begin() + static_cast<std::ptrdiff_t>(n), stays.end(), true) - stays.begin());
    const auto [length, rounds] = repetition_from(schedule, n, end);
    if (rounds == 0) {
      ++n;
      continue;
    }
    selection.add(static_cast<std::ptrdiff_t>(shown_until), static_cast<std::ptrdiff_t>(n + length) - 1);
    n += rounds * length;
    shown_until = n;
  }
  selection.add(static_cast<std::ptrdiff_t>(shown_until), static_cast<std::ptrdiff_t>(count) - 1);
  return selection.ranges();
}

}  // namespace

std::vector<Range> shown_steps(const Schedule& schedule, std::size_t most) {
  const std::vector<RecordedChoice>& choices = schedule.choices;
  if (most == 0) {
    Selection all(choices, choices.size());
    all.add(0, static_cast<std::ptrdiff_t>(choices.size()) - 1);
    return all.ranges();
  }
  if (choices.size() <= most) return without_repetitions(schedule);
  Selection selection(choices, most);
  const auto failing = static_cast<std::ptrdiff_t>(failing_choice(schedule));
  selection.add(failing, failing);
  auto until = static_cast<std::size_t>(failing) + 1;  // what comes after the failure says little
  const std::size_t before_rounds =
      until == choices.size() ? add_rounds_at_the_end(selection, schedule) : choices.size();
  if (before_rounds == choices.size()) selection.add(failing - 3, failing + 1);
  until = std::min(until, before_rounds);
  for_each_named(schedule, [&](std::ptrdiff_t n) { selection.add(n, n); });
  for (const auto& choice : choices) {
    if (!is_stale(choice)) continue;
    for (const std::uint32_t number : {choice.seen.step, choice.newest.step}) {
      const auto step = static_cast<std::ptrdiff_t>(number) - 1;
      if (number != 0) selection.add(step, step);
    }
  }
  // Those closest to the failure first, because there may be too many.
  for (std::size_t n = until; n-- > 1;) {
    const auto at = static_cast<std::ptrdiff_t>(n);
    if (is_preemption(schedule, n)) selection.add(at - 2, at + 1);
  }
  for (std::size_t n = until; n-- > 0;) {
    const auto at = static_cast<std::ptrdiff_t>(n);
    if (choices[n].price != 0) selection.add(at - 1, at);
  }
  for (std::size_t n = until; n-- > 1;) {
    const auto at = static_cast<std::ptrdiff_t>(n);
    if (choices[n].thread != choices[n - 1].thread) selection.add(at - 1, at);
  }
  // Where a round begins to come again and again, it is shown once.
  for (const Range& range : selection.ranges()) {
    const auto [length, rounds] = repetition_from(schedule, range.end, choices.size());
    const bool comes_at_the_end = range.end == until && range.end + rounds * length == choices.size();
    if (rounds == 0 || comes_at_the_end || shows_round_before(schedule, range, length)) continue;
    const auto at = static_cast<std::ptrdiff_t>(range.end);
    selection.add(at, at + static_cast<std::ptrdiff_t>(length) - 1);
  }
  return selection.ranges();
}

Repetition repetition_before(const Schedule& schedule, std::size_t end) {
  constexpr std::size_t kLongest = 64;
  const std::vector<RecordedChoice>& choices = schedule.choices;
  for (std::size_t length = 1; length <= kLongest && length * kLeastRounds <= end; ++length) {
    std::size_t begin = end - length;
    while (begin != 0 && is_like(choices[begin - 1], choices[begin - 1 + length])) --begin;
    const std::size_t rounds = (end - begin) / length;
    if (rounds >= kLeastRounds) return {length, rounds};
  }
  return {};
}

Repetition repetition_from(const Schedule& schedule, std::size_t begin, std::size_t end) {
  constexpr std::size_t kLongest = 8;
  const std::vector<RecordedChoice>& choices = schedule.choices;
  for (std::size_t length = 1; length <= kLongest && length * kLeastRounds <= end - begin; ++length) {
    std::size_t n = begin + length;
    while (n < end && is_like(choices[n], choices[n - length])) ++n;
    const std::size_t rounds = (n - begin) / length;
    if (rounds >= kLeastRounds) return {length, rounds};
  }
  return {};
}

std::size_t failing_choice(const Schedule& schedule) {
  const auto fails_at = [](const RecordedChoice& choice) {
    return std::any_of(choice.notes.begin(), choice.notes.end(),
        [](const std::string& note) { return note.starts_with(runtime::notes::kFails); });
  };
  const auto failing = std::find_if(schedule.choices.begin(), schedule.choices.end(), fails_at);
  if (failing != schedule.choices.end()) return static_cast<std::size_t>(failing - schedule.choices.begin());
  return schedule.choices.empty() ? 0 : schedule.choices.size() - 1;
}

}  // namespace hocket
