// SPDX-License-Identifier: Apache-2.0
// The communicator over real MPI: mpirun -n 3 mpi_check. Every rank exits with 1 at the first thing that is wrong.
//   mpi_check            sums, gathers, messages, large ones too, and an orderly end
//   mpi_check --asleep   rank 2 sleeps through the deadline: rank 0 must name it and end all, with exit code 7
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "learn/distributed/communicator.h"

namespace berth::learn {
namespace {

void expect(bool good, const char* what) {
  if (good) return;
  fmt::print(stderr, "wrong: {}\n", what);
  abort_all(1);
}

std::string bits(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

// Long enough to be sent in another way than short messages are.
void check_sum(Communicator& ranks) {
  constexpr std::size_t kCount = 1'000'003;
  std::vector<float> values(kCount);
  for (std::size_t i = 0; i < kCount; ++i) values[i] = 1.0F / static_cast<float>(i + 1 + 7 * ranks.rank());
  expect(ranks.sum(values).ok(), "sum");
  expect(values[0] == (1.0F + 1.0F / 8.0F) + 1.0F / 15.0F, "value of the sum");
  const auto all = ranks.gather_all(bits(values));
  expect(all.ok() && all->size() == 3, "gather of long messages");
  expect((*all)[0] == (*all)[1] && (*all)[0] == (*all)[2], "the same bits everywhere");
}

void check_words(Communicator& ranks) {
  const auto words = ranks.gather_all(std::string(static_cast<std::size_t>(ranks.rank()), 'x'));
  expect(words.ok() && *words == std::vector<std::string>{"", "x", "xx"}, "gather");
  const auto word = ranks.from_root(ranks.is_root() ? "root" : "other");
  expect(word.ok() && *word == "root", "broadcast");
}

void check_letters(Communicator& ranks) {
  if (!ranks.is_root()) {
    expect(ranks.send(0, std::string(300'000, static_cast<char>('0' + ranks.rank()))).ok(), "send");
    return;
  }
  bool heard[3] = {};
  for (int i = 0; i < 2; ++i) {
    const auto letter = ranks.receive(300.0);
    expect(letter.ok() && letter->has_value(), "receive");
    const Message& message = letter.value().value();
    expect(message.bytes == std::string(300'000, static_cast<char>('0' + message.from)), "text of a letter");
    heard[message.from] = true;
  }
  expect(heard[1] && heard[2], "a letter of each");
  expect(!ranks.receive(0.01).value().has_value(), "no third letter");
}

void check_sleeper(Communicator& ranks) {
  if (ranks.rank() == 2) std::this_thread::sleep_for(std::chrono::hours(1));  // abort_all ends it
  std::vector<float> values(10, 1.0F);
  const auto done = ranks.sum(values);
  if (!ranks.is_root()) return;
  expect(!done.ok(), "an error when a rank sleeps");
  fmt::print(stderr, "{}\n", done.error().message);
  abort_all(7);
}

}  // namespace
}  // namespace berth::learn

int main(int count, char** arguments) {
  using namespace berth::learn;
  const bool asleep = count > 1 && std::strcmp(arguments[1], "--asleep") == 0;
  const auto ranks = make_communicator(asleep ? 20.0 : 600.0);
  if (!ranks.ok()) {
    fmt::print(stderr, "{}\n", ranks.error().message);
    return 1;
  }
  expect((*ranks)->size() == 3, "three ranks");
  if (asleep) return check_sleeper(**ranks), 1;
  check_sum(**ranks);
  check_words(**ranks);
  check_letters(**ranks);
  return 0;
}
