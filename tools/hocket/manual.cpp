#include "manual.hpp"

#include <cstddef>
#include <string_view>

#include "scheduler/options/option_table.hpp"

namespace hocket::tool {

namespace {

/// `text` as man prints it: a backslash, a dash, and a dot or a quote at the beginning of a line are
/// commands.
std::string escaped(std::string_view text) {
  constexpr std::string_view kEllipsis = "…";  // the only character in the texts that is not ASCII
  std::string result;
  for (std::size_t n = 0; n < text.size(); ++n) {
    const char c = text[n];
    if (text.substr(n).starts_with(kEllipsis)) {
      result += "...";
      n += kEllipsis.size() - 1;
      continue;
    }
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
  return "\\fB" + escaped(text) + "\\fR";
}
std::string italic(std::string_view text) {
  return "\\fI" + escaped(text) + "\\fR";
}

/// A term, and below it what it means.
std::string entry(const std::string& term, std::string_view meaning) {
  return ".TP\n" + term + "\n" + escaped(meaning) + "\n";
}

std::string term_of(const CLI::Option& flag) {
  if (flag.get_positional()) return italic(flag.get_name(true));
  // After the name of a value CLI11 says how it is checked.
  const std::string type = flag.get_expected_max() == 0 ? "" : flag.get_type_name();
  const std::string value = type.substr(0, type.find(':'));
  return bold(flag.get_name(false, true)) + (value.empty() ? "" : " " + italic(value));
}

/// "hocket show [options] FILE"
std::string synopsis(const CLI::App& command) {
  std::string text = bold("hocket " + command.get_name()) + " [options]";
  for (const CLI::Option* flag : command.get_options()) {
    if (flag->get_positional())
      text += " " + (flag->get_required() ? term_of(*flag) : "[" + term_of(*flag) + "]");
  }
  return text;
}

std::string section_of(const CLI::App& command) {
  std::string text = ".SS " + synopsis(command) + "\n" + escaped(command.get_description()) + ".\n";
  for (const CLI::Option* flag : command.get_options())
    text += entry(term_of(*flag), flag->get_description());
  if (!command.get_footer().empty()) text += ".PP\n" + escaped(command.get_footer()) + "\n";
  return text;
}

}  // namespace

std::string manual(const CLI::App& app, const std::string& version) {
  std::string page = R"(.TH HOCKET 1 "" "hocket )" + escaped(version) + R"(" "User Commands")" + "\n";
  page += ".SH NAME\nhocket \\- a systematic concurrency tester for C++\n";
  page += ".SH SYNOPSIS\n";
  for (const CLI::App* about : app.get_subcommands({})) page += synopsis(*about) + "\n.br\n";
  page += ".SH DESCRIPTION\n" + escaped(app.get_description()) + "\n";
  for (const CLI::Option* flag : app.get_options()) page += entry(term_of(*flag), flag->get_description());
  page += ".SH COMMANDS\n";
  for (const CLI::App* about : app.get_subcommands({})) page += section_of(*about);
  page += ".SH FLAGS AND ENVIRONMENT OF TEST PROGRAMS\n";
  page +=
      "A program that is linked with Hocket has these flags, and reads these environment variables. A flag "
      "wins over a variable, and either over what the code says. A switch takes 1 or 0.\n";
  for (const OptionInfo& option : option_table()) {
    const std::string value = option.is_switch() ? "" : "=" + italic(option.value);
    page += entry(bold(option.flag()) + value + ", " + bold(option.variable()), option.help);
  }
  page += entry(bold("HOCKET_TEST"), kHelpOfTestVariable);
  return page;
}

}  // namespace hocket::tool
