#include "refusal.hpp"

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/execution.hpp"

namespace hocket::unmodified {

void refuse(const char* function, const char* instead) {
  const runtime::OwnMemory own;
  runtime::step::fail(runtime::FailureKind::misuse,
      describe(*runtime::run.current) + " calls " + function + "(), which Hocket does not control; " +
          instead,
      runtime::Where{});
}

}  // namespace hocket::unmodified
