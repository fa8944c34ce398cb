// SPDX-License-Identifier: Apache-2.0
// Constraint files and tables of unsupported ops: what is read, with which source, and what is refused.
#include "format/constraints_file.h"

#include <gtest/gtest.h>

#include "files/toml.h"
#include "import/parts.h"

namespace berth {
namespace {

std::string sources_of(const std::vector<Demand>& demands) {
  std::string text;
  for (const Demand& demand : demands) text += demand.source + "\n";
  return text;
}

std::string constraints_error(std::string_view text) {
  const auto file = parse_constraints(text, "some/box.toml");
  return file ? "no error" : file.error().message;
}

TEST(ConstraintsFile, HoldsWhatFlagsHold) {
  const auto file = parse_constraints(R"(# all kinds
format = "berth-constraints/1"
pin = ["emb=gpu0",
       "type:Conv=gpu"]  # a comment
forbid = "a b=cpu"
colocate = ["a,b"]
keep-together = 'encoder.layer.*'
reserve = ["gpu0=2 GiB"]
max-devices = 2
max-crossings = "100"
resident-weights = true
unsupported = ["npu.csv", "gpu.csv"]
)",
                                      "some/box.toml");
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(sources_of(file->demands),
            "box.toml:3 pin emb=gpu0\n"
            "box.toml:4 pin type:Conv=gpu\n"
            "box.toml:5 forbid a b=cpu\n"
            "box.toml:6 colocate a,b\n"
            "box.toml:7 keep-together encoder.layer.*\n"
            "box.toml:8 reserve gpu0=2 GiB\n"
            "box.toml:9 max-devices 2\n"
            "box.toml:10 max-crossings 100\n"
            "box.toml:11 resident-weights\n");
  EXPECT_EQ(file->demands[5].amount, Bytes{2} << 30);
  EXPECT_EQ(file->demands[7].amount, 100);
  EXPECT_EQ(file->tables, (std::vector<std::string>{"npu.csv", "gpu.csv"}));
}

TEST(ConstraintsFile, AnEmptyOneDemandsNothing) {
  EXPECT_TRUE(parse_constraints("", "x.toml")->demands.empty());
  EXPECT_TRUE(parse_constraints("# nothing\npin = []\n", "x.toml")->demands.empty());
  EXPECT_TRUE(parse_constraints("resident-weights = false\n", "x.toml")->demands.empty());
}

TEST(ConstraintsFile, ErrorsNameTheLine) {
  EXPECT_EQ(constraints_error("pin = [\"a=gpu0\"]\npins = []\n"),
            "some/box.toml:2: pins: no such key; did you mean 'pin'?");
  EXPECT_EQ(constraints_error("keep_together = []"),
            "some/box.toml:1: keep_together: no such key; did you mean 'keep-together'?");
  EXPECT_EQ(constraints_error("[pin]\nemb = \"gpu0\"\n"),
            "some/box.toml:1: pin: expected OP=DEVICE, for example \"emb=gpu0\", found a table");
  EXPECT_EQ(constraints_error("colocate = [[\"a\", \"b\"]]"),
            "some/box.toml:1: colocate: expected A,B,..., for example \"emb,softmax\", found an array");
  EXPECT_EQ(constraints_error("max-devices = 1.5"),
            "some/box.toml:1: max-devices: expected N, for example \"2\", found a number");
  EXPECT_EQ(constraints_error("\nmax-devices = 0"), "box.toml:2 max-devices 0: expected N from 1 to 64, for example 2");
  EXPECT_EQ(constraints_error("pin = 7"), "box.toml:1 pin 7: expected OP=DEVICE, for example emb=gpu0");
  EXPECT_EQ(constraints_error("reserve = [\"gpu0=12 GB/s\"]"),
            "box.toml:1 reserve gpu0=12 GB/s: '12 GB/s' is no size; write for example \"12 GiB\"");
  EXPECT_EQ(constraints_error("unsupported = [3]"),
            "some/box.toml:1: unsupported: expected a string, found a whole number");
  EXPECT_EQ(constraints_error("format = \"berth-machine/1\""),
            "some/box.toml:1: format: 'berth-machine/1' is not read here; this is \"berth-constraints/1\"");
  EXPECT_EQ(constraints_error("pin = [\"a=b\""),
            "some/box.toml:1: expected ',' or ']' in the array, found the end of the file");
}

TEST(ConstraintsFile, HostileOnesEndInOneShortLine) {
  const std::string long_word(500'000, 'a');
  for (const std::string& text :
       {std::string(100'000, '['), std::string("\0\1\2", 3), std::string("\xff\xfe"), "pin = [\"" + long_word + "\"]",
        long_word + " = 1", "pin = \"" + long_word + "=gpu0\"", "format = \"" + long_word + "\"",
        std::string(kMaxTomlBytes + 1, '#'), std::string("pin = \"a\\u000ab\""), std::string("= =")}) {
    const std::string message = constraints_error(text);
    EXPECT_NE(message, "no error") << text.substr(0, 30);
    EXPECT_LT(message.size(), 1200U) << text.substr(0, 30);
    EXPECT_EQ(message.find('\n'), std::string::npos) << text.substr(0, 30);
  }
}

TEST(ConstraintsFile, TablesLieBesideIt) {
  const TemporaryFolder folder;
  write_bytes(folder.file("box.toml"), "pin = \"a=gpu0\"\nunsupported = [\"npu.csv\"]\n");
  const auto missing = load_constraints(folder.file("box.toml"));
  ASSERT_FALSE(missing.ok());
  EXPECT_TRUE(missing.error().message.starts_with(folder.file("npu.csv") + ": ")) << missing.error().message;
  write_bytes(folder.file("npu.csv"), "npu,Resize\n");
  const auto demands = load_constraints(folder.file("box.toml"));
  ASSERT_TRUE(demands.ok()) << demands.error().message;
  EXPECT_EQ(sources_of(*demands), "box.toml:1 pin a=gpu0\nnpu.csv:1 npu,Resize\n");
  EXPECT_FALSE(load_constraints(folder.file("none.toml")));
}

std::string table_error(std::string_view text) {
  const auto demands = parse_unsupported(text, "some/t.csv");
  return demands ? "no error" : demands.error().message;
}

TEST(UnsupportedTable, ReadsLinesWithReasons) {
  const auto demands = parse_unsupported(
      "device,type,reason\n"
      "# what the runtime said\n"
      "NPU , Resize , only nearest, no cubic\r\n"
      "\n"
      "gpu,Loop*",
      "some/t.csv");
  ASSERT_TRUE(demands.ok()) << demands.error().message;
  EXPECT_EQ(sources_of(*demands), "t.csv:3 NPU,Resize (only nearest, no cubic)\nt.csv:5 gpu,Loop*\n");
  const Demand& first = demands->front();
  EXPECT_EQ(first.kind, Demand::Kind::kUnsupported);
  EXPECT_EQ(first.device, "NPU");
  EXPECT_EQ(first.ops, std::vector<std::string>{"Resize"});
  EXPECT_TRUE(parse_unsupported("", "t.csv")->empty());
}

TEST(UnsupportedTable, RefusesWhatIsNoTable) {
  const std::string expected = "expected a device kind and an op type, for example npu,Resize";
  EXPECT_EQ(table_error("npu\n"), "some/t.csv: line 1: " + expected);
  EXPECT_EQ(table_error("npu,Resize\n,Loop\n"), "some/t.csv: line 2: " + expected);
  EXPECT_EQ(table_error("npu,,why\n"), "some/t.csv: line 1: " + expected);
  EXPECT_EQ(table_error("npu,A\ndevice\n"), "some/t.csv: line 2: " + expected);
  std::string many;
  for (std::size_t i = 0; i <= kMaxTableRows; ++i) many += "npu,A\n";
  EXPECT_EQ(table_error(many), "some/t.csv: more than 100000 lines");
  const std::string long_line = std::string(1'000'000, 'a') + ",b";
  EXPECT_LT(parse_unsupported(long_line, "t.csv")->front().source.size(), 200U);
}

}  // namespace
}  // namespace berth
