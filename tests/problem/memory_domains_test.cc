// SPDX-License-Identifier: Apache-2.0
#include "problem/memory_domains.h"

#include <gtest/gtest.h>

#include "support/toy.h"

namespace berth {
namespace {

TEST(MemoryDomains, APoolIsOneMemoryAndEveryOtherDeviceHasItsOwn) {
  const Problem problem = toy_problem("a:1/1/1:1B",
                                      "pool shared 70B; device cpu pool=shared; device gpu memory=30B; "
                                      "device igpu pool=shared; link cpu gpu free; link cpu igpu free");
  const MemoryDomains domains(problem);
  ASSERT_EQ(domains.size(), 2U);
  EXPECT_EQ(domains.of(DeviceId{0}), domains.of(DeviceId{2}));
  EXPECT_NE(domains.of(DeviceId{0}), domains.of(DeviceId{1}));
  EXPECT_EQ(domains.capacities(), (std::vector<Bytes>{70, 30}));
  EXPECT_EQ(domains.devices(domains.of(DeviceId{2})), DeviceSet{0b101});
  EXPECT_EQ(domains.devices(domains.of(DeviceId{1})), DeviceSet{0b010});
}

}  // namespace
}  // namespace berth
