// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/rules.h"

#include "base/text.h"

namespace berth {

std::vector<std::string> types_in(std::string_view types) {
  constexpr std::string_view kBehindDomain = ": ";
  std::string domain;
  if (const std::size_t colon = types.find(kBehindDomain); colon != std::string_view::npos) {
    domain = std::string(types.substr(0, colon)) + ".";
    types.remove_prefix(colon + kBehindDomain.size());
  }
  std::vector<std::string> all;
  for (const std::string_view type : split(types, ' ')) all.push_back(domain + std::string(type));
  return all;
}

}  // namespace berth
