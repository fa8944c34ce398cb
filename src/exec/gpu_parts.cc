// SPDX-License-Identifier: Apache-2.0
#include "exec/gpu_parts.h"

#include <array>
#include <cstring>
#include <utility>

#include "exec/shared_library.h"

namespace berth::exec {
namespace {

constexpr int kMultiprocessors = 1;       // CU_DEV_RESOURCE_TYPE_SM
constexpr unsigned kWithStream = 1;       // CU_GREEN_CTX_DEFAULT_STREAM
constexpr unsigned kNonBlocking = 1;      // CU_STREAM_NON_BLOCKING
constexpr std::size_t kCountOffset = 96;  // of the number of multiprocessors in CUdevResource

// CUdevResource has grown from one version to the next at its end only: this leaves room.
struct alignas(16) Resource {
  std::array<unsigned char, 512> bytes{};
  [[nodiscard]] int count() const {
    unsigned value = 0;
    std::memcpy(&value, bytes.data() + kCountOffset, sizeof(value));
    return static_cast<int>(value);
  }
};

struct Driver {
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
const Driver& driver() {
  static const auto* const driver = new Driver;
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

Result<GpuPart> part_of(int gpu, int device, Resource& resource) {
  void *description = nullptr, *green = nullptr, *context = nullptr, *stream = nullptr;
  int code = driver().describe(&description, &resource, 1);
  if (code == 0) code = driver().create(&green, description, device, kWithStream);
  if (code == 0) code = driver().context(&context, green);
  if (code == 0) code = driver().stream(&stream, green, kNonBlocking, 0);
  if (code != 0) {
    if (green != nullptr) driver().destroy(green);
    return bad_input("cuda:{}: no part of {} multiprocessors: {}", gpu, resource.count(), driver().name_of(code));
  }
  return GpuPart(green, context, stream, resource.count());
}

}  // namespace

GpuPart::GpuPart(GpuPart&& other) noexcept
    : green_(std::exchange(other.green_, nullptr)),
      context_(other.context_),
      stream_(other.stream_),
      multiprocessors_(other.multiprocessors_) {}

GpuPart::~GpuPart() {
  if (green_ == nullptr) return;
  driver().end_stream(stream_);
  driver().destroy(green_);
}

void GpuPart::make_current() const { driver().set_current(context_); }

Result<int> multiprocessors_of(int gpu) {
  int device = 0;
  BERTH_TRY(const Resource all, all_of(gpu, device));
  return all.count();
}

Result<std::vector<GpuPart>> split_gpu(int gpu, std::span<const int> multiprocessors) {
  int device = 0;
  BERTH_TRY(Resource left, all_of(gpu, device));
  const int total = left.count();
  std::vector<GpuPart> parts;
  for (const int count : multiprocessors) {
    Resource part, rest;
    unsigned groups = 1;
    const int code = driver().split(&part, &groups, &left, &rest, 0, static_cast<unsigned>(count));
    if (code != 0 || groups != 1) {
      return bad_input("cuda:{} has {} multiprocessors; with those of other parts, and rounded up, {} are too many{}",
                       gpu, total, count, code == 0 ? "" : fmt::format(" ({})", driver().name_of(code)));
    }
    BERTH_TRY(GpuPart made, part_of(gpu, device, part));
    parts.push_back(std::move(made));
    left = rest;
  }
  return parts;
}

}  // namespace berth::exec
