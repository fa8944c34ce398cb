// SPDX-License-Identifier: Apache-2.0
#include "plan/explore/list_decoder.h"

#include <gtest/gtest.h>

#include "plan/toys.h"
#include "support/view_chain.h"

namespace berth {
namespace {

class Decoded {
 public:
  explicit Decoded(const Problem& problem) : problem_(problem), table_(problem), decoder_(table_) {}

  // Ops in the order of the list, as far as edges allow: "a@0 0-2 b@1 2-5", in the order of ids.
  std::string text(std::vector<double> keys, Direction direction = Direction::kForward,
                   std::vector<DeviceId> wishes = {}) {
    wishes.resize(table_.num_ops(), kNoDevice);
    const Schedule& schedule = decoder_.decode(keys, wishes, direction);
    std::string out;
    for (const OpId op : problem_.graph().ops()) {
      out += fmt::format("{}{}@{} {}-{}", out.empty() ? "" : " ", problem_.graph().name(op),
                         problem_.machine().device(schedule.device_of_unit[problem_.unit(op)]).name,
                         to_seconds(schedule.start[index(op)]), to_seconds(schedule.end[index(op)]));
    }
    return out;
  }

 private:
  const Problem& problem_;
  TaskTable table_;
  ListDecoder decoder_;
};

TEST(ListDecoder, TakesTheDeviceThatEndsAnOpFirst) {
  // b follows a at once on its device; c would wait there until 5, elsewhere for the transfer until 3.
  const Problem problem = toy_problem("a:2 -> b:3; a -> c:3", "2 devices, 1 s per edge");
  EXPECT_EQ(Decoded(problem).text({3, 2, 1}), "a@0 0-2 b@0 2-5 c@1 3-6");
  EXPECT_EQ(Decoded(problem).text({3, 1, 2}), "a@0 0-2 b@1 3-6 c@0 2-5");
}

TEST(ListDecoder, FillsGaps) {
  // c waits for b's tensor until 4 next to a; d, last of the list, fits before it.
  const Problem problem = toy_problem("a:1/9; b:9/2 -> c:1/9; d:3/9", "2 devices, 2 s per edge");
  EXPECT_EQ(Decoded(problem).text({4, 3, 2, 1}), "a@0 0-1 b@1 0-2 c@0 4-5 d@0 1-4");
}

TEST(ListDecoder, GoesBackwardFromTheEnd) {
  // From the end: b and c first, a before both of them.
  const Problem problem = toy_problem("a:2 -> b:3; a -> c:1", "2 devices, 1 s per edge");
  EXPECT_EQ(Decoded(problem).text({1, 3, 2}, Direction::kBackward), "a@0 3-5 b@0 0-3 c@1 0-1");
}

TEST(ListDecoder, FollowsWishes) {
  const Problem problem = toy_problem("a:2 -> b:3; a -> c:3", "2 devices, 1 s per edge");
  EXPECT_EQ(Decoded(problem).text({3, 2, 1}, Direction::kForward, {DeviceId{1}, DeviceId{0}, kNoDevice}),
            "a@1 0-2 b@0 3-6 c@1 2-5");
}

TEST(ListDecoder, ParametersGoWithTheirFirstReader) {
  const Problem problem =
      toy_problem("w:param:8B -> v:view:8B -> a:9/1; w -> u:1:update=w; a -> u", "2 devices, 5 s per edge");
  EXPECT_EQ(Decoded(problem).text({1, 1, 1, 1}), "w@1 0-0 v@1 0-0 a@1 0-1 u@1 1-2");
}

TEST(ListDecoder, LeavesADeviceWhoseMemoryIsFull) {
  // Next to a, b would end at 2, but v does not fit there.
  const Problem problem = toy_problem("w:param:6B -> a:1; v:param:6B -> b:1; a => b",
                                      "device c0 memory=8B; device c1 memory=8B; link c0 c1 latency=9");
  EXPECT_EQ(Decoded(problem).text({4, 3, 2, 1}), "w@c0 0-0 a@c0 0-1 v@c1 0-0 b@c1 10-11");
}

TEST(ListDecoder, UsesEveryLane) {
  const Problem problem = toy_problem("a:2; b:2; c:2", "device d lanes=2");
  EXPECT_EQ(Decoded(problem).text({3, 2, 1}), "a@d 0-2 b@d 0-2 c@d 2-4");
}

// A parameter, and whatever shows it, goes where the op is that reads it: through any number of views.
TEST(ListDecoder, SettlesAnyNumberOfViews) {
  const TensorSpec matrix{DType::kF32, {8}};
  GraphBuilder builder("views");
  const OpId w = builder.add({.name = "w", .type = "parameter", .role = Role::kParameter, .outputs = {matrix}});
  const OpId last = add_views(builder, w, kManyViews, matrix);
  builder.add({.name = "relu", .type = "relu", .inputs = {{last, 0}}, .outputs = {matrix}});
  const Problem problem =
      make_problem(std::make_shared<const Graph>(std::move(builder).build().value()), toy_machine("2 devices")).value();
  const TaskTable table(problem);
  ListDecoder decoder(table);
  std::vector<DeviceId> wishes(table.num_ops(), kNoDevice);
  wishes.back() = DeviceId{1};
  const Schedule& schedule = decoder.decode(std::vector<double>(table.num_ops()), wishes, Direction::kForward);
  EXPECT_EQ(schedule.device_of_unit[problem.unit(w)], DeviceId{1});
  EXPECT_EQ(schedule.device_of_unit[problem.unit(last)], DeviceId{1});
}

}  // namespace
}  // namespace berth
