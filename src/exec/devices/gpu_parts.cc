// SPDX-License-Identifier: Apache-2.0
#include "exec/devices/gpu_parts.h"

#include <array>
#include <utility>

#include "exec/devices/shared_library.h"

namespace berth::exec {
namespace {

constexpr int kMultiprocessors = 1;      // CU_DEV_RESOURCE_TYPE_SM
constexpr unsigned kWithStream = 1;      // CU_GREEN_CTX_DEFAULT_STREAM
constexpr unsigned kNonBlocking = 1;     // CU_STREAM_NON_BLOCKING
constexpr int kMultiprocessorGroup = 8;  // multiprocessors that cannot be separated, on every card that has such parts

// CUdevResource of the driver's interface, version 1.
struct Resource {
  int type = 0;
  std::array<unsigned char, 92> internal{};
  unsigned multiprocessors = 0;
  std::array<unsigned char, 44> more{};
};
static_assert(sizeof(Resource) == 144);

struct PartsDriver {
  SharedLibrary library{"libcuda.so.1"};
  int (*init)(unsigned) = library.find<int(unsigned)>("cuInit");
  int (*get)(int*, int) = library.find<int(int*, int)>("cuDeviceGet");
  int (*resource)(int, Resource*, int) = library.find<int(int, Resource*, int)>("cuDeviceGetDevResource");
  int (*split)(Resource*, unsigned*, const Resource*, Resource*, unsigned, unsigned) =
      library.find<int(Resource*, unsigned*, const Resource*, Resource*, unsigned, unsigned)>(
          "cuDevSmResourceSplitByCount");
  int (*describe)(void**, Resource*,
                  unsigned) = library.find<int(void**, Resource*, unsigned)>("cuDevResourceGenerateDesc");
  int (*create)(void**, void*, int, unsigned) = library.find<int(void**, void*, int, unsigned)>("cuGreenCtxCreate");
  int (*destroy)(void*) = library.find<int(void*)>("cuGreenCtxDestroy");
  int (*context)(void**, void*) = library.find<int(void**, void*)>("cuCtxFromGreenCtx");
  int (*stream)(void**, void*, unsigned,
                int) = library.find<int(void**, void*, unsigned, int)>("cuGreenCtxStreamCreate");
  int (*end_stream)(void*) = library.find<int(void*)>("cuStreamDestroy_v2");
  int (*set_current)(void*) = library.find<int(void*)>("cuCtxSetCurrent");
  int (*error_name)(int, const char**) = library.find<int(int, const char**)>("cuGetErrorName");

  [[nodiscard]] bool is_there() const {
    return init && get && resource && split && describe && create && destroy && context && stream && end_stream &&
           set_current && init(0) == 0;
  }
  [[nodiscard]] std::string name_of(int code) const {
    const char* name = nullptr;
    if (error_name != nullptr && error_name(code, &name) == 0 && name != nullptr) return name;
    return fmt::format("error {}", code);
  }
};

// Never unloaded: parts may live until the end of the process.
const PartsDriver& driver() {
  static const auto* const driver = new PartsDriver;
  return *driver;
}

Result<Resource> all_of(int gpu, int& device) {
  if (!driver().is_there()) {
    return bad_input("cuda:{}: parts of a GPU need NVIDIA's driver 550 or newer; it is not here", gpu);
  }
  Resource all;
  int code = driver().get(&device, gpu);
  if (code == 0) code = driver().resource(device, &all, kMultiprocessors);
  if (code != 0) return bad_input("cuda:{} cannot be divided: {}", gpu, driver().name_of(code));
  return all;
}

// As many disjoint groups as there are.
Result<std::vector<Resource>> groups_of(int gpu, const Resource& all) {
  unsigned count = 0;
  int code = driver().split(nullptr, &count, &all, nullptr, 0, kMultiprocessorGroup);
  std::vector<Resource> groups(count);
  if (code == 0) code = driver().split(groups.data(), &count, &all, nullptr, 0, kMultiprocessorGroup);
  if (code != 0) return bad_input("cuda:{} cannot be divided: {}", gpu, driver().name_of(code));
  groups.resize(count);
  return groups;
}

Result<GpuPart> part_of(int gpu, int device, std::span<Resource> groups) {
  void *description = nullptr, *green = nullptr, *context = nullptr, *stream = nullptr;
  int multiprocessors = 0;
  for (const Resource& group : groups) multiprocessors += static_cast<int>(group.multiprocessors);
  int code = driver().describe(&description, groups.data(), static_cast<unsigned>(groups.size()));
  if (code == 0) code = driver().create(&green, description, device, kWithStream);
  if (code == 0) code = driver().context(&context, green);
  if (code == 0) code = driver().stream(&stream, green, kNonBlocking, 0);
  if (code != 0) {
    if (green != nullptr) driver().destroy(green);
    return bad_input("cuda:{}: no part of {} multiprocessors: {}", gpu, multiprocessors, driver().name_of(code));
  }
  return GpuPart(green, context, stream);
}

}  // namespace

GpuPart::GpuPart(GpuPart&& other) noexcept
    : green_(std::exchange(other.green_, nullptr)), context_(other.context_), stream_(other.stream_) {}

GpuPart::~GpuPart() {
  if (green_ == nullptr) return;
  driver().end_stream(stream_);
  driver().destroy(green_);
}

void GpuPart::make_current() const { driver().set_current(context_); }

Result<int> divisible_multiprocessors(int gpu) {
  int device = 0;
  BERTH_TRY(const Resource all, all_of(gpu, device));
  BERTH_TRY(const std::vector<Resource> groups, groups_of(gpu, all));
  return static_cast<int>(groups.size()) * kMultiprocessorGroup;
}

Result<std::vector<GpuPart>> split_gpu(int gpu, std::span<const int> multiprocessors) {
  int device = 0;
  BERTH_TRY(const Resource all, all_of(gpu, device));
  BERTH_TRY(std::vector<Resource> groups, groups_of(gpu, all));
  std::span<Resource> left(groups);
  std::vector<GpuPart> parts;
  for (const int count : multiprocessors) {
    const auto wanted = static_cast<std::size_t>((count + kMultiprocessorGroup - 1) / kMultiprocessorGroup);
    if (wanted > left.size()) {
      return bad_input("cuda:{} has {} multiprocessors in groups of {}; {} of them are left for a part of {}", gpu,
                       all.multiprocessors, kMultiprocessorGroup, left.size() * kMultiprocessorGroup, count);
    }
    BERTH_TRY(GpuPart part, part_of(gpu, device, left.first(wanted)));
    parts.push_back(std::move(part));
    left = left.subspan(wanted);
  }
  return parts;
}

}  // namespace berth::exec
