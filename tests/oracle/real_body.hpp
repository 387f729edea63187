// A program run for real: a test body that does with hocket:: objects what the program says, and notes what
// came of each instruction.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include <hocket/hocket.hpp>

#include "tests/oracle/program.hpp"

namespace hocket::oracle {

/// One instruction that a thread completed.
struct Observation {
  unsigned thread = 0;
  Instruction instruction;
  int result = 0;

  friend bool operator==(const Observation&, const Observation&) = default;
};

/// Copies of a body refer to one program and note in one place, so it can be run by way of std::function.
class RealBody {
 public:
  explicit RealBody(const Program& program);
  RealBody(const RealBody&) = delete;
  RealBody& operator=(const RealBody&) = delete;

  /// The body: one execution, on the fiber of the first logical thread.
  void run();

  /// What was completed in the last execution, in order.
  [[nodiscard]] const std::vector<Observation>& observed() const { return observed_; }

 private:
  using Box = std::variant<atomic<int>, timed_mutex, shared_timed_mutex, condition_variable_any,
      counting_semaphore<>, var<int>>;
  /// What a thread owns. On its stack, so that an execution that is cut short destroys it with the stack.
  struct Belongings;

  [[nodiscard]] static std::unique_ptr<Box> make(const Object& object);
  void run_thread(unsigned number, Frame frame);
  int perform(const Instruction& instruction, const Frame& frame);
  template <class Atomic>
  static int perform_on(Atomic&& atomic, const Instruction& instruction);
  template <class Wait>
  int with_lock(const Instruction& instruction, const Frame& frame, Wait wait);
  [[nodiscard]] bool is_shared_mutex(unsigned object) const {
    return object < program_.objects.size() && program_.objects[object].kind == Kind::shared_mutex;
  }
  template <class Face>
  Face& get(unsigned object) {
    return std::get<Face>(*boxes_[object]);
  }

  const Program& program_;
  std::vector<std::unique_ptr<Box>> outside_;
  std::vector<Box*> boxes_;  ///< every object that there is now
  std::vector<Observation> observed_;
};

}  // namespace hocket::oracle
