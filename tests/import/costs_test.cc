// SPDX-License-Identifier: Apache-2.0
// Readers of measured times: what each format says, and files made to hurt.
#include <gtest/gtest.h>

#include "import/costs/costs_file.h"
#include "import/openvino_text.h"
#include "import/parts.h"

namespace berth {
namespace {

std::vector<Measurement> times_of(const std::string& text) {
  auto costs = parse_costs(text, "t");
  EXPECT_TRUE(costs) << costs.error().message;
  return costs ? costs->times : std::vector<Measurement>();
}

std::string cost_error(const std::string& text) {
  const auto costs = parse_costs(text, "t");
  return costs ? "fine" : costs.error().message;
}

// "a,b@gpu=1.5e-06": names, device and seconds of every time.
std::string to_text(const std::vector<Measurement>& times) {
  std::string text;
  for (const Measurement& time : times) {
    text += fmt::format("{}{}@{}={:.4g}", text.empty() ? "" : " ", fmt::join(time.ops, ","), time.device, time.seconds);
  }
  return text;
}

constexpr const char* kCsv =
    "op,device,microseconds\n"
    "conv/1,gpu0,12.5\n"
    "\"a, \"\"b\"\"\",*,3e0\r\n"
    "\n"
    "  last , cpu , 0 \n";

TEST(CsvCosts, ReadsRowsByTheirHeader) {
  EXPECT_EQ(to_text(times_of(kCsv)), "conv/1@gpu0=1.25e-05 a, \"b\"@*=3e-06 last@cpu=0");
  EXPECT_EQ(to_text(times_of("bytes,microseconds,op\n9,7,x\n")), "x@=7e-06") << "other columns, no device";
  EXPECT_EQ(to_text(times_of("\xef\xbb\xbfop,device,microseconds\na,gpu,1")), "a@gpu=1e-06") << "a byte order mark";
  EXPECT_EQ(to_text(times_of("op,device,microseconds\na,gpu,1\na,gpu,3\n")), "a@gpu=1e-06 a@gpu=3e-06");
}

TEST(CsvCosts, RefusesWhatIsWrong) {
  const std::string head = "op,device,microseconds\n";
  EXPECT_EQ(cost_error(head), "t: there are no times below the header");
  EXPECT_EQ(cost_error(head + "a,gpu"), "t: line 2: it has 2 cells, the header has 3");
  EXPECT_EQ(cost_error(head + "a,gpu,1,2"), "t: line 2: it has 4 cells, the header has 3");
  EXPECT_EQ(cost_error(head + ",gpu,1"), "t: line 2: the name of the op is empty");
  EXPECT_EQ(cost_error(head + "\"a,gpu,1"), "t: line 2: a quoted cell is not closed before the next comma");
  EXPECT_EQ(cost_error(head + "\"a\"b,gpu,1"), "t: line 2: a quoted cell is not closed before the next comma");
  for (const char* wrong : {"-1", "nan", "inf", "1e999", "12us", "", "0x10"}) {
    EXPECT_EQ(cost_error(head + "a,gpu,1\nb,gpu," + wrong),
              fmt::format("t: line 3: microseconds is \"{}\"; expected a number that is not negative", wrong));
  }
  EXPECT_TRUE(cost_error("a,b,c\n1,2,3\n").starts_with("t: line 1: no header of a table of times; what is read: CSV"));
  EXPECT_TRUE(cost_error("").starts_with("t: it is empty; what is read: CSV"));
  EXPECT_TRUE(cost_error(" \n\t").starts_with("t: it is empty; what is read: CSV"));
}

constexpr const char* kProfile = R"([
{"cat":"Session","pid":1,"tid":1,"dur":900,"ts":1,"ph":"X","name":"model_loading_uri","args":{}},
{"cat":"Node","pid":1,"tid":1,"dur":0,"ts":2,"ph":"X","name":"conv_fence_before","args":{"op_name":"Conv"}},
{"cat":"Node","pid":1,"tid":1,"dur":40,"ts":3,"ph":"X","name":"conv_kernel_time",
 "args":{"op_name":"Conv","provider":"CUDAExecutionProvider","node_index":"0"}},
{"cat":"Node","pid":1,"tid":1,"dur":5,"ts":4,"ph":"X","name":"shape_kernel_time",
 "args":{"op_name":"Shape","provider":"CPUExecutionProvider"}},
{"cat":"Node","pid":1,"tid":1,"dur":50,"ts":5,"ph":"X","name":"conv_kernel_time",
 "args":{"op_name":"Conv","provider":"CUDAExecutionProvider"}},
{"cat":"Node","pid":1,"tid":1,"dur":6,"ts":6,"ph":"X","name":"mystery_kernel_time",
 "args":{"op_name":"Gemm","provider":"OpenVINOExecutionProvider"}}
])";

