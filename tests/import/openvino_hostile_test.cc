// SPDX-License-Identifier: Apache-2.0
// OpenVINO files that are wrong, by mistake or by intent: each ends in one clear line.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "import/openvino/execution_graph.h"
#include "import/openvino/openvino_model.h"
#include "import/openvino_text.h"

namespace berth {
namespace {

TEST_F(OpenVino, MistakesAreNamed) {
  const std::string x = ir_layer(0, "x", "Parameter", "", "", "FP32 4");
  const std::string r = ir_layer(1, "r", "ReLU", "", "FP32 4", "FP32 4");
  const auto error = [&](const std::string& layers, std::string_view edges) {
    return ir_error_of(ir_file(layers, edges));
  };
  EXPECT_EQ(error(x + r, ""), "layer \"r\": no edge enters its port 0");
  EXPECT_EQ(error(x + r, "0:0>1:0 0:0>1:0"), "layer \"r\": two edges enter its port 0");
  EXPECT_EQ(error(x + r, "0:7>1:0"), "layer \"x\": an edge leaves its port 7, which is no output of it");
  EXPECT_EQ(error(x + r, "0:0>1:1"), "layer \"r\": an edge enters its port 1, which is no input of it");
  EXPECT_EQ(error(x + r, "0:0>9:0"), "an edge names the layer 9, which is not there");
  EXPECT_EQ(error(x + x, ""), "layer \"x\": its id 0 is that of another layer");
  EXPECT_EQ(error(r + ir_layer(2, "s", "ReLU", "", "FP32 4", "FP32 4"), "1:1>2:0 2:1>1:0"),
            "layer \"r\": it waits for itself: the layers form a cycle");
  EXPECT_EQ(error(ir_layer(0, "x", "Parameter", "", "", "FP32 -2"), ""),
            "layer \"x\": <dim> of port 0: \"-2\" where a whole number is expected");
  EXPECT_EQ(error(ir_layer(0, "x", "Parameter", "", "", "FP32 4 | FP32 4"), ""),
            "layer \"x\": a Parameter has one output and no input");
  EXPECT_EQ(error(ir_layer(0, "x", "Result", "", "", "FP32 4"), ""),
            "layer \"x\": a Result has one input and no output");
  EXPECT_EQ(error(ir_layer(0, "x", "", "", "", "FP32 4"), ""), "layer \"x\": it has no type");
  EXPECT_EQ(error("<layer name=\"x\" type=\"T\"/>", ""), "layer \"x\": <layer> has no attribute id");
  EXPECT_EQ(ir_error_of("<net version=\"11\"/>"), "<net> has no <layers>; is it an OpenVINO model?");
  EXPECT_EQ(ir_error_of("<html/>"), "its root is no <net>; is it an OpenVINO model?");
  EXPECT_NE(ir_error_of("<net>\n<layers>\n").find("line "), std::string::npos);
  EXPECT_NE(ir_error_of("").find("the XML is damaged"), std::string::npos);
}

TEST_F(OpenVino, HostileFilesEndInOneLine) {
  const auto repeated = [](std::string_view piece, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += piece;
    return text;
  };
  const std::string x = ir_layer(0, "x", "Parameter", "", "", "FP32 4");
  EXPECT_EQ(ir_error_of(ir_file("<layer id=\"0\" name=\"a&#xD800;\" type=\"T\"/>", "")),
            "layer 0: name is no valid UTF-8");
  EXPECT_EQ(ir_error_of(std::string("<net>\0</net>", 12)), "it is no XML: it holds a zero byte");
  EXPECT_EQ(ir_error_of(ir_file("<layer id=\"0\" name=\"" + repeated("n", 5000) + "\" type=\"T\"/>", "")),
            "layer 0: name has 5000 characters; at most 4096 are read");
  EXPECT_EQ(ir_error_of(ir_file(ir_layer(0, "x", "Parameter", "", "", "FP32 1" + repeated(",1", 40)), "")),
            "layer \"x\": port 0 has more than 32 dimensions");
  EXPECT_EQ(ir_error_of(ir_file(ir_layer(0, "x", "T", repeated("a=\"\" ", 257), "", ""), "")),
            "layer \"x\": it has more than 256 attributes");
  // A million levels of nothing, and bodies inside bodies.
  EXPECT_EQ(ir_error_of(ir_file(x, "") + "<!-- -->"), "fine");
  EXPECT_NE(ir_error_of("<net><layers>" + repeated("<a>", 1'000'000)).find("the XML is damaged"), std::string::npos);
  EXPECT_NE(ir_error_of("<net version=\"11\">" + repeated("<a>", 1'000'000) + repeated("</a>", 1'000'000) + "</net>")
                .find("no <layers>"),
            std::string::npos);
  const std::string open = "<layers><layer id=\"0\" name=\"l\" type=\"Loop\"><body>";
  const std::string close = "</body></layer></layers>";
  EXPECT_EQ(ir_error_of("<net version=\"11\">" + repeated(open, 10) + "<layers/>" + repeated(close, 10) + "</net>"),
            "fine");
  EXPECT_TRUE(
      ir_error_of("<net version=\"11\">" + repeated(open, 50'000) + "<layers/>" + repeated(close, 50'000) + "</net>")
          .ends_with("bodies are nested more than 32 deep"));
  // Entities of a document type are not expanded.
  const std::string bomb =
      "<!DOCTYPE net [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><net version=\"11\"><layers>"
      "<layer id=\"0\" name=\"&b;\" type=\"Const\"><output><port id=\"0\"/></output></layer></layers></net>";
  EXPECT_EQ(leaves_of(model_of(bomb)), "&b;:constant");
  // Sizes beyond all reason inside a body.
  const std::string huge = "FP32 9000000000000000000,9000000000000000000";
  EXPECT_EQ(ir_error_of(ir_file(
                ir_layer(0, "l", "Loop", "", "", "",
                         "<body>" + ir_parts(ir_layer(0, "m", "MatMul", "", huge + "|" + huge, huge), "") + "</body>"),
                "")),
            "layer \"m\": the size of its port 0 overflows: 9000000000000000000 x 9000000000000000000 elements");
}

// Whatever is done to the bytes: taken, or refused in one line.
TEST_F(OpenVino, RandomDamageGetsAClearAnswer) {
  const std::vector<std::string> files{ir_file(convolution_layers(), kConvolutionEdges),
                                       file_with_loop(iterator_layer(R"(axis="0" part_size="1")"))};
  const std::vector<std::string> tokens{
      "<",        ">",        "/>",     "\"",    "&#0;", "&#xD800;", "-1",   "99999999999999999999",
      "</layer>", "<body>",   "Result", "Const", "0",    "1",        "<!--", "]]>",
      "\xff",     "<![CDATA["};
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    Rng rng(seed);
    std::string text = files[seed % files.size()];
    for (std::uint64_t i = 1 + rng.below(4); i > 0; --i) {
      const std::size_t at = rng.below(text.size());
      const std::size_t length = rng.below(12);
      switch (rng.below(4)) {
        case 0:
          text[at] = static_cast<char>(text[at] ^ (1 << rng.below(8)));
          break;
        case 1:
          text.replace(at, length, tokens[rng.below(tokens.size())]);
          break;
        case 2:
          text.insert(rng.below(text.size()), std::string(text, at, length * 8));
          break;
        default: {  // a number becomes another token
          const std::size_t digit = text.find_first_of("0123456789", at);
          if (digit != std::string::npos) text.replace(digit, 1, tokens[rng.below(tokens.size())]);
        }
      }
    }
    auto model = read_openvino_model(text);
    const auto times = read_execution_graph(text);
    EXPECT_FALSE(times) << "seed " << seed;
    if (model) {
      infer_openvino_shapes(*model);
      for (const Node& node : model->nodes) {
        for (const ValueIndex value : node.inputs) ASSERT_LT(value, model->values.size()) << "seed " << seed;
        for (const ValueIndex value : node.outputs) ASSERT_LT(value, model->values.size()) << "seed " << seed;
      }
      for (const ValueIndex value : model->outputs) ASSERT_LT(value, model->values.size()) << "seed " << seed;
    } else {
      EXPECT_FALSE(model.error().message.empty());
      EXPECT_EQ(model.error().message.find('\n'), std::string::npos) << model.error().message;
    }
  }
}

}  // namespace
}  // namespace berth
