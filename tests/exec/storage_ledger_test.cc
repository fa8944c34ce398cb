// SPDX-License-Identifier: Apache-2.0
#include "exec/devices/storage_ledger.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "exec/devices/allocator.h"

namespace berth::exec {
namespace {

constexpr int kDevice = 7;

class StorageLedgerTest : public testing::Test {
 protected:
  ~StorageLedgerTest() override { set_memory_limit(kDevice, 0); }
  StorageLedger ledger_{kDevice};
};

TEST_F(StorageLedgerTest, CountsAStorageOnceAndInBlocks) {
  const at::Tensor tensor = at::ones({200});  // 800 bytes
  const at::Tensor view = tensor.slice(0, 10, 20);
  ledger_.add(tensor);
  ledger_.add(view);
  EXPECT_EQ(allocated_bytes(kDevice), 1024);
  ledger_.remove(tensor);
  EXPECT_EQ(allocated_bytes(kDevice), 1024);
  ledger_.remove(view);
  EXPECT_EQ(allocated_bytes(kDevice), 0);
  ledger_.remove(at::Tensor());
  EXPECT_EQ(allocated_bytes(kDevice), 0);
}

TEST_F(StorageLedgerTest, RefusesWhatIsBeyondTheLimitAndForgetsIt) {
  set_memory_limit(kDevice, 2048);
  const at::Tensor small = at::ones({256}), large = at::ones({512});
  ledger_.add(small);
  EXPECT_THROW(ledger_.add(large), OutOfMemory);
  EXPECT_EQ(allocated_bytes(kDevice), 1024);
  ledger_.clear();
  EXPECT_EQ(allocated_bytes(kDevice), 0);
}

TEST_F(StorageLedgerTest, BlocksAreRoundedUp) {
  const at::Tensor exact = at::ones({128}), more = at::ones({129});  // 512 and 516 bytes
  ledger_.add(exact);
  EXPECT_EQ(allocated_bytes(kDevice), 512);
  ledger_.add(more);
  EXPECT_EQ(allocated_bytes(kDevice), 512 + 1024);
}

TEST_F(StorageLedgerTest, ForgetsWhatItNeverKnew) {
  const at::Tensor known = at::ones({128}), unknown = at::ones({128});
  ledger_.add(known);
  ledger_.add(at::Tensor());
  ledger_.remove(unknown);
  EXPECT_EQ(allocated_bytes(kDevice), 512);
  ledger_.remove(known);
  ledger_.remove(known);
  EXPECT_EQ(allocated_bytes(kDevice), 0) << "not below";
}

TEST_F(StorageLedgerTest, GivesEverythingBackInTheEnd) {
  const at::Tensor tensor = at::ones({128});
  {
    StorageLedger other(kDevice);
    other.add(tensor);
    other.add(tensor);
    EXPECT_EQ(allocated_bytes(kDevice), 512);
  }
  EXPECT_EQ(allocated_bytes(kDevice), 0);
}

}  // namespace
}  // namespace berth::exec