TEST(OnnxRuntimeProfile, HasATimePerNodeAndRun) {
  EXPECT_EQ(to_text(times_of(kProfile)), "conv@gpu=4e-05 shape@cpu=5e-06 conv@gpu=5e-05 mystery@=6e-06");
}

TEST(OnnxRuntimeProfile, AFusedNodeHasTheNameOfTheNodeThatItWas) {
  const auto name_of = [](const std::string& name) {
    return to_text(times_of(fmt::format(
        R"([{{"cat":"Node","pid":1,"tid":1,"dur":5,"ts":4,"ph":"X","name":"{}_kernel_time","args":{{}}}}])", name)));
  };
  EXPECT_EQ(name_of("qk/MatMulScaleFusion/"), "qk@=5e-06");
  EXPECT_EQ(name_of("/layers.0/qk/MatMulScaleFusion/"), "/layers.0/qk@=5e-06");
  EXPECT_EQ(name_of("/MatMulScaleFusion/"), "/MatMulScaleFusion/@=5e-06") << "nothing would be left";
  EXPECT_EQ(name_of("qk/Fusion"), "qk/Fusion@=5e-06");
}

std::string event(const std::string& name, const std::string& category, double start, double duration, int id = -1,
                  int thread = 1, const std::string& more = "") {
  const std::string args = id < 0 ? more : fmt::format("\"External id\":{}{}{}", id, more.empty() ? "" : ",", more);
  return fmt::format(R"({{"ph":"X","cat":"{}","name":"{}","pid":7,"tid":{},"ts":{},"dur":{},"args":{{{}}}}})", category,
                     name, thread, start, duration, args);
}

std::string trace(const std::vector<std::string>& events) {
  return fmt::format(R"({{"schemaVersion":1,"traceEvents":[{}],"traceName":"t.json"}})", fmt::join(events, ",\n"));
}

TEST(ChromeTrace, EventsStandForTheOpTheyAreNamedAfter) {
  const std::string text = trace({event("b", "cpu_op", 20, 4), event("a", "cpu_op", 10, 5), event("k", "kernel", 30, 3),
                                  event("MatMul", "Op", 40, 2, -1, 1, R"("name":"dense/MatMul")"),
                                  event("f", "python_function", 0, 99), event("cudaLaunchKernel", "cuda_runtime", 0, 9),
                                  R"({"ph":"M","name":"process_name","pid":7,"args":{"name":"python"}})",
                                  R"({"ph":"s","id":5,"pid":7,"tid":1,"ts":3,"cat":"ac2g","name":"ac2g"})"});
  EXPECT_EQ(to_text(times_of(text)), "a@cpu=5e-06 b@cpu=4e-06 k@gpu=3e-06 dense/MatMul@=2e-06") << "by their starts";
}

TEST(ChromeTrace, CallsTakeTheTimeOfTheKernelsTheyLaunch) {
  const std::string text = trace({event("aten::linear", "cpu_op", 0, 50, 1), event("aten::t", "cpu_op", 2, 3, 2),
                                  event("aten::addmm", "cpu_op", 10, 30, 3), event("relu", "cpu_op", 60, 10, 4),
                                  event("x", "cpu_op", 12, 9, 5, 2), event("gemm<float>", "kernel", 100, 200, 3, 9),
                                  event("bias", "kernel", 300, 7, 3, 9), event("memcpy", "gpu_memcpy", 310, 11, 4, 9),
                                  event("lonely", "kernel", 400, 13, 77, 9)});
  EXPECT_EQ(to_text(times_of(text)),
            "aten::linear@gpu=0.000207 aten::t@cpu=3e-06 aten::addmm@gpu=0.000207 x@cpu=9e-06 relu@gpu=1.1e-05 "
            "lonely@gpu=1.3e-05");
}

TEST(ChromeTrace, AnnotationsCountOnce) {
  const std::string text =
      trace({event("layer", "user_annotation", 0, 50, 1), event("aten::mm", "cpu_op", 5, 20, 2),
             event("gemm", "kernel", 100, 30, 2, 9), event("layer", "gpu_user_annotation", 90, 60, 1, 9)});
  EXPECT_EQ(to_text(times_of(text)), "layer@gpu=3e-05 aten::mm@gpu=3e-05");
}

TEST(ChromeTrace, AnArrayOfEventsWillDo) {
  EXPECT_EQ(to_text(times_of(fmt::format("\n [{}]", event("a", "kernel", 0, 2)))), "a@gpu=2e-06");
}

