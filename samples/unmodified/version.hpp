// Programs with a bug that real code has had. They use only the standard library, and each exists with its
// bug and without it.
//
// A line that a report names is marked with a name in the source, as in `// @read`.
#pragma once

namespace samples {

enum class Version { buggy, corrected };

}  // namespace samples
