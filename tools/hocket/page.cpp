#include "page.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "deflate.hpp"
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

}  // namespace hocket::tool
