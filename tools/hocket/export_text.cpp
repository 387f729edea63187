// Exports that are text: Markdown, ShiViz and DOT.
#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/terms/utf8.hpp"
#include "scheduler/options/replay_command.hpp"
#include "scheduler/schedules/schedule_text.hpp"
#include "scheduler/schedules/schedule_words.hpp"

#include "document_parts.hpp"
#include "exports.hpp"

namespace hocket::tool {

namespace {

using Json = nlohmann::ordered_json;

/// A row of backticks that is longer than any in `text`.
std::string fence_around(std::string_view text, std::size_t least) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(std::max(least, longest + 1), '`');
}

std::string block(const std::string& text) {
  const std::string fence = fence_around(text, 3);
  return fence + "text\n" + text + (text.ends_with('\n') ? "" : "\n") + fence + "\n";
}

/// Text in quotes for DOT. A backslash and the letter after it would stand for something else.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

/// ShiViz takes a name up to the first space.
std::string host_name(const Json& document, std::size_t thread) {
  std::string name = document["threads"][thread]["thread"];
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

/// The part of a graph in DOT that shows what each thread waits for at the end. An edge leads from the thread
/// to the thread that holds its lock, to the thread that it joins, or else to the object.
std::string graph_of_waits(const Json& document) {
  const Json waits = document.value("waits", Json::array());
  if (waits.empty()) return {};
  const auto node = [](std::size_t thread) { return "t" + std::to_string(thread); };
  std::set<std::size_t> threads;
  std::string objects;
  std::string edges;
  for (const Json& wait : waits) {
    const std::size_t thread = wait["thread"];
    threads.insert(thread);
    const std::string what = wait["for"];
    const std::string object = wait.value("object", "");
    for (const std::size_t on : wait.value("on", std::vector<std::size_t>())) {
      threads.insert(on);
      edges += "  " + node(thread) + " -> " + node(on) +
               " [color = red, label = " + quoted(object.empty() ? what : object) + "];\n";
    }
    if (wait.contains("on") || object.empty()) continue;
    const std::string name = "o" + std::to_string(thread);
    objects += "    " + name + " [label = " + quoted(object) + ", shape = ellipse];\n";
    edges += "  " + node(thread) + " -> " + name + " [color = red, label = " + quoted(what) + "];\n";
  }
  std::string text = "  subgraph cluster_waits {\n    label = \"who waits for whom\";\n";
  for (const std::size_t thread : threads)
    text += "    " + node(thread) + " [label = " + quoted(document["threads"][thread]["thread"]) + "];\n";
  return text + objects + "  }\n" + edges;
}

}  // namespace

const Json& step_of(const Json& document, std::size_t number) {
  const Json& steps = document["steps"];
  const auto after = std::upper_bound(steps.begin(), steps.end(), number,
      [](std::size_t wanted, const Json& step) { return wanted < step["step"].get<std::size_t>(); });
  return *std::prev(after);
}

std::string step_text(const Json& step) {
  std::string text = step["does"];
  for (const char* part : {"object", "result"}) {
    if (step.contains(part)) text += " " + step[part].get<std::string>();
  }
  return text;
}

std::string as_markdown(const Schedule& schedule, const Json& document) {
  constexpr std::size_t kWidth = 110;
  constexpr std::size_t kRows = 60;
  RenderOptions options;
  options.width = kWidth;
  options.max_rows = kRows;
  const std::string test = document["test"];
  const std::string fence = fence_around(test, 1);
  std::string text = "### " + fence + " " + test + " " + fence + "\n\n" + block(headline(schedule)) + "\n";
  // Where the program is on this machine says nothing to those who read it.
  std::string replay = document["replay"];
  if (const std::string program = file_for_shell(schedule.binary);
      !schedule.binary.empty() && replay.ends_with(" " + program))
    replay.replace(replay.size() - program.size(), program.size(), "PROGRAM");
  text += block(document["origin"].get<std::string>() + "\n" + in_words(schedule) + replay);
  if (!schedule.stacks.empty()) {
    text += "\n<details><summary>Calls</summary>\n\n" + block(stacks_text(schedule, kWidth).substr(1)) +
            "\n</details>\n";
  }
  return text + "\n<details><summary>Steps</summary>\n\n" + block(render(schedule, options)) +
         "\n</details>\n";
}

std::string as_shiviz(const Json& document) {
  const Json& steps = document["steps"];
  const std::size_t threads = document["threads"].size();
  std::map<std::size_t, std::vector<std::size_t>> clocks;                                    // of each step
  std::vector<std::vector<std::size_t>> newest(threads, std::vector<std::size_t>(threads));  // of each thread
  // The format is told to ShiViz in the first line, and an empty one follows.
  std::string text = "(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)\n\n";
  const std::vector<LifeEdge> lives = life_edges(document);
  auto life = lives.begin();
  for (const Json& step : steps) {
    if (step.contains("left_out")) continue;
    const std::size_t thread = step["thread"];
    std::vector<std::size_t>& clock = newest[thread];
    const auto comes_after = [&](std::size_t number) {
      const std::vector<std::size_t>& other = clocks[number];
      for (std::size_t n = 0; n < threads; ++n) clock[n] = std::max(clock[n], other[n]);
    };
    for (const Json& number : step.value("after", Json::array())) comes_after(number);
    for (; life != lives.end() && life->to == step["step"]; ++life) comes_after(life->from);
    ++clock[thread];
    clocks[step["step"]] = clock;
    Json shown = Json::object();
    for (std::size_t n = 0; n < threads; ++n) {
      if (clock[n] != 0) shown[host_name(document, n)] = clock[n];
    }
    text += host_name(document, thread) + " " + shown.dump() + "\n" +
            std::to_string(step["step"].get<std::size_t>()) + " " + step_text(step) +
            (step.contains("fails") ? " " + step["fails"].get<std::string>() : "") + "\n";
  }
  return text;
}

std::string as_dot(const Json& document) {
  std::map<std::size_t, std::vector<std::size_t>> of_thread;
  const Json& steps = document["steps"];
  const std::size_t last =
      steps.empty() ? 0 : steps.back()["step"].get<std::size_t>() + steps.back().value("left_out", 0U);
  std::vector<bool> is_shown(last + 1);
  for (const Json& range : document["shown"]) {
    for (std::size_t n = range[0]; n <= range[1].get<std::size_t>(); ++n) {
      is_shown[n] = true;
      of_thread[step_of(document, n)["thread"]].push_back(n);
    }
  }
  std::string text = "digraph failure {\n  label = " + quoted(document["test"]) +
                     ";\n  node [shape = box, fontname = monospace];\n";
  for (const auto& [thread, numbers] : of_thread) {
    text += "  subgraph cluster_" + std::to_string(thread) +
            " {\n    label = " + quoted(document["threads"][thread]["thread"]) + ";\n";
    for (const std::size_t n : numbers) {
      const Json& step = step_of(document, n);
      text += "    s" + std::to_string(n) + " [label = " + quoted(std::to_string(n) + " " + step_text(step)) +
              (step.contains("fails") ? ", color = red, penwidth = 3" : "") + "];\n";
    }
    text += "  }\n";
    for (std::size_t n = 1; n < numbers.size(); ++n)
      text += "  s" + std::to_string(numbers[n - 1]) + " -> s" + std::to_string(numbers[n]) + ";\n";
  }
  for (const Json& step : document["steps"]) {
    for (const Json& before : step.value("after", Json::array())) {
      const std::size_t to = step["step"];
      if (!is_shown[to] || !is_shown[before.get<std::size_t>()]) continue;
      text += "  s" + std::to_string(before.get<std::size_t>()) + " -> s" + std::to_string(to) +
              " [style = dashed, label = " + quoted(step["object"]) + "];\n";
    }
  }
  for (const LifeEdge& edge : life_edges(document)) {
    if (!is_shown[edge.to] || !is_shown[edge.from]) continue;
    text += "  s" + std::to_string(edge.from) + " -> s" + std::to_string(edge.to) +
            " [style = dotted, label = " + quoted(edge.why) + "];\n";
  }
  return text + graph_of_waits(document) + "}\n";
}

}  // namespace hocket::tool
