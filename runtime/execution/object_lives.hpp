// The lifetimes of objects: which are valid in this execution, and what is known about those that are not.
#pragma once

#include "../objects/object.hpp"
#include "../objects/objects.hpp"
#include "../terms/operation.hpp"
#include "../terms/where.hpp"
#include "recording.hpp"

namespace hocket::runtime {

/// Objects that the body makes begin and end within the execution. Objects made outside, before the search,
/// have in each execution the state that they had when the search first saw them.
class ObjectLives : public Recording {
 public:
  void construct(Object& object, Where where);
  /// Called before an access that is not a step: whether the object is valid.
  [[nodiscard]] bool touch(Object& object, Operation operation, Where where) {
    return object.life == life || first_touch(object, operation, where);
  }
  /// Ends an object whose destruction is not a step.
  void forget(Object& object) {
    if (object.outsider != 0 || counts_objects) [[unlikely]]
      forget_known(object);
    object.end_life();
  }
  /// Lets a report about a later use of `object` say where it ended. Only while recording.
  void note_end_of(const Object& object, Where where);

 protected:
  [[nodiscard]] bool first_touch(Object& object, Operation operation, Where where);
  [[nodiscard]] bool is_left_over(const Object& object) const;
  [[nodiscard]] bool is_from_earlier_execution(const Object& object) const;
  void restore_outside_objects();
  void note_made(const Object& object, Where where);
  void forget_known(Object& object);
};

}  // namespace hocket::runtime
