// SPDX-License-Identifier: Apache-2.0
#include "serving/files/routing.h"

#include <algorithm>
#include <array>

#include "files/json/json_reader.h"

namespace berth::llm {
namespace {

constexpr double kMostPicks = 1e15;

Status read_layer_counts(const JsonValue& entry, const Config& config, Routing& routing) {
  std::int64_t layer = -1;
  std::vector<double> counts;
  constexpr std::array<std::string_view, 2> kKeys{"layer", "counts"};
  BERTH_TRY(const std::uint32_t seen,
            entry.fields(kKeys, UnknownFields::kRefuse, [&](std::size_t key, const JsonValue& value) -> Status {
              if (key == 0) {
                BERTH_TRY(layer, value.integer(0, config.layers - 1));
                return {};
              }
              return value.for_each([&](const JsonValue& count) -> Status {
                BERTH_TRY(const double number, count.number());
                if (number < 0.0 || number > kMostPicks) return count.error("a count of picks is from 0 to 1e15");
                counts.push_back(number);
                return {};
              });
            }));
  if (seen != 3) return entry.error("needs \"layer\" and \"counts\"");
  if (!config.has_experts(layer)) return entry.error(fmt::format("layer {} has no experts", layer));
  if (counts.size() != static_cast<std::size_t>(config.experts)) {
    return entry.error(fmt::format("layer {} has {} experts, not {}", layer, config.experts, counts.size()));
  }
  double sum = 0.0;
  for (const double count : counts) sum += count;
  if (sum <= 0.0) return entry.error("no expert was ever picked");
  for (double& count : counts) count = std::min(1.0, count * static_cast<double>(config.experts_used) / sum);
  routing.picks[static_cast<std::size_t>(layer)] = std::move(counts);
  return {};
}

}  // namespace

Routing uniform_routing(const Config& config) {
  Routing routing;
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    const bool has = config.has_experts(layer) && config.experts > 0;
    const double share = has ? static_cast<double>(config.experts_used) / static_cast<double>(config.experts) : 0.0;
    routing.picks.emplace_back(has ? static_cast<std::size_t>(config.experts) : 0, share);
  }
  return routing;
}

Result<Routing> read_routing(std::string text, const Config& config) {
  BERTH_TRY(JsonDocument document, JsonDocument::open(std::move(text)));
  BERTH_TRY(const JsonValue format, document.member("format"));
  BERTH_TRY(const std::string_view name, format.string());
  if (name != "berth-routing/1") return format.error("this is \"berth-routing/1\"");
  Routing routing = uniform_routing(config);
  routing.uniform = false;
  BERTH_RETURN_IF_ERROR(
      document.for_each("layers", [&](const JsonValue& entry) { return read_layer_counts(entry, config, routing); }));
  return routing;
}

}  // namespace berth::llm
