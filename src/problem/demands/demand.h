// SPDX-License-Identifier: Apache-2.0
// Demand: one constraint as somebody wrote it, behind a flag or in a file, before its names are looked up. It keeps its
// source, so that errors can name it. docs/constraints.md describes the language.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth {

struct Demand {
  enum class Kind : std::uint8_t {
    kPin,           // ops only on these devices
    kForbid,        // ops not on these devices
    kColocate,      // ops on one device
    kKeepTogether,  // every module that the pattern matches on one device
    kReserve,       // bytes of each of these devices
    kDeviceLimit,
    kCrossingLimit,
    kResidentWeights,  // every weight on the device of all that read it
    kUnsupported,      // an op type that devices cannot run; whether there are such ops or devices does not matter
  };

  Kind kind = Kind::kPin;
  std::string source;            // how errors call it: "--pin emb=gpu0", "box.toml:7 pin emb=gpu0"
  std::vector<std::string> ops;  // selectors (demands/op_index.h); of keep-together the module, of unsupported the type
  std::string device;            // as demands/device_words.h takes it
  std::int64_t amount = 0;       // bytes, devices or crossings
};

// How each kind is called and written: the flag --pin OP=DEVICE, the key "pin" of a file. Without a form it is a plain
// switch: --resident-weights, and "resident-weights = true" in a file.
struct DemandForm {
  Demand::Kind kind;
  std::string_view name, form, example, help;
  [[nodiscard]] bool is_switch() const { return form.empty(); }
};
// All but kUnsupported, which comes from tables (format/constraints_file.h).
std::span<const DemandForm> demand_forms();

// Reads what stands behind a flag or in a file. Errors begin with the source.
Result<Demand> parse_demand(const DemandForm& form, std::string_view text, std::string source);

// "--pin emb=gpu0", "--resident-weights": how a demand of a flag is called.
std::string source_of_flag(const DemandForm& form, std::string_view text);

// Text from outside, cut where it is too long for an error, without line breaks.
std::string short_source(std::string_view text);

}  // namespace berth
