// The option of the programs that try random programs until a time is over.
#pragma once

#include <map>
#include <string>

#include <CLI/CLI.hpp>

namespace hocket::tools {

/// Adds --time, which sets `seconds`.
inline void add_time_option(CLI::App& app, double& seconds) {
  const std::map<std::string, double> units{{"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}};
  app.add_option("--time", seconds, "how long to run: 30s, 10m, 8h; one minute if not given")
      ->transform(CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::UNIT_REQUIRED))
      ->type_name("T");
}

}  // namespace hocket::tools
