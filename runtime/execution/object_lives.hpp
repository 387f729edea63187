// The lifetimes of objects: which are valid in this execution, and what is known about those that are not.
#pragma once

#include "../objects/object.hpp"
#include "../objects/objects.hpp"
#include "../terms/operation.hpp"
#include "../terms/where.hpp"
#include "verdict.hpp"

namespace hocket::runtime {

/// Objects that the body makes begin and end within the execution. Objects made outside, before the search,
/// have in each execution the state that they had when the search first saw them.
class ObjectLives {
 public:
  constexpr ObjectLives(const ThreadTable& threads, Verdict& verdict)
      : threads_(threads), verdict_(verdict) {}

  void construct(Object& object, Where where);
  /// step::first_touch().
  [[nodiscard]] bool first_touch(Object& object, Operation operation, Where where);
  /// Whether the object is older than this execution, which has not accessed it so far. If the body
  /// constructs objects in global storage, every execution after the first destroys the previous execution's
  /// object: that destruction is not a step.
  [[nodiscard]] static bool is_from_earlier_execution(const Object& object) {
    return object.life != run.life && is_left_from_earlier_execution(object);
  }
  /// Whether in this search an object that is no var has been constructed after another thread was created,
  /// or destroyed before all others were joined. Otherwise no life can race with a use.
  [[nodiscard]] bool are_shared() const { return are_shared_; }
  void begin_search() { are_shared_ = false; }
  /// The body's own thread, or another one, destroys an object.
  void note_destruction() {
    are_shared_ |= threads_.live() > 1 || !threads_.all_handles_closed() || threads_.any_detached() ||
                   run.current->index != 0;
  }

  /// An execution is over.
  static void restore_outside_objects();
  /// Called at the beginning of a search.
  static void forget_outside_objects();

 private:
  static void note_made(Object& object, Where where);
  [[nodiscard]] static bool is_left_from_earlier_execution(const Object& object);

  const ThreadTable& threads_;
  Verdict& verdict_;
  bool are_shared_ = false;
};

}  // namespace hocket::runtime
