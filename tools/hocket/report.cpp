// `hocket report`: a failure as one HTML file. The page is built from tools/page/ and holds a place for the
// document.
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "scheduler/schedules/schedule_file.hpp"
#include "scheduler/schedules/whole_file.hpp"

#include "commands.hpp"
#include "deflate.hpp"
#include "document.hpp"
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

std::string page_with(const std::string& json) {
  std::string page(hocket_page_begin, hocket_page_end);
  constexpr std::string_view kPlace = ">HOCKET_DOCUMENT<";
  const bool is_long = json.size() > kMostPlainBytes;
  const std::string text =
      is_long ? " data-encoding=\"deflate\">" + base64(deflated(json)) : ">" + without_markup(json);
  page.replace(page.find(kPlace), kPlace.size(), text + "<");
  return page;
}

}  // namespace

int report(const ReportCommand& command) {
  nlohmann::ordered_json document = document_of(read_schedule(command.file), command.file);
  nlohmann::ordered_json sources = sources_of(document, command.sources);
  if (!sources.empty()) document["sources"] = std::move(sources);
  const std::string page = page_with(document.dump());
  try {
    replace_file(command.output, page);
  } catch (const std::system_error& error) {
    throw UsageError(
        command.output + " cannot be written (" + error.code().message() + "); name another file with -o");
  }
  std::printf("The page is %s\n", command.output.c_str());
  return std::fflush(stdout) == 0 ? kPassed : kBad;
}

}  // namespace hocket::tool
