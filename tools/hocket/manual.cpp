#include "manual.hpp"

#include <string_view>

#include "scheduler/search/option_table.hpp"

namespace hocket::tool {

namespace {

/// `text` as man prints it: a backslash, a dash, and a dot or a quote at the beginning of a line are
/// commands.
std::string plain(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

std::string bold(std::string_view text) {
  return "\\fB" + plain(text) + "\\fR";
}
std::string italic(std::string_view text) {
  return "\\fI" + plain(text) + "\\fR";
}

/// A term, and below it what it means.
std::string entry(const std::string& term, std::string_view meaning) {
  return ".TP\n" + term + "\n" + plain(meaning) + "\n";
}

std::string term_of(const CLI::Option& flag) {
  if (flag.get_positional()) return italic(flag.get_name(true));
  const std::string value = flag.get_expected_max() == 0 ? "" : flag.get_type_name();
  return bold(flag.get_name()) + (value.empty() ? "" : " " + italic(value));
}

std::string command(const CLI::App& about) {
  std::string synopsis = bold("hocket " + about.get_name()) + " [options]";
  std::string entries;
  for (const CLI::Option* flag : about.get_options()) {
    if (flag->get_positional())
      synopsis += " " + (flag->get_required() ? term_of(*flag) : "[" + term_of(*flag) + "]");
    entries += entry(term_of(*flag), flag->get_description());
  }
  return ".SS " + synopsis + "\n" + plain(about.get_description()) + ".\n" + entries +
         (about.get_footer().empty() ? "" : ".PP\n" + plain(about.get_footer()) + "\n");
}

}  // namespace

std::string manual(const CLI::App& app, const std::string& version) {
  std::string page = ".TH HOCKET 1 \"\" \"hocket " + plain(version) + "\" \"User Commands\"\n";
  page += ".SH NAME\nhocket \\- a systematic concurrency tester for C++\n";
  page += ".SH SYNOPSIS\n";
  for (const CLI::App* about : app.get_subcommands({}))
    page += bold("hocket " + about->get_name()) + " ...\n.br\n";
  page += ".SH DESCRIPTION\n" + plain(app.get_description()) + "\n";
  for (const CLI::Option* flag : app.get_options()) page += entry(term_of(*flag), flag->get_description());
  page += ".SH COMMANDS\n";
  for (const CLI::App* about : app.get_subcommands({})) page += command(*about);
  page += ".SH FLAGS AND ENVIRONMENT OF TEST PROGRAMS\n";
  page +=
      "A program that is linked with Hocket has these flags, and reads these environment variables. A flag "
      "wins "
      "over a variable, and either over what the code says. A switch takes 1 or 0.\n";
  for (const OptionInfo& option : option_table()) {
    const std::string value = option.is_switch() ? "" : "=" + italic(option.value);
    page += entry(bold(option.flag()) + value + ", " + bold(option.variable()), option.help);
  }
  return page;
}

}  // namespace hocket::tool
