// SPDX-License-Identifier: Apache-2.0
#include "exact_set/rows.h"

#include <array>

namespace berth {

std::span<const Row> rows() {
  static constexpr std::array kRows{
      Row{"resnet50-train-k40x2", "resnet50.train.json.gz", "k40x2", 3, 20, true, 0.7},
      Row{"resnet50-train-a100-v100", "resnet50.train.json.gz", "a100-v100", 3, 18, true, 0.6},
      Row{"resnet50-infer-rtx", "resnet50.infer.json.gz", "rtx4090-3060", 3, 24, false},
      Row{"bert-train-k40x2", "bert_base.train.json.gz", "k40x2", 3, 16, true, 0.7},
      Row{"bert-train-rtx", "bert_base.train.json.gz", "rtx4090-3060", 3, 16, true, 0.6},
      Row{"bert-infer-core-ultra", "bert_base.infer.json.gz", "core-ultra", 3, 24, false},
      Row{"bert-infer-flex170", "bert_base.infer.json.gz", "flex170", 2, 24, false},
      Row{"gpt2-train-k40x2", "gpt2.train.json.gz", "k40x2", 3, 16, true, 0.7},
      Row{"gpt2-train-p100x3", "gpt2.train.json.gz", "p100x4", 4, 14, true, 0.5},
      Row{"llama-infer-rtx", "llama_8b.infer.json.gz", "rtx4090-3060", 3, 20, true, 0.6},
      Row{"llama-infer-a100-v100", "llama_8b.infer.json.gz", "a100-v100", 3, 20, true, 0.7},
      Row{"wavenet-train-k40x2", "wavenet.train.json.gz", "k40x2", 3, 16, true, 0.7},
      Row{"inception-infer-k40x2", "inception_v3.infer.json.gz", "k40x2", 3, 24, false},
      Row{"inception-infer-p100x3", "inception_v3.infer.json.gz", "p100x4", 4, 24, false},
      Row{"inception-infer-core-ultra", "inception_v3.infer.json.gz", "core-ultra", 3, 24, false},
      Row{"inception-infer-rtx", "inception_v3.infer.json.gz", "rtx4090-3060", 3, 24, false, 0.7},
      Row{"inception-train-k40x2", "inception_v3.train.json.gz", "k40x2", 3, 16, true},
      Row{"zoo-moe-rtx", "zoo:moe", "rtx4090-3060", 3, 16, true, 0.7},
      Row{"zoo-moe-infer-p100x3", "zoo:moe,mode=infer", "p100x4", 4, 16, false},
      Row{"zoo-amoebanet-k40x2", "zoo:amoebanet", "k40x2", 3, 18, false},
      Row{"zoo-amoebanet-infer-p100x3", "zoo:amoebanet,mode=infer", "p100x4", 4, 20, false},
      Row{"zoo-inception-infer-p100x3", "zoo:inception-v3,mode=infer", "p100x4", 4, 20, false, 0.7},
      Row{"zoo-rnnlm-k40x2", "zoo:rnnlm,unroll=6", "k40x2", 3, 18, false},
      Row{"zoo-rnnlm-infer-k40x2", "zoo:rnnlm,unroll=6,mode=infer", "k40x2", 3, 14, false},
      Row{"zoo-nmt-2-k40x2", "zoo:nmt-2,unroll=4", "k40x2", 3, 18, false},
      Row{"zoo-wavenet-infer-rtx", "zoo:wavenet,mode=infer", "rtx4090-3060", 3, 20, false},
      Row{"zoo-transformer-xl-infer-k40x2", "zoo:transformer-xl,mode=infer", "k40x2", 3, 18, false},
      Row{"zoo-bert-infer-p100x3", "zoo:bert-base,mode=infer", "p100x4", 4, 18, false, 0.6},
      Row{"zoo-rnnlm-rtx", "zoo:rnnlm,unroll=5", "rtx4090-3060", 3, 15, false},
      Row{"zoo-gpt2-infer-a100-v100", "zoo:gpt2,mode=infer", "a100-v100", 3, 18, false, 0.6},
  };
  return kRows;
}

}  // namespace berth
