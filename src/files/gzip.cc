// SPDX-License-Identifier: Apache-2.0
#include "files/gzip.h"

#ifdef BERTH_GZIP
#include <zlib.h>
#endif

#include <algorithm>

#include "base/units.h"

namespace berth {

bool is_gzip(std::string_view data) { return data.size() >= 2 && data[0] == '\x1f' && data[1] == '\x8b'; }

#ifdef BERTH_GZIP

namespace {

constexpr int kGzipWindow = 15 + 16;                     // the largest window; +16 selects the gzip wrapper
constexpr std::size_t kGzipStep = std::size_t{4} << 20;  // zlib counts in 32 bits: work in steps
Bytef* bytes_of(std::string_view text) { return reinterpret_cast<Bytef*>(const_cast<char*>(text.data())); }

// The size that the last four bytes promise (modulo 4 GiB). Only a hint: a liar costs address space, not memory.
std::size_t promised_size(std::string_view data) {
  if (data.size() < 18) return 0;
  std::size_t size = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    size |= static_cast<std::size_t>(static_cast<unsigned char>(data[data.size() - 4 + i])) << (8 * i);
  }
  return size;
}

class Inflater {
 public:
  Inflater(std::string_view data, std::size_t max_bytes) : rest_(data), max_bytes_(max_bytes) {
    text_.reserve(std::min(promised_size(data), max_bytes) + kReadAhead);
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  Result<std::string> run() {
    if (inflateInit2(&stream_, kGzipWindow) != Z_OK) return bad_input("no memory to decompress");
    while (true) {
      BERTH_RETURN_IF_ERROR(inflate_member());
      if (rest_.empty()) return std::move(text_);
      if (!is_gzip(rest_)) return bad_input("{} stray bytes follow the gzip data", rest_.size());
      inflateReset(&stream_);
    }
  }

 private:
  Status inflate_member() {
    while (true) {
      const std::size_t in = std::min(rest_.size(), kGzipStep);
      stream_.next_in = bytes_of(rest_);
      stream_.avail_in = static_cast<uInt>(in);
      const int status = inflate_some();
      rest_.remove_prefix(in - stream_.avail_in);
      if (text_.size() > max_bytes_) {
        return bad_input("it holds more than {} when decompressed, which is the most that is read",
                         format_bytes(static_cast<Bytes>(max_bytes_)));
      }
      if (status == Z_STREAM_END) return {};
      if (status == Z_BUF_ERROR || (status == Z_OK && rest_.empty() && stream_.avail_out > 0)) {
        return bad_input("the gzip data ends too early; is the file truncated?");
      }
      if (status != Z_OK)
        return bad_input("the gzip data is damaged ({})", stream_.msg ? stream_.msg : "unknown reason");
    }
  }

  // One call of inflate into a fresh stretch of the buffer, at most one byte beyond the cap.
  int inflate_some() {
    const std::size_t done = text_.size();
    const std::size_t room =
        std::min({kGzipStep, std::max<std::size_t>(text_.capacity() - done, kGzipStep / 64), max_bytes_ + 1 - done});
    text_.resize(done + room);
    stream_.next_out = bytes_of(text_) + done;
    stream_.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    text_.resize(done + room - stream_.avail_out);
    return status;
  }

  std::string_view rest_;
  std::size_t max_bytes_;
  std::string text_;
  z_stream stream_{};
};

}  // namespace

Result<std::string> gunzip(std::string_view data, std::size_t max_bytes) { return Inflater(data, max_bytes).run(); }

std::string gunzip_start(std::string_view data, std::size_t max_bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) return {};
  std::string start(max_bytes, '\0');
  stream.next_in = bytes_of(data);
  stream.avail_in = static_cast<uInt>(std::min(data.size(), kGzipStep));
  stream.next_out = bytes_of(start);
  stream.avail_out = static_cast<uInt>(std::min(max_bytes, kGzipStep));
  inflate(&stream, Z_SYNC_FLUSH);
  start.resize(stream.total_out);
  inflateEnd(&stream);
  return start;
}

Result<std::string> gzip(std::string_view text) {
  z_stream stream{};
  constexpr int kMemoryLevel = 8;
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    return bad_input("no memory to compress");
  }
  std::string packed;
  int status = Z_OK;
  while (status == Z_OK) {
    const std::size_t in = std::min(text.size(), kGzipStep);
    const std::size_t done = packed.size();
    packed.resize(done + kGzipStep);
    stream.next_in = bytes_of(text);
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = bytes_of(packed) + done;
    stream.avail_out = static_cast<uInt>(kGzipStep);
    status = deflate(&stream, in == text.size() ? Z_FINISH : Z_NO_FLUSH);
    text.remove_prefix(in - stream.avail_in);
    packed.resize(packed.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  BERTH_CHECK(status == Z_STREAM_END);
  constexpr std::size_t kOsByte = 9;
  packed[kOsByte] = '\xff';  // "unknown": the same on every system
  return packed;
}

#else

Result<std::string> gunzip(std::string_view, std::size_t) {
  return bad_input("it is compressed by gzip, which this build of berth cannot read (BERTH_GZIP=OFF); gunzip it first");
}

std::string gunzip_start(std::string_view, std::size_t) { return {}; }

Result<std::string> gzip(std::string_view) {
  return bad_input("this build of berth cannot write .gz files (BERTH_GZIP=OFF); leave out .gz");
}

#endif

}  // namespace berth
