// SPDX-License-Identifier: Apache-2.0
// RootedCommunicator: the calls of a Communicator made of messages between two ranks. Everything goes through rank 0,
// which hears every other rank in the order of ranks: sums are then the same bits for everyone, whatever arrives first,
// and rank 0 knows who is missing. That is n messages in and n out, meant for a few dozen ranks at most.
//
// Rank 0 waits for one deadline; the others wait for rank 0 twice as long and a little more, since it may be waiting
// for a third. So rank 0 is first to notice, and names the rank that is to blame.
#pragma once

#include <functional>

#include "learn/distributed/communicator.h"

namespace berth::learn {

class RootedCommunicator : public Communicator {
 public:
  RootedCommunicator(int rank, int size, double deadline_s) : rank_(rank), size_(size), deadline_s_(deadline_s) {}
  [[nodiscard]] int rank() const final { return rank_; }
  [[nodiscard]] int size() const final { return size_; }
  [[nodiscard]] double deadline_s() const final { return deadline_s_; }

  Status sum(std::span<float> values) final;
  Status sum(std::span<double> values) final;
  Result<std::vector<std::string>> gather_all(std::string_view bytes) final;
  Result<std::string> from_root(std::string_view bytes) final;
  Status send(int to, std::string_view bytes) final;
  Result<std::optional<Message>> receive(double patience_s) final;

 protected:
  enum class Channel : int { kTogether = 1, kLetters = 2 };  // messages of one never overtake those of another
  static constexpr int kAnybody = -1;

  // What a way of passing messages must offer. False or nothing: not within `patience_s`; an error: cannot work at all.
  virtual Result<bool> put(int to, Channel channel, std::string_view bytes, double patience_s) = 0;
  virtual Result<std::optional<Message>> take(int from, Channel channel, double patience_s) = 0;
  virtual bool is_there(int from, Channel channel) = 0;  // take() would find a message

  // All ranks wait for each other, rank 0 that long.
  Status meet(double patience_s);
  [[nodiscard]] bool is_broken() const { return broken_.has_value(); }

 private:
  template <typename Number>
  Status add_up(std::span<Number> values);
  using Use = std::function<Status(int rank, const std::string& bytes)>;
  Status hear_others(std::string_view what, double patience_s, const Use& use);  // rank 0, in the order of ranks
  Result<std::string> hear_root(std::string_view what, double patience_s);
  Status tell(int to, Channel channel, std::string_view bytes, std::string_view what);
  Status tell_others(std::string_view bytes, std::string_view what);
  [[nodiscard]] double patience_with(int rank) const;
  [[nodiscard]] std::vector<int> missing_from(int rank);
  Error broken(Error error);

  int rank_, size_;
  double deadline_s_;
  std::optional<Error> broken_;
};

// "rank 2 did not answer within 5 s (sum): ..."; for several ranks alike.
Error silence(const std::vector<int>& ranks, double waited_s, std::string_view what);

}  // namespace berth::learn
