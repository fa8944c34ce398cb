// SPDX-License-Identifier: Apache-2.0
#include "learn/nn/adam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace berth::learn {
namespace {

TEST(Adam, MovesByTheRateAtFirst) {
  Adam adam(2);
  std::vector<float> values{1.0F, 2.0F}, gradients{0.3F, -0.4F};
  EXPECT_NEAR(adam.step(values, gradients, 0.1, 1.0), 0.5, 1e-6);  // the norm of 3-4-5
  EXPECT_NEAR(values[0], 0.9, 1e-5);
  EXPECT_NEAR(values[1], 2.1, 1e-5);
}

TEST(Adam, ClipsByTheGlobalNorm) {
  Adam clipped(2), small(2);
  std::vector<float> a{0.0F, 0.0F}, b{0.0F, 0.0F}, large{30.0F, 40.0F}, unit{0.6F, 0.8F};
  EXPECT_NEAR(clipped.step(a, large, 0.1, 1.0), 50.0, 1e-4);
  small.step(b, unit, 0.1, 1.0);
  EXPECT_NEAR(clipped.state().mean[0], small.state().mean[0], 1e-7);
  EXPECT_NEAR(clipped.state().square[1], small.state().square[1], 1e-7);
}

TEST(Adam, FindsTheMinimumOfABowl) {
  Adam adam(1);
  std::vector<float> x{5.0F};
  for (int i = 0; i < 500; ++i) {
    std::vector<float> gradient{2.0F * (x[0] - 2.0F)};
    adam.step(x, gradient, 0.05, 10.0);
  }
  EXPECT_NEAR(x[0], 2.0, 0.02);
}

TEST(Adam, GoesOnFromItsState) {
  Adam adam(1), other(1);
  std::vector<float> x{1.0F}, y{1.0F}, gradient{0.5F};
  adam.step(x, gradient, 0.1, 1.0);
  y = x;
  other.restore(adam.state());
  std::vector<float> again{-0.2F}, same{-0.2F};
  adam.step(x, again, 0.1, 1.0);
  other.step(y, same, 0.1, 1.0);
  EXPECT_EQ(x, y);
}

}  // namespace
}  // namespace berth::learn
