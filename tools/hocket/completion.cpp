#include "completion.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

#include "scheduler/options/option_table.hpp"

namespace hocket::tool {

namespace {

/// What CLI11 prints for the value of a flag: "WHEN", or "WHEN:{auto,always}" if it is checked.
std::string type_of(const CLI::Option& flag) {
  return flag.get_expected_max() == 0 ? "" : flag.get_type_name();
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(separator)) + word;
  return text;
}

/// The values that a flag can have, if they are few.
std::vector<std::string> values_of(const CLI::Option& flag) {
  const std::string type = type_of(flag);
  if (const std::size_t begin = type.find('{'); begin != std::string::npos)
    return CLI::detail::split(type.substr(begin + 1, type.find('}') - begin - 1), ',');
  for (const OptionInfo& option : option_table()) {
    if (flag.check_lname(std::string(option.command_flag().substr(2)))) return option.words;
  }
  return {};
}

bool takes_folder(const CLI::Option& option) {
  return type_of(option) == "DIR";
}

/// The names with which a flag can be written: "-h", "--help".
std::vector<std::string> names_of(const CLI::Option& flag) {
  return CLI::detail::split(flag.get_name(false, true), ',');
}

std::vector<const CLI::Option*> flags_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return !option->get_positional(); });
}

std::string all_names_of_flags(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* flag : flags_of(app)) {
    for (const std::string& name : names_of(*flag)) names.push_back(name);
  }
  return joined(names, " ");
}

std::string all_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return joined(names, " ");
}

// ---- bash

/// The cases for the values of the flags of a command; `command` is its name, or empty for none.
std::string bash_values(const CLI::App& app, const std::string& command) {
  std::string text;
  for (const CLI::Option* flag : flags_of(app)) {
    if (type_of(*flag).empty()) continue;
    const std::vector<std::string> values = values_of(*flag);
    const std::string how = takes_folder(*flag)        ? "_hocket_files -d"
                            : type_of(*flag) == "FILE" ? "_hocket_files -f"
                                                       : "_hocket_words '" + joined(values, " ") + "'";
    for (const std::string& name : names_of(*flag))
      text += joined({"    '", command, " ", name, "') ", how, "; return ;;\n"}, "");
  }
  return text;
}

std::string for_bash(const CLI::App& app) {
  std::string values = bash_values(app, "");
  std::string names = "    ' -'*) _hocket_words '" + all_names_of_flags(app) + "' ;;\n";
  for (const CLI::App* command : app.get_subcommands({})) {
    values += bash_values(*command, command->get_name());
    names +=
        "    '" + command->get_name() + " -'*) _hocket_words '" + all_names_of_flags(*command) + "' ;;\n";
  }
  return R"(# Completes command lines of hocket in bash. Made by: hocket --completion bash
_hocket_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }
_hocket_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
}

_hocket() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command= n
  COMPREPLY=()
  if [[ $current == = ]]; then  # bash takes --flag=value for three words
    current=
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((n = 1; n < COMP_CWORD; ++n)); do
    if [[ ${COMP_WORDS[n]} == -- ]]; then  # the rest is for the test program
      _hocket_files -f
      return
    fi
    [[ -n $command || ${COMP_WORDS[n]} == -* ]] || command=${COMP_WORDS[n]}
  done
  case "$command $previous" in
)" + values +
         R"(  esac
  case "$command $current" in
)" + names +
         "    ' '*) _hocket_words '" + all_commands(app) + R"(' ;;
    *) _hocket_files -f ;;
  esac
}
complete -F _hocket hocket
)";
}

// ---- zsh

/// `text` in single quotes, where _arguments takes none of it for its own.
std::string zsh_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    if (c == '\'') escaped += "'\\'";
    escaped += c;
  }
  return escaped;
}

/// The words that _arguments of zsh understands for a flag.
std::string zsh_flag(const CLI::Option& flag) {
  std::string text;
  for (const std::string& name : names_of(flag)) {
    text += " \\\n        '" + name;
    const std::string type = type_of(flag);
    if (!type.empty()) text += '=';
    text += "[" + zsh_text(flag.get_description()) + "]";
    if (!type.empty()) {
      text += ":" + type.substr(0, type.find(':')) + ":";
      const std::vector<std::string> values = values_of(flag);
      text += takes_folder(flag) ? "_files -/"
              : type == "FILE"   ? "_files"
              : values.empty()   ? " "
                                 : "(" + joined(values, " ") + ")";
    }
    text += "'";
  }
  return text;
}

std::string zsh_arguments(const CLI::App& command) {
  std::string text = "_arguments";
  for (const CLI::Option* flag : flags_of(command)) text += zsh_flag(*flag);
  unsigned position = 0;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const bool is_list = option->get_expected_max() > 1;
    text += " \\\n        '" + (is_list ? "*" : std::to_string(++position)) + ":" + option->get_name(true) +
            ":_files'";
  }
  return text;
}

std::string for_zsh(const CLI::App& app) {
  std::string commands;
  std::string arguments;
  for (const CLI::App* command : app.get_subcommands({})) {
    commands += "      '" + command->get_name() + ":" + zsh_text(command->get_description()) + "'\n";
    arguments += "    " + command->get_name() + ")\n      " + zsh_arguments(*command) + " ;;\n";
  }
  return R"(#compdef hocket
# Completes command lines of hocket in zsh. Made by: hocket --completion zsh
_hocket() {
  local -a commands
  local state line
  )" + zsh_arguments(app) +
         R"( \
        '1:command:->command' '*::argument:->argument' && return
  case $state in
    command)
      commands=(
)" + commands +
         R"(      )
      _describe command commands
      return ;;
  esac
  case $line[1] in
)" + arguments +
         R"(  esac
}
_hocket "$@"
)";
}

}  // namespace

std::string completion(const CLI::App& app, const std::string& shell) {
  return shell == "zsh" ? for_zsh(app) : for_bash(app);
}

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
