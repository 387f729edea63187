// A page for a browser: the built page with a document in it, and what its head says about the document; and
// the list of the pages in a folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace hocket::tool {

/// What the head of a page says, for lists of pages. Texts are HTML already.
struct PageHead {
  std::string title;     ///< the test; of the searches of a run "Searches"
  std::string failure;   ///< what failed; empty: the page shows the searches of a run
  std::string where;     ///< file and line; may be empty
  std::string searches;  ///< of the searches of a run, how many failed
  std::string step;      ///< the number of the step that fails; empty if there is none

  friend bool operator==(const PageHead&, const PageHead&) = default;
};

/// Text as HTML shows it.
std::string escaped(const std::string& text);

/// The page that shows a failure (see document_of()).
std::string page_of_failure(const nlohmann::ordered_json& document);

/// The page that shows the searches of a run, as --hocket_report tells them.
std::string page_of_searches(const nlohmann::ordered_json& report);

/// What the page in the file says; nothing if it is no page of Hocket's.
std::optional<PageHead> head_of_page(const std::filesystem::path& file);

/// A link to the page, and to the step that fails. `name` is its file's.
std::string link_to(const std::string& name, const PageHead& head);

/// Writes index.html, a list of all pages in the folder: several programs may write theirs there. Pages of
/// the same failure of a test are one entry. `refused`: sentences about schedules that have no page, as they
/// could not be read. Returns its path. Throws std::system_error.
std::string write_index(const std::filesystem::path& folder, const std::vector<std::string>& refused);

}  // namespace hocket::tool
