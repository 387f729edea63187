// The writable data of the program, its globals and statics: put back before each execution to what it was
// when the first one of the search began.
#pragma once

namespace hocket::unmodified {

/// Before an execution: takes the picture if none is there, else puts the data back.
void begin_with_fresh_data();

/// The next execution takes a new picture.
void forget_data();

}  // namespace hocket::unmodified
