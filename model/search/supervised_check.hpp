// How a call of a model's member that ends the process becomes a failure of the model.
//
// The supervisor of the process sees the number of the call. It begins the program anew, where the same
// search makes the same calls, up to that one. From there on a child process makes each call first
// (calls_model()), and what ends the child is told as any failure of a call is.
#pragma once

#include <cstdint>
#include <string_view>

#include "../../scheduler/process/count_of_calls.hpp"
#include "../api/options.hpp"
#include "../api/report.hpp"

namespace hocket::model {

class SupervisedCheck {
 public:
  /// `name` is that of the model. If a check of it has ended the process before, the options get one job, so
  /// that calls have numbers. Does nothing where the program cannot begin anew.
  SupervisedCheck(std::string_view name, Options& options);
  ~SupervisedCheck();
  SupervisedCheck(const SupervisedCheck&) = delete;
  SupervisedCheck& operator=(const SupervisedCheck&) = delete;

  /// Where the thread that checks is to count its calls; or null.
  [[nodiscard]] CountOfCalls* count() const;

  /// A call has crashed, of the thread that calls this. Safe in the handler of a signal.
  static void note_crash();

  /// Ends the process by a signal that has ended it before, and that no call of the model has sent.
  static void end_by(int signal);

  /// The check has come to its end, and ends the process if that is how it ended before, by a signal that no
  /// call has sent now.
  void conclude(const Report& report) const;

  /// If a call has crashed, and nothing can be printed any more, or a failure in `report` could not be saved,
  /// the program begins anew.
  static void begin_anew_if_broken(const Report& report);

 private:
  bool is_seen_ = false;
  int signal_ = 0;  ///< that ended the process in an earlier check
};

}  // namespace hocket::model
