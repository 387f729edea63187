// Programs with a bug that real code has had, and that use the standard library alone: each is there with its
// bug and without.
//
// A line that a report names is marked in the source with a name, as in `// @read`.
#pragma once

namespace samples {

enum class Version { buggy, corrected };

}  // namespace samples
