// `hocket report`: a failure as one HTML file, or several with a list of them. The page is built from
// tools/page/ and holds a place for the document.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "scheduler/schedules/schedule_file.hpp"
#include "scheduler/schedules/whole_file.hpp"

#include "commands.hpp"
#include "deflate.hpp"
#include "document.hpp"
#include "exports.hpp"
#include "sources.hpp"

// The page stands in the program as it is.
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

constexpr std::size_t kMostPlainBytes = std::size_t{64} << 10U;

/// Markup in a text would end the element in which the document stands.
std::string without_markup(const std::string& json) {
  std::string text;
  for (const char c : json) c == '<' ? text += "\\u003c" : text += c;
  return text;
}

/// Text as HTML shows it.
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

// A page says in its head which failure it shows, for the list of the pages in a folder.
constexpr std::string_view kTitleBegin = "<title>";
constexpr std::string_view kTitleEnd = "</title>";
constexpr std::string_view kFailureBegin = R"(<meta name="hocket-failure" content=")";
constexpr std::string_view kFailureEnd = "\" />";

std::string title_of(const nlohmann::ordered_json& document) {
  const std::string what = document["headline"].empty() ? "" : document["headline"][0].get<std::string>();
  return std::string(kTitleBegin) + escaped(document["test"]) + std::string(kTitleEnd) + "\n    " +
         std::string(kFailureBegin) + escaped(what) + std::string(kFailureEnd);
}

std::string page_with(const std::string& json, const std::string& title) {
  std::string page(hocket_page_begin, hocket_page_end);
  constexpr std::string_view kOldTitle = "<title>Hocket</title>";
  page.replace(page.find(kOldTitle), kOldTitle.size(), title);
  constexpr std::string_view kPlace = ">HOCKET_DOCUMENT<";
  const bool is_long = json.size() > kMostPlainBytes;
  const std::string text =
      is_long ? " data-encoding=\"deflate\">" + base64(deflated(json)) : ">" + without_markup(json);
  page.replace(page.find(kPlace), kPlace.size(), text + "<");
  return page;
}

void write(const std::string& file, const std::string& text) {
  try {
    replace_file(file, text);
  } catch (const std::system_error& error) {
    throw UsageError(
        file + " cannot be written (" + error.code().message() + "); name another place with -o");
  }
}

void write_page(const std::string& file, const std::string& output, const ReportCommand& command) {
  nlohmann::ordered_json document = document_of(read_schedule(file), file);
  nlohmann::ordered_json sources = sources_of(document, command.sources);
  if (!sources.empty()) document["sources"] = std::move(sources);
  write(output, page_with(document.dump(), title_of(document)));
}

/// What --hocket_report wrote, or nothing if the file is something else. Everything in it is shown as text.
nlohmann::ordered_json search_report(const std::string& file) {
  constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} << 20U;
  std::error_code error;
  if (std::filesystem::file_size(file, error) > kMostBytes || error) return nullptr;
  std::ifstream in(file);
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(in, nullptr, false);
  const bool is_report = json.is_object() && json.value("hocket_report", nlohmann::ordered_json()) == 1 &&
                         json.contains("searches") && json["searches"].is_array();
  return is_report ? json : nullptr;
}

constexpr std::string_view kIndexHead =
    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Failures</title>\n"
    "<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 "
    "1rem; }"
    " li { margin: .6rem 0; overflow-wrap: anywhere; }</style>\n";

/// What stands between `begin` and `end` in `text`, or nothing.
std::string between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin);
  if (from == std::string_view::npos) return {};
  text.remove_prefix(from + begin.size());
  return std::string(text.substr(0, text.find(end)));
}

/// The beginning of the file, in which a page has its title.
std::string head_of(const std::filesystem::path& file) {
  constexpr std::size_t kMostBytes = 4096;
  std::string text(kMostBytes, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(text.data(), kMostBytes);
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

/// Writes a list of all pages of failures in the folder: several programs may write theirs there.
std::string write_index(const std::filesystem::path& folder) {
  std::map<std::string, std::string> items;  // by name of the file
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".html") continue;
    const std::string head = head_of(entry.path());
    if (head.find(kFailureBegin) == std::string::npos) continue;
    const std::string name = entry.path().filename().string();
    // "./" so that a name with a colon is no scheme.
    items[name] = "<li><a href=\"./" + uri_of(name) + "\">" + between(head, kTitleBegin, kTitleEnd) +
                  "</a><br>" + between(head, kFailureBegin, kFailureEnd) + "</li>\n";
  }
  std::string list;
  for (const auto& [name, item] : items) list += item;
  std::string index = (folder / "index.html").string();
  write(index, std::string(kIndexHead) + "<h1>" + std::to_string(items.size()) +
                   (items.size() == 1 ? " failure" : " failures") + "</h1>\n<ul>\n" + list +
                   "</ul>\n</html>\n");
  return index;
}

/// A page for each file in a folder, and one that leads to all pages there.
void write_pages(const ReportCommand& command) {
  const std::filesystem::path folder = command.output;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw UsageError(
        command.output + " cannot be made (" + error.message() + "); name another folder with -o");
  std::set<std::string> names;
  for (const std::string& file : command.files) {
    std::string stem = std::filesystem::path(file).filename().string();
    stem.resize(std::min(stem.find(".schedule.json"), stem.size()));
    std::string name = stem + ".html";
    for (unsigned n = 2; name == "index.html" || !names.insert(name).second; ++n)
      name = stem + "-" + std::to_string(n) + ".html";
    write_page(file, (folder / name).string(), command);
  }
  std::printf("The pages are listed in %s\n", write_index(folder).c_str());
}

}  // namespace

int report(const ReportCommand& command) {
  if (command.files.size() != 1 || command.output.ends_with('/') ||
      std::filesystem::is_directory(command.output)) {
    write_pages(command);
  } else {
    const nlohmann::ordered_json searches = search_report(command.files[0]);
    if (searches.is_null()) {
      write_page(command.files[0], command.output, command);
    } else {
      write(command.output,
          page_with(searches.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace),
              "<title>Searches</title>"));
    }
    std::printf("The page is %s\n", command.output.c_str());
  }
  return std::fflush(stdout) == 0 ? kPassed : kBad;
}

}  // namespace hocket::tool
