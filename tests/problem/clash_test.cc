// SPDX-License-Identifier: Apache-2.0
// Demands that cannot be met together are named, and no others.
#include "problem/demands/clash.h"

#include "problem/demand_parts.h"
#include "support/toy.h"

namespace berth {
namespace {

// Demands that never matter here, so that an explanation has something to leave out.
const Flags kNoise{"forbid emb/gather=gpu1", "max-crossings 50", "reserve cpu=1GiB", "pin enc.0.w=cpu",
                   "colocate enc.1/conv,enc.10/conv"};

std::string clash_of(const Flags& flags) {
  const std::string alone = error_of(demands_of(flags));
  Flags among = flags;
  among.insert(among.begin() + static_cast<std::ptrdiff_t>(flags.size() / 2), kNoise.begin(), kNoise.end());
  EXPECT_EQ(error_of(demands_of(among)), alone) << "others must not be named";
  return alone;
}

TEST(Clash, NoiseIsFine) { EXPECT_EQ(error_of(demands_of(kNoise)), "no error"); }

TEST(Clash, AtOneOp) {
  EXPECT_EQ(clash_of({"pin head=gpu0", "forbid type:Softmax=gpu0"}),
            "'--pin head=gpu0' and '--forbid type:Softmax=gpu0' clash: no device is left for op 'head'");
  EXPECT_EQ(clash_of({"forbid head=gpu", "forbid h*=cpu"}),
            "'--forbid head=gpu' and '--forbid h*=cpu' clash: no device is left for op 'head'");
  EXPECT_EQ(clash_of({"forbid head=*"}), "'--forbid head=*' cannot be met: no device is left for op 'head'");
}

TEST(Clash, ThroughWhatTiesOps) {
  EXPECT_EQ(clash_of({"pin enc.0/conv=gpu0", "pin head=gpu1", "colocate enc.0/conv,head"}),
            "'--pin enc.0/conv=gpu0', '--pin head=gpu1' and '--colocate enc.0/conv,head' clash: no device is left for"
            " ops 'enc.0/conv' and 'head', which must share one");
  EXPECT_EQ(error_of(demands_of({"keep-together enc.0", "pin enc.0/conv=gpu0", "pin type:MatMul=gpu1"})),
            "'--keep-together enc.0', '--pin enc.0/conv=gpu0' and '--pin type:MatMul=gpu1' clash: no device is left"
            " for op 'enc.0.w' and the 2 ops that must share one with it");
}

TEST(Clash, ThroughTheGraphsOwnGroups) {
  EXPECT_EQ(error_of(demands_of({"pin enc.1/conv=gpu0", "pin enc.10/conv=cpu"})),
            "'--pin enc.1/conv=gpu0' and '--pin enc.10/conv=cpu' clash: no device is left for ops 'enc.1/conv' and"
            " 'enc.10/conv', which must share one; the graph itself colocates some of them");
}

TEST(Clash, ThroughResidentWeights) {
  EXPECT_EQ(error_of(demands_of({"pin emb.table=cpu", "resident-weights", "pin emb/gather=gpu0"})),
            "'--pin emb.table=cpu', '--resident-weights' and '--pin emb/gather=gpu0' clash: no device is left for ops"
            " 'emb.table' and 'emb/gather', which must share one; a resident weight keeps all ops that read it on one"
            " device");
  EXPECT_EQ(error_of(demands_of({"pin emb.table=gpu1", "resident-weights"})), "no error");
}

TEST(Clash, WithWhereAnOpRuns) {
  EXPECT_EQ(clash_of({"pin a=b=gpu0"}),
            "'--pin a=b=gpu0' cannot be met: no device is left for op 'a=b' (op 'a=b' runs on cpu only)");
  EXPECT_EQ(clash_of({"colocate head,a=b", "forbid head=cpu"}),
            "'--colocate head,a=b' and '--forbid head=cpu' clash: no device is left for ops 'head' and 'a=b', which"
            " must share one (op 'a=b' runs on cpu only)");
}

TEST(Clash, UnsupportedEverywhere) {
  EXPECT_EQ(error_of({unsupported("cpu", "Conv"), unsupported("npu", "Conv"), unsupported("gpu", "Conv")}),
            "'t.csv:1 cpu,Conv' and 't.csv:1 gpu,Conv' clash: no device is left for op 'enc.0/conv'");
}

TEST(Clash, MoreReservedThanThereIs) {
  EXPECT_EQ(clash_of({"reserve gpu0=64GiB"}),
            "'--reserve gpu0=64GiB' cannot be met: 64.0 GiB are reserved on gpu0, which has 12.0 GiB");
  EXPECT_EQ(clash_of({"reserve gpu=7GiB", "reserve gpu1=6GiB"}),
            "'--reserve gpu=7GiB' and '--reserve gpu1=6GiB' clash: 13.0 GiB are reserved on gpu1, which has 12.0 GiB");
  EXPECT_EQ(error_of(demands_of({"reserve gpu=12GiB"})), "no error") << "all of it";
  const Flags endless(20, "reserve gpu0=1000000TiB");  // sums must not overflow
  EXPECT_NE(error_of(demands_of(endless)).find("cannot be met"), std::string::npos);
}

TEST(Clash, PoolsAreDrawnOnTogether) {
  const Problem problem =
      make_problem(small_net(), std::make_shared<const Machine>(builtin_machine("core-ultra").value())).value();
  const auto constrained = try_constrain(problem, demands_of({"reserve gpu0=20GiB", "reserve npu=13GiB"}));
  EXPECT_EQ(constrained.error().message,
            "'--reserve gpu0=20GiB' and '--reserve npu=13GiB' clash: 33.0 GiB are reserved on pool ram, which has 32.0"
            " GiB");
}

TEST(Clash, TooFewDevices) {
  EXPECT_EQ(error_of(demands_of({"max-devices 1", "pin emb/gather=gpu0"})),
            "'--max-devices 1' and '--pin emb/gather=gpu0' clash: no device alone may run all ops");  // a=b needs a cpu
  EXPECT_EQ(error_of(demands_of({"pin emb/gather=gpu0", "max-devices 2", "pin head=gpu1"})),
            "'--pin emb/gather=gpu0', '--max-devices 2' and '--pin head=gpu1' clash: no 2 devices together may run all"
            " ops");
  EXPECT_EQ(error_of(demands_of({"max-devices 2", "pin emb/gather=gpu0", "pin head=gpu"})), "no error");
}

TEST(Clash, TooFewCrossings) {
  EXPECT_EQ(
      error_of(demands_of({"max-crossings 0", "pin emb/gather=cpu", "pin enc.0/conv=gpu1"})),
      "'--max-crossings 0', '--pin emb/gather=cpu' and '--pin enc.0/conv=gpu1' clash: at least 1 tensor must cross"
      " between devices");
  EXPECT_EQ(error_of(demands_of({"max-crossings 1", "pin emb/gather=cpu", "pin enc.0/conv=gpu1", "pin head=gpu0"})),
            "'--max-crossings 1', '--pin emb/gather=cpu', '--pin enc.0/conv=gpu1' and '--pin head=gpu0' clash: at"
            " least 2 tensors must cross between devices");  // from head to a=b, too
}

TEST(Clash, InputsByDefaultAreMentioned) {
  EXPECT_EQ(error_of(demands_of({"max-crossings 0", "pin emb/gather=gpu0", "pin head=cpu"})),
            "'--max-crossings 0' and '--pin emb/gather=gpu0' clash: at least 1 tensor must cross between devices;"
            " inputs are on the first CPU unless they are pinned");
  EXPECT_EQ(error_of(demands_of({"max-crossings 0", "pin emb/gather=gpu0", "pin head=cpu", "pin x=gpu0"})), "no error");
}

TEST(Clash, IsFoundAmongThousands) {
  std::vector<Demand> demands;
  for (int i = 0; i < 3000; ++i) demands.push_back(demand_of("forbid enc.*=gpu1").value());
  demands.insert(demands.begin() + 1000, demand_of("pin head=gpu0").value());
  demands.insert(demands.begin() + 2500, demand_of("pin head=gpu1").value());
  EXPECT_EQ(error_of(demands), "'--pin head=gpu0' and '--pin head=gpu1' clash: no device is left for op 'head'");
}

TEST(Clash, LongListsAreCut) {
  const Flags many(8, "reserve gpu0=2GiB");
  EXPECT_EQ(error_of(demands_of(many)),
            "'--reserve gpu0=2GiB', '--reserve gpu0=2GiB', '--reserve gpu0=2GiB', '--reserve gpu0=2GiB', '--reserve"
            " gpu0=2GiB' and 2 more clash: 14.0 GiB are reserved on gpu0, which has 12.0 GiB");
}

class MemoryClash : public testing::Test {
 protected:
  static std::string of(const Flags& flags) {
    const Problem problem = small_problem();
    const auto demands = resolve_demands(problem.graph(), problem.machine(), demands_of(flags));
    return find_memory_clash(problem, *demands).value_or("none");
  }
};

TEST_F(MemoryClash, OfAUnit) {
  EXPECT_EQ(of({"max-devices 3", "colocate emb.table,enc.0.w", "forbid role:parameter=cpu"}),
            "'--colocate emb.table,enc.0.w' and '--forbid role:parameter=cpu' clash: no device is large enough for ops"
            " 'emb.table' and 'enc.0.w', which must share one: 16.0 GiB stay there, at most 12.0 GiB are free");
  EXPECT_EQ(of({"forbid emb.table=cpu", "reserve gpu=5GiB"}),
            "'--forbid emb.table=cpu' and '--reserve gpu=5GiB' clash: no device is large enough for op 'emb.table':"
            " 8.00 GiB stay there, at most 7.00 GiB are free");
}

TEST_F(MemoryClash, OfADevice) {
  EXPECT_EQ(of({"pin role:parameter=gpu0"}),
            "'--pin role:parameter=gpu0' cannot be met: what must be on gpu0 holds 16.0 GiB; there is room for 12.0"
            " GiB");
  EXPECT_EQ(of({"pin emb.table=gpu0", "pin enc.0.w=gpu1"}), "none");
}

TEST_F(MemoryClash, IsNotBlamedOnDemandsWhereNothingFitsAnyway) {
  const Problem problem = make_problem(small_net(), toy_machine("device cpu memory=9B; device gpu0 memory=9B; link cpu "
                                                                "gpu0"))
                              .value();
  const auto demands = resolve_demands(problem.graph(), problem.machine(), demands_of({"pin head=gpu0"}));
  EXPECT_FALSE(find_memory_clash(problem, *demands));
}

TEST(Broken, NamesTheDemandAndTheOp) {
  const Problem problem = small_problem();
  Plan plan;
  plan.device_of.assign(problem.graph().num_ops(), DeviceId{1});
  const auto broken = [&](const Flags& flags) {
    const auto demands = resolve_demands(problem.graph(), problem.machine(), demands_of(flags));
    return find_broken(problem, plan, *demands).value_or("none");
  };
  EXPECT_EQ(broken({"pin head=gpu0", "pin a=b=cpu"}), "'--pin a=b=cpu' does not hold: op 'a=b' is on gpu0");
  EXPECT_EQ(broken({"forbid type:Conv=gpu"}), "'--forbid type:Conv=gpu' does not hold: op 'enc.0/conv' is on gpu0");
  EXPECT_EQ(broken({"keep-together enc.0", "max-devices 1"}), "none");
  plan.device_of[index(op_named(problem.graph(), "head"))] = DeviceId{2};
  EXPECT_EQ(broken({"colocate emb/gather,head"}),
            "'--colocate emb/gather,head' does not hold: op 'emb/gather' is on gpu0, op 'head' is on gpu1");
  EXPECT_EQ(broken({"resident-weights"}), "none");
  plan.device_of[index(op_named(problem.graph(), "emb.table"))] = DeviceId{0};
  plan.device_of[index(op_named(problem.graph(), "enc.0/conv"))] = DeviceId{2};
  EXPECT_EQ(broken({"resident-weights"}),
            "'--resident-weights' does not hold: 2 weights (16.0 GiB over links) are sent in every step, 'emb.table' on"
            " cpu first");
}

}  // namespace
}  // namespace berth
