// SPDX-License-Identifier: Apache-2.0
// Every model of the zoo in a size that builds in a moment.
#pragma once

#include <array>
#include <string_view>

namespace berth {

inline constexpr std::array kSmallModels{
    std::string_view("inception-v3,batch=2"),
    std::string_view("inception-v3,batch=2,aux=1"),
    std::string_view("resnet-50,batch=2,image=64"),
    std::string_view("resnet-152,batch=1,image=32"),
    std::string_view("rnnlm,batch=4,unroll=3,hidden=8,vocab=20"),
    std::string_view("rnnlm,batch=4,unroll=3,hidden=8,vocab=20,gates=joined,dropout=0"),
    std::string_view("nmt-2,batch=4,unroll=3,hidden=8,vocab=20"),
    std::string_view("nmt-2,batch=4,unroll=3,hidden=8,vocab=20,gates=joined,residual=0,bidirectional=0"),
    std::string_view("nmt-2,batch=4,unroll=2,hidden=8,vocab=20,layers=1"),
    std::string_view("nmt-4,batch=4,unroll=3,hidden=8,vocab=20,attention=gnmt,bidirectional=1"),
    std::string_view("nmt-8,batch=4,unroll=1,hidden=8,vocab=20"),
    std::string_view("bert-base,batch=2,seq=8,layers=2"),
    std::string_view("transformer-xl,batch=2,seq=8,memory=4,layers=2,hidden=16,heads=4,ffn=32,vocab=20"),
    std::string_view("transformer-xl,batch=2,seq=8,memory=0,layers=1,hidden=16,heads=4,ffn=32,vocab=20"),
    std::string_view("wavenet,batch=2,length=64,stacks=2,layers=3,residual=8,skip=16"),
    std::string_view("amoebanet,batch=2,image=64,layers=3,filters=32"),
    std::string_view("gpt2,batch=2,seq=8,layers=2"),
    std::string_view("gpt3-175b,seq=8,layers=2"),
    std::string_view("llama-8b,seq=8,layers=2"),
    std::string_view("llama-8b,seq=8,layers=2,kv_heads=32"),
    std::string_view("moe,batch=2,seq=8,layers=2,hidden=32,heads=4,kv_heads=2,ffn=64,vocab=50"),
    std::string_view("moe,batch=1,seq=1,layers=1,hidden=32,heads=4,kv_heads=2,ffn=64,experts=64,top_k=1"),
    std::string_view("moe-141b,seq=8,layers=1"),
};

}  // namespace berth
