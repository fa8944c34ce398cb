// SPDX-License-Identifier: Apache-2.0
// Sorting on the card: many rows at once, each by itself, equal keys in the order in which they stood.
#pragma once

#include <cstddef>
#include <cstdint>

namespace berth::batch {

// Rows of `length` keys with a value each, ascending by key, from the first pair of arrays into the second; `space` is
// memory of the card of at least sort_space<Key>() bytes. False if the card failed. Keys of 16 or 64 bits.
template <typename Key>
std::size_t sort_space(std::size_t rows, std::size_t length);
template <typename Key>
bool sort_rows(const Key* keys, Key* sorted_keys, const std::uint32_t* values, std::uint32_t* sorted_values,
               std::size_t rows, std::size_t length, void* space, std::size_t bytes);

}  // namespace berth::batch
