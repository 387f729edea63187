#include "page.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#ifdef HOCKET_HAS_ZLIB
#include <zlib.h>
#endif

#include "scheduler/schedules/whole_file.hpp"

#include "exports.hpp"

// The page, which is built from tools/page/, stands in the program as it is.
asm(".pushsection .rodata\n"
    ".global hocket_page_begin, hocket_page_end\n"
    ".hidden hocket_page_begin, hocket_page_end\n"
    "hocket_page_begin:\n"
    ".incbin \"" HOCKET_PAGE
    "\"\n"
    "hocket_page_end:\n"
    ".popsection\n");

extern "C" {
extern const char hocket_page_begin[];  // NOLINT(modernize-avoid-c-arrays)
extern const char hocket_page_end[];    // NOLINT(modernize-avoid-c-arrays)
}

namespace hocket::tool {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostPlainBytes = std::size_t{64} << 10U;
constexpr std::string_view kTitleBegin = "<title>";
constexpr std::string_view kTitleEnd = "</title>";
constexpr std::string_view kFailure = "failure";
constexpr std::string_view kWhere = "where";
constexpr std::string_view kStep = "step";
constexpr std::string_view kSearches = "searches";

/// `bytes`, less than 4 GB, as one stream of the format of RFC 1951, which browsers can read; nothing where
/// zlib was not there when this was built.
std::optional<std::string> deflated([[maybe_unused]] const std::string& bytes) {
#ifdef HOCKET_HAS_ZLIB
  constexpr int kNoHeader = -MAX_WBITS;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kNoHeader, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    return {};
  std::string result(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<const Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  const bool is_complete = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  result.resize(stream.total_out);
  deflateEnd(&stream);
  if (is_complete) return result;
#endif
  return {};
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    for (std::size_t n = 0; n < 3; ++n)
      group = group << 8U | (n < count ? static_cast<unsigned char>(bytes[at + n]) : 0U);
    for (std::size_t n = 0; n < 4; ++n) text += n <= count ? kDigits[group >> (18 - 6 * n) & 63U] : '=';
  }
  return text;
}

/// Markup in a text would end the element in which the document stands.
std::string without_markup(const std::string& json) {
  std::string text;
  for (const char c : json) c == '<' ? text += "\\u003c" : text += c;
  return text;
}

std::string meta_begin(std::string_view name) {
  return R"(<meta name="hocket-)" + std::string(name) + R"(" content=")";
}

std::string to_html(const PageHead& head) {
  std::string html = std::string(kTitleBegin) + head.title + std::string(kTitleEnd);
  for (const auto& [name, content] : {std::pair(kFailure, head.failure), std::pair(kWhere, head.where),
           std::pair(kStep, head.step), std::pair(kSearches, head.searches)}) {
    if (!content.empty()) html += "\n    " + meta_begin(name) + content + "\" />";
  }
  return html;
}

std::string page_with(const std::string& json, const PageHead& head) {
  std::string page(hocket_page_begin, hocket_page_end);
  constexpr std::string_view kOldTitle = "<title>Hocket</title>";
  page.replace(page.find(kOldTitle), kOldTitle.size(), to_html(head));
  constexpr std::string_view kPlace = ">HOCKET_DOCUMENT<";
  const std::optional<std::string> small = json.size() > kMostPlainBytes ? deflated(json) : std::nullopt;
  const std::string text =
      small ? " data-encoding=\"deflate\">" + base64(*small) : ">" + without_markup(json);
  page.replace(page.find(kPlace), kPlace.size(), text + "<");
  return page;
}

/// What stands between `begin` and `end` in `text`, or nothing.
std::string between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin);
  if (from == std::string_view::npos) return {};
  text.remove_prefix(from + begin.size());
  return std::string(text.substr(0, text.find(end)));
}

/// The beginning of the file, in which a page has its head.
std::string beginning_of(const std::filesystem::path& file) {
  constexpr std::size_t kMostBytes = 8192;
  std::string text(kMostBytes, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(text.data(), kMostBytes);
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '<':
        html += "&lt;";
        break;
      case '&':
        html += "&amp;";
        break;
      case '"':
        html += "&quot;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

std::string page_of_failure(const Json& document) {
  PageHead head;
  head.title = escaped(document["test"]);
  const Json& headline = document["headline"];
  head.failure = escaped(headline.empty() ? document["failure"] : headline[0]);
  head.where = escaped(document.value("where", ""));
  if (document.contains("fails_at")) head.step = document["fails_at"].dump();
  return page_with(document.dump(), head);
}

std::string page_of_searches(const Json& report) {
  const Json& searches = report["searches"];
  const auto failed = std::count_if(searches.begin(), searches.end(), [](const Json& search) {
    const Json failures = search.is_object() ? search.value("failures", Json()) : Json();
    return failures.is_array() && !failures.empty();
  });
  PageHead head;
  head.title = "Searches";
  head.searches = std::to_string(failed) + " of " + std::to_string(searches.size()) + " failed";
  return page_with(report.dump(-1, ' ', false, Json::error_handler_t::replace), head);
}

std::optional<PageHead> head_of_page(const std::filesystem::path& file) {
  const std::string text = beginning_of(file);
  const auto meta = [&](std::string_view name) { return between(text, meta_begin(name), "\""); };
  PageHead head{
      between(text, kTitleBegin, kTitleEnd), meta(kFailure), meta(kWhere), meta(kSearches), meta(kStep)};
  if (head.failure.empty() && head.searches.empty()) return {};
  return head;
}

std::string link_to(const std::string& name, const PageHead& head) {
  // "./" so that a name with a colon is no scheme.
  return "./" + uri_of(name) + (head.step.empty() ? "" : "#step-" + head.step);
}

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
