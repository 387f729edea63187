// Builds a Schedule, in which every index, code and number is in range, from the fields of a schedule file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "../../runtime/terms/choice.hpp"
#include "schedule.hpp"
#include "schedule_fields.hpp"

namespace hocket {

/// Takes the parts of a file in the order in which they are read. The header comes last, because its fields
/// are complete only at the end. Each function reports invalid content through Fields::refuse.
class ScheduleBuilder {
 public:
  [[nodiscard]] std::size_t threads() const { return schedule_.threads.size(); }
  [[nodiscard]] std::size_t choices() const { return schedule_.choices.size(); }
  [[nodiscard]] std::size_t found_choices() const { return schedule_.found_choices.size(); }

  void add_thread(const Fields& fields);
  void add_step(const Fields& fields);
  /// An entry for several steps, of which the file has only the numbers. Those come first.
  void add_left_out_code(runtime::Code code) { left_out_.push_back(code); }
  [[nodiscard]] std::size_t left_out_codes() const { return left_out_.size(); }
  void add_left_out(const Fields& fields);
  /// Not all notes of the next step were kept, so the checks from there on are not those of the file.
  void notes_were_left_out() { has_left_out_notes_ = true; }
  [[nodiscard]] std::size_t stacks() const { return schedule_.stacks.size(); }
  void add_stack(const Fields& fields);
  [[nodiscard]] std::size_t states() const { return schedule_.model.states.size(); }
  void add_state(const Fields& fields);
  [[nodiscard]] std::size_t transitions() const { return schedule_.model.transitions.size(); }
  void add_transition(const Fields& fields);
  void add_code(runtime::Code code);
  void add_found_code(runtime::Code code) { schedule_.found_choices.push_back(code); }
  Schedule finish(const Fields& header);

 private:
  bool has_left_out_notes_ = false;
  std::uint64_t chain_ = 0;  ///< state of step_check
  /// The threads that a field of a thread names, which may be listed below it.
  struct NamedThreads {
    unsigned thread;  ///< index in schedule_.threads
    std::string joiner;
    std::vector<std::string> waits_on;
  };
  void read_end_of_thread(const Fields& fields, runtime::RecordedThread& thread);
  void resolve_named_threads(const Fields& header);
  void finish_model(const Fields& header);
  void check_number(const Fields& fields) const;
  void check_chain(const Fields& fields, const std::string& check) const;

  std::vector<NamedThreads> named_threads_;
  std::vector<runtime::Code> left_out_;                ///< of the entry that is being read
  std::unordered_map<std::string, unsigned> threads_;  ///< indices in schedule_.threads, by label
  Schedule schedule_;
};

}  // namespace hocket
