#include "page_index.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "scheduler/schedules/whole_file.hpp"

#include "page.hpp"

namespace hocket::tool {

namespace {

constexpr std::string_view kBegin =
    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Failures</title>\n"
    "<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 "
    "1rem; }"
    " li { margin: .6rem 0; overflow-wrap: anywhere; }</style>\n";

struct Page {
  std::string name;  ///< of its file
  PageHead head;
};

std::vector<Page> pages_in(const std::filesystem::path& folder) {
  std::vector<Page> pages;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".html") continue;
    if (std::optional<PageHead> head = head_of_page(entry.path()))
      pages.push_back({entry.path().filename().string(), std::move(*head)});
  }
  std::sort(pages.begin(), pages.end(), [](const Page& a, const Page& b) { return a.name < b.name; });
  return pages;
}

bool show_same_failure(const PageHead& a, const PageHead& b) {
  return a.title == b.title && a.failure == b.failure && a.where == b.where;
}

std::string link(const Page& page, const std::string& text) {
  return "<a href=\"" + link_to(page.name, page.head) + "\">" + text + "</a>";
}

/// The entry of the failure that the pages show.
std::string entry_of(const std::vector<Page>& pages) {
  const PageHead& head = pages[0].head;
  std::string html = "<li>" + link(pages[0], head.title) + "<br>" + head.failure;
  if (!head.where.empty()) html += ", at " + head.where;
  if (!head.step.empty()) html += ", in step " + head.step;
  for (std::size_t n = 1; n < pages.size(); ++n)
    html += (n == 1 ? "<br>Again in " : ", ") + link(pages[n], escaped(pages[n].name));
  return html + "</li>\n";
}

}  // namespace

std::string write_index(const std::filesystem::path& folder, const std::vector<std::string>& refused) {
  std::string searches;
  std::vector<std::vector<Page>> failures;
  for (Page& page : pages_in(folder)) {
    if (page.head.failure.empty()) {
      searches += "<p>" + link(page, "The searches") + ": " + page.head.searches + "</p>\n";
      continue;
    }
    const auto same = std::find_if(failures.begin(), failures.end(),
        [&](const std::vector<Page>& pages) { return show_same_failure(pages[0].head, page.head); });
    if (same == failures.end()) {
      failures.push_back({std::move(page)});
    } else {
      same->push_back(std::move(page));
    }
  }
  std::string list;
  for (const std::vector<Page>& pages : failures) list += entry_of(pages);
  std::string without_page;
  for (const std::string& sentence : refused) without_page += "<p>No page: " + escaped(sentence) + "</p>\n";
  std::string index = (folder / "index.html").string();
  replace_file(index, std::string(kBegin) + "<h1>" + std::to_string(failures.size()) +
                          (failures.size() == 1 ? " failure" : " failures") + "</h1>\n" + searches +
                          without_page + "<ul>\n" + list + "</ul>\n</html>\n");
  return index;
}

}  // namespace hocket::tool
