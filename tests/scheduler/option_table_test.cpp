#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/options/option_table.hpp"
#include "scheduler/options/option_values.hpp"
#include "scheduler/options/settings.hpp"
#include "scheduler/options/spelling.hpp"
#include "scheduler/strategies/strategy.hpp"
#include "scheduler/strategies/strategy_table.hpp"

namespace hocket {

namespace {

using testing::StartsWith;
using namespace std::chrono_literals;

const OptionInfo& option(std::string_view name) {
  for (const OptionInfo& info : option_table()) {
    if (info.name == name) return info;
  }
  throw std::logic_error("no such option: " + std::string(name));
}

/// What Options are when `text` was given for one of them.
Options options_with(std::string_view name, const std::string& text) {
  Options options;
  Settings settings;
  set_option(option(name), "--it", text, options, settings);
  return options;
}

/// What is said about a value that makes no sense.
std::string complaint_about_value(std::string_view name, const std::string& text) {
  try {
    options_with(name, text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no complaint";
}

TEST(OptionTable, NamesEachOptionOnce) {
  std::set<std::string_view> names;
  for (const OptionInfo& info : option_table()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.help.empty() || info.help.ends_with('.')) << info.name;
  }
}

TEST(OptionTable, ListsStrategiesByWhatTheyAreFor) {
  EXPECT_EQ(option("strategy").help,
      "what decides which schedule comes next: auto, icb, hb-cache, icb-por, cb-por, delay, dpor, best-first "
      "and "
      "mix; parts of mix: pos, pct, urw, sticky and random; for comparison: dfs, idfs, dfs-sleep and "
      "cb-por-basic");
}

TEST(OptionTable, DerivesTheNamesOfAnOptionFromOne) {
  const OptionInfo& depth = option("pct_depth");
  EXPECT_EQ(depth.flag(), "--hocket_pct_depth");
  EXPECT_EQ(depth.variable(), "HOCKET_PCT_DEPTH");
  EXPECT_EQ(depth.command_flag(), "--pct-depth");
}

TEST(OptionTable, SetsFieldsOfEachKind) {
  EXPECT_EQ(options_with("strategy", "dfs").strategy, "dfs");
  EXPECT_EQ(options_with("preemptions", "unbounded").max_preemptions, unbounded);
  EXPECT_EQ(options_with("seed", "18446744073709551615").seed, ~std::uint64_t{0});
  EXPECT_EQ(options_with("steps", "7").max_steps, 7U);
  EXPECT_EQ(options_with("time", "2m").time_limit, 2min);
  EXPECT_EQ(options_with("memory", "3G").memory_limit, std::size_t{3} << 30U);
  EXPECT_EQ(options_with("restore", "nothing").restore, Restore::nothing);
  EXPECT_TRUE(options_with("detect", "leaked-memory").detect.contains(Detector::leaked_memory));
  EXPECT_TRUE(options_with("fair", "true").fair);
  EXPECT_FALSE(options_with("no_saved", "1").try_saved);
}

TEST(OptionTable, TakesEachWordThatShellsOffer) {
  for (const OptionInfo& info : option_table()) {
    for (const std::string& word : info.words) {
      const Options options = options_with(info.name, word);
      if (info.name == "strategy") {
        EXPECT_EQ(strategy_info(options.strategy).name, word);
      }
    }
  }
}

TEST(OptionTable, KnowsWhichOptionAMisspeltNameMeans) {
  for (const std::string_view name : {"--hocket_pct_dept", "--hocket-pct-depth", "-hocket_pct_depth",
           "HOCKET_PCT_DEPHT", "pctdepth", "--Pct-Depth"}) {
    const OptionInfo* const meant = option_meant_by(name);
    ASSERT_NE(meant, nullptr) << name;
    EXPECT_EQ(meant->name, "pct_depth") << name;
  }
  for (const std::string_view name : {"", "-", "--hocket_", "--hocket_luck", "abcdefghijk"})
    EXPECT_EQ(option_meant_by(name), nullptr) << name;
}

TEST(Spelling, FindsTheNearestWordWithinAFewLetters) {
  const std::vector<std::string> known{"time", "timeouts", "steps"};
  EXPECT_EQ(likely_spelling("tiem", known), "time");
  EXPECT_EQ(likely_spelling("timeout", known), "timeouts");
  EXPECT_EQ(likely_spelling("step", known), "steps");
  EXPECT_EQ(likely_spelling("s", known), "");
  EXPECT_EQ(likely_spelling("seeds", known), "");
  EXPECT_EQ(likely_spelling("anything", {}), "");
}

TEST(OptionTable, SwitchesOffWhatTheCodeAsksFor) {
  Options options;
  Settings settings;
  options.keep_going = true;
  set_option(option("keep_going"), "--it", "false", options, settings);
  EXPECT_FALSE(options.keep_going);
}

TEST(OptionTable, NamesTheOptionWhoseValueMakesNoSense) {
  EXPECT_EQ(complaint_about_value("steps", "0"), "hocket: --it: \"0\" is not a number from 1 to 1048575");
  EXPECT_EQ(
      complaint_about_value("pct_depth", "-1"), "hocket: --it: \"-1\" is not a number from 0 to 4294967295");
  EXPECT_EQ(complaint_about_value("pct_depth", "4294967296"),
      "hocket: --it: \"4294967296\" is not a number from 0 to 4294967295");
  EXPECT_EQ(complaint_about_value("fair", "perhaps"),
      "hocket: --it: \"perhaps\" is neither true nor false; write 1 or 0");
  EXPECT_EQ(
      complaint_about_value("log", "loud"), "hocket: --it: \"loud\" is no level; write off, info or debug");
  EXPECT_THAT(
      complaint_about_value("detect", "luck"), StartsWith("hocket: --it: there is no detector \"luck\""));
}

TEST(OptionValues, ReadSwitchesAsPeopleWriteThem) {
  for (const char* text : {"1", "true", "TRUE", "True", "ON", "yes", "Enable", "t", "Y"})
    EXPECT_TRUE(switch_from(text)) << text;
  for (const char* text : {"0", "false", "FALSE", "Off", "no", "disable", "F", "n"})
    EXPECT_FALSE(switch_from(text)) << text;
  for (const char* text : {"", "2", "maybe", "truee"})
    EXPECT_THROW(switch_from(text), std::invalid_argument) << text;
}

TEST(OptionValues, ReadAPlaceToStopAtAsAStepOrASwitch) {
  EXPECT_EQ(stop_from("12").step, 12U);
  EXPECT_EQ(stop_from("1").step, 1U);
  EXPECT_TRUE(stop_from("12").is_wanted);
  EXPECT_TRUE(stop_from("true").is_wanted);
  EXPECT_EQ(stop_from("true").step, 0U);
  for (const char* text : {"0", "off"}) EXPECT_FALSE(stop_from(text).is_wanted) << text;
  for (const char* text : {"", "-1", "1.5", "soon", "1048576"})
    EXPECT_THROW(stop_from(text), std::invalid_argument) << text;
}

TEST(OptionValues, ReadDurationsWithAndWithoutUnits) {
  EXPECT_EQ(duration_from("500ms"), 500ms);
  EXPECT_EQ(duration_from("1.5"), 1500ms);
  EXPECT_EQ(duration_from("30s"), 30s);
  EXPECT_EQ(duration_from("5min"), 5min);
  EXPECT_EQ(duration_from("1h"), 1h);
  EXPECT_EQ(duration_from("0"), 0s);
}

TEST(OptionValues, RefuseWhatIsNoDuration) {
  for (const char* text :
      {"", "soon", "-1s", "-0", "5 parsecs", "nan", "inf", "1e99", "ms", " 5s", "0x10", "2000000000s"})
    EXPECT_THROW(duration_from(text), std::invalid_argument) << text;
}

TEST(OptionValues, ReadBytesInPowersOf1024) {
  EXPECT_EQ(bytes_from("65536"), 65536U);
  EXPECT_EQ(bytes_from("64K"), 65536U);
  EXPECT_EQ(bytes_from("64KiB"), 65536U);
  EXPECT_EQ(bytes_from("2G"), std::size_t{2} << 30U);
}

TEST(OptionValues, RefuseWhatIsNoNumberOfBytes) {
  for (const char* text : {"", "much", "-1", "1X", "1.5G", "99999999999G", "18446744073709551616"})
    EXPECT_THROW(bytes_from(text), std::invalid_argument) << text;
}

TEST(OptionValues, RefuseWhatIsNoNumberOfPreemptions) {
  EXPECT_EQ(preemptions_from("0"), 0U);
  for (const char* text : {"", "-1", "few", "1.5", "4294967295", "2 "})
    EXPECT_THROW(preemptions_from(text), std::invalid_argument) << text;
}

}  // namespace

}  // namespace hocket