TEST(ChromeTrace, RefusesWhatIsWrong) {
  EXPECT_TRUE(cost_error("{}").starts_with("t: it is no trace: \"traceEvents\" is missing; what is read"));
  EXPECT_EQ(cost_error(R"({"traceEvents": 5})"), "t: traceEvents: expected an array");
  EXPECT_TRUE(cost_error("[]").starts_with("t: no event of the trace is the time of an op"));
  EXPECT_TRUE(
      cost_error(fmt::format("[{}]", event("f", "python_function", 0, 1))).starts_with("t: no event of the trace"));
  EXPECT_EQ(cost_error(trace({event("a", "kernel", 0, -2)})),
            "t: traceEvents[0]: \"dur\" is -2; expected 0 to 1e+12 microseconds");
  EXPECT_TRUE(cost_error(trace({event("a", "kernel", 0, 1e300)})).ends_with("expected 0 to 1e+12 microseconds"));
  EXPECT_EQ(cost_error(R"([{"ph":"X","name":"a","dur":"5"}])"),
            "t: traceEvents[0].dur: expected a number, found \"5\"");
  EXPECT_EQ(cost_error(R"([{"ph":"X","name":5,"dur":5}])"), "t: traceEvents[0].name: expected a string, found 5");
  EXPECT_EQ(cost_error(R"([{"ph":"X","name":"a","dur":1,"dur":2}])"), "t: traceEvents[0]: \"dur\" is there twice");
  EXPECT_EQ(cost_error(R"([{"ph":"X","name":"a","dur":1,"tid":[]}])"),
            "t: traceEvents[0].tid: expected a number or a string, found an array");
  EXPECT_EQ(cost_error("[5]"), "t: traceEvents[0]: expected an object, found 5");
  EXPECT_EQ(cost_error(R"([{"ph":"X","name":"a","dur":1e999}])"),
            "t: line 1: traceEvents[0]: a number is malformed or out of range");
  EXPECT_EQ(cost_error(R"([{"ph":"X","name":"a","dur":NaN}])"), "t: line 1: traceEvents[0]: the JSON is malformed");
  const std::string deep = std::string(100'000, '[');
  EXPECT_TRUE(cost_error(deep).ends_with("is the file truncated?"));
}

TEST(CostsFiles, ExecutionGraphsShareAPrimitivesTime) {
  if (!has_openvino()) GTEST_SKIP() << "built without OpenVINO files";
  const std::string layers =
      ir_layer(0, "conv", "Convolution", R"(execTimeMcs="500" originalLayersNames="conv,add")", "", "FP16 4") +
      ir_layer(1, "reorder", "Reorder", R"(execTimeMcs="2.5" originalLayersNames="")", "FP16 4", "FP32 4");
  const auto costs = parse_costs(ir_file(layers, "0:0>1:0"), "t");
  ASSERT_TRUE(costs) << costs.error().message;
  EXPECT_EQ(to_text(costs->times), "conv,add@=0.0005");
  EXPECT_EQ(costs->repeats, Repeats::kSum);
  const std::string only_reorder =
      ir_layer(0, "reorder", "Reorder", R"(execTimeMcs="2.5" originalLayersNames="")", "", "FP32 4");
  EXPECT_EQ(cost_error(ir_file(only_reorder, "")),
            "t: no primitive says which layers it stands for (originalLayersNames)");
}

TEST(CostsFiles, CutAnywhereTheyEndInOneLine) {
  const std::string trace_text = trace({event("a", "cpu_op", 0, 5, 1), event("k", "kernel", 3, 3, 1)});
  for (const std::string& whole : {std::string(kCsv), std::string(kProfile), trace_text}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const auto costs = parse_costs(whole.substr(0, size), "t");
      if (costs) continue;
      EXPECT_TRUE(costs.error().message.starts_with("t: "));
      EXPECT_EQ(costs.error().message.find('\n'), std::string::npos) << costs.error().message;
    }
  }
}

TEST(CostsFiles, AreReadFromDiskAlsoCompressed) {
  const TemporaryFolder folder;
  write_bytes(folder.file("t.csv"), kCsv);
  const auto plain = read_costs_file(folder.file("t.csv"));
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ(plain->path, folder.file("t.csv"));
  EXPECT_EQ(plain->times.size(), 3U);
  if (has_gzip()) {
    write_bytes(folder.file("t.gz"), *gzip(kCsv));
    const auto packed = read_costs_file(folder.file("t.gz"));
    ASSERT_TRUE(packed) << packed.error().message;
    EXPECT_EQ(packed->times, plain->times);
  }
  EXPECT_FALSE(read_costs_file(folder.file("missing.csv")));
}

}  // namespace
}  // namespace berth
