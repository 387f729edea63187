// How wide text may be, and lines that are broken between words to be no wider.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hocket {

/// The columns of the terminal on standard output. If that is none: COLUMNS, or 80.
unsigned columns_of_output();

/// `text` with its lines broken between words so that none has more than `width` columns, as far as the words
/// allow it. What continues a line is indented as it is, an item of a list (four columns) by two more, and by
/// `least_indent` columns at least. A width of 0 breaks nothing. Lines that are indented by six columns or
/// more are quotations, and are left as they are.
std::string wrapped(std::string_view text, unsigned width, std::size_t least_indent = 2);

}  // namespace hocket
