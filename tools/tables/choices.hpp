// What a user chooses by name, and tables printed one after the other.
#pragma once

#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tables {

/// Those of `all`, which have a `name`, whose names are in `names`; all of them for "all". Throws
/// std::invalid_argument, which lists them, for a name that none has. `what`: "table".
template <typename T>
std::vector<T> chosen_by_name(
    std::string_view what, std::span<const T> all, const std::vector<std::string>& names) {
  std::vector<T> chosen;
  for (const std::string& name : names) {
    const std::size_t before = chosen.size();
    std::string known;
    for (const T& one : all) {
      if (name == "all" || name == one.name) chosen.push_back(one);
      known.append(one.name).append(", ");
    }
    if (chosen.size() != before) continue;
    std::string message = "there is no ";
    message.append(what).append(" \"").append(name).append("\"; there are ").append(known).append("all");
    throw std::invalid_argument(message);
  }
  return chosen;
}

/// Prints each table under its title, as it is done.
template <typename Table, typename Request>
void print_tables(const std::vector<Table>& chosen, const Request& request) {
  bool is_first = true;
  for (const Table& table : chosen) {
    std::cout << (is_first ? "" : "\n") << "## " << table.title << "\n\n";
    table.print(request, std::cout);
    std::cout.flush();
    is_first = false;
  }
}

}  // namespace tables
