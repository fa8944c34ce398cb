// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/rng.h"

namespace berth {
namespace {

TEST(ParseBytes, KnowsEveryUnit) {
  EXPECT_EQ(*parse_bytes("7"), 7);
  EXPECT_EQ(*parse_bytes("7 B"), 7);
  EXPECT_EQ(*parse_bytes("7 kB"), 7'000);
  EXPECT_EQ(*parse_bytes("7 MB"), 7'000'000);
  EXPECT_EQ(*parse_bytes("7 GB"), 7'000'000'000);
  EXPECT_EQ(*parse_bytes("7 TB"), 7'000'000'000'000);
  EXPECT_EQ(*parse_bytes("7 KiB"), Bytes{7} << 10);
  EXPECT_EQ(*parse_bytes("7 MiB"), Bytes{7} << 20);
  EXPECT_EQ(*parse_bytes("7 GiB"), Bytes{7} << 30);
  EXPECT_EQ(*parse_bytes("7 TiB"), Bytes{7} << 40);
}

TEST(ParseBytes, TakesFractionsExponentsAndAnySpace) {
  EXPECT_EQ(*parse_bytes("1.5 GiB"), Bytes{3} << 29);
  EXPECT_EQ(*parse_bytes("1e3"), 1000);
  EXPECT_EQ(*parse_bytes("2e3kB"), 2'000'000);
  EXPECT_EQ(*parse_bytes("  12GiB\t"), Bytes{12} << 30);
  EXPECT_EQ(*parse_bytes("12  GiB"), Bytes{12} << 30);
  EXPECT_EQ(*parse_bytes("0"), 0);
  EXPECT_EQ(*parse_bytes("0.5 B"), 1);  // rounded
  EXPECT_EQ(*parse_bytes("0.4 B"), 0);
}

TEST(ParseBytes, IsExactBeyondDoubles) {
  EXPECT_EQ(*parse_bytes("9007199254740993"), (Bytes{1} << 53) + 1);
  EXPECT_EQ(*parse_bytes("1152921504606846975 B"), (Bytes{1} << 60) - 1);
  EXPECT_EQ(*parse_bytes("1152921504606846976"), Bytes{1} << 60);
}

TEST(ParseBytes, RefusesWhatIsNoSize) {
  for (const char* text : {"", " ", "GiB", "12 gib", "12 Gib", "12 G", "-1 GiB", "-1", "nan", "inf", "1e400", "0x10",
                           "12 GiB GiB", "12 GB/s", "12,5 GB", "+3", "1 2", "12 s"}) {
    const auto size = parse_bytes(text);
    ASSERT_FALSE(size.ok()) << text;
    EXPECT_EQ(size.error().code, ErrorCode::kBadInput);
    EXPECT_EQ(size.error().message, fmt::format("'{}' is no size; write for example \"12 GiB\"", text));
  }
  EXPECT_EQ(parse_bytes("2e18").error().message, "'2e18' is beyond any memory");
  EXPECT_EQ(parse_bytes("1048577 TiB").error().message, "'1048577 TiB' is beyond any memory");
  EXPECT_EQ(parse_bytes("1e30 B").error().message, "'1e30 B' is beyond any memory");
}

TEST(ParseBytesPerSecond, KnowsEveryUnit) {
  EXPECT_DOUBLE_EQ(*parse_bytes_per_second("3"), 3);
  EXPECT_DOUBLE_EQ(*parse_bytes_per_second("3 B/s"), 3);
  EXPECT_DOUBLE_EQ(*parse_bytes_per_second("3 kB/s"), 3e3);
  EXPECT_DOUBLE_EQ(*parse_bytes_per_second("3 MB/s"), 3e6);
  EXPECT_DOUBLE_EQ(*parse_bytes_per_second("288 GB/s"), 288e9);
  EXPECT_DOUBLE_EQ(*parse_bytes_per_second("4.8 TB/s"), 4.8e12);
  EXPECT_DOUBLE_EQ(*parse_bytes_per_second("2 MiB/s"), 2097152);
  EXPECT_DOUBLE_EQ(*parse_bytes_per_second("2 GiB/s"), 2147483648);
  EXPECT_DOUBLE_EQ(*parse_bytes_per_second("100 Mbit/s"), 12.5e6);
  EXPECT_DOUBLE_EQ(*parse_bytes_per_second("10 Gbit/s"), 1.25e9);
}

TEST(ParseSeconds, KnowsEveryUnit) {
  EXPECT_DOUBLE_EQ(*parse_seconds("3"), 3);
  EXPECT_DOUBLE_EQ(*parse_seconds("3 s"), 3);
  EXPECT_DOUBLE_EQ(*parse_seconds("3 ms"), 3e-3);
  EXPECT_DOUBLE_EQ(*parse_seconds("15us"), 15e-6);
  EXPECT_DOUBLE_EQ(*parse_seconds("3 ns"), 3e-9);
  EXPECT_DOUBLE_EQ(*parse_seconds("3 ps"), 3e-12);
  EXPECT_DOUBLE_EQ(*parse_seconds("2 min"), 120);
  EXPECT_DOUBLE_EQ(*parse_seconds("1.5 h"), 5400);
}

TEST(ParseFlopsPerSecond, KnowsEveryUnit) {
  EXPECT_DOUBLE_EQ(*parse_flops_per_second("3 FLOP/s"), 3);
  EXPECT_DOUBLE_EQ(*parse_flops_per_second("3 MFLOP/s"), 3e6);
  EXPECT_DOUBLE_EQ(*parse_flops_per_second("3 GFLOP/s"), 3e9);
  EXPECT_DOUBLE_EQ(*parse_flops_per_second("4.29 TFLOP/s"), 4.29e12);
  EXPECT_DOUBLE_EQ(*parse_flops_per_second("1 PFLOP/s"), 1e15);
}

TEST(ParseWatts, KnowsEveryUnit) {
  EXPECT_DOUBLE_EQ(*parse_watts("235 W"), 235);
  EXPECT_DOUBLE_EQ(*parse_watts("1.2 kW"), 1200);
  EXPECT_DOUBLE_EQ(*parse_watts("500 mW"), 0.5);
}

TEST(ParseQuantities, ErrorsNameTheQuantityAndAnExample) {
  EXPECT_EQ(parse_bytes_per_second("fast").error().message, "'fast' is no bandwidth; write for example \"288 GB/s\"");
  EXPECT_EQ(parse_seconds("15 \xc2\xb5s").error().message, "'15 \xc2\xb5s' is no time; write for example \"15 us\"");
  EXPECT_EQ(parse_flops_per_second("4 TFLOPS").error().message,
            "'4 TFLOPS' is no speed; write for example \"4.29 TFLOP/s\"");
  EXPECT_EQ(parse_watts("-5 W").error().message, "'-5 W' is no power; write for example \"235 W\"");
}

TEST(ParseQuantities, NeverGiveAnEndlessNumber) {
  EXPECT_FALSE(parse_bytes_per_second("1e308 TB/s").ok());
  EXPECT_FALSE(parse_seconds("1e308 h").ok());
  EXPECT_FALSE(parse_flops_per_second("1e300 PFLOP/s").ok());
}

TEST(FormatBytes, ThreeSignificantDigitsAndBinaryUnits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1), "1 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1.00 KiB");
  EXPECT_EQ(format_bytes(1536), "1.50 KiB");
  EXPECT_EQ(format_bytes(10235), "10.0 KiB");  // 9.9951
  EXPECT_EQ(format_bytes(102348), "99.9 KiB");
  EXPECT_EQ(format_bytes(102349), "100 KiB");  // 99.9502
  EXPECT_EQ(format_bytes((1 << 20) - 1), "1.00 MiB");
  EXPECT_EQ(format_bytes(1'000 << 10), "1000 KiB");
  EXPECT_EQ(format_bytes(12'025'908'428), "11.2 GiB");
  EXPECT_EQ(format_bytes(Bytes{3} << 40), "3.00 TiB");
  EXPECT_EQ(format_bytes(Bytes{1} << 60), "1024 PiB");
}

TEST(FormatSeconds, ThreeSignificantDigitsAndAFittingUnit) {
  EXPECT_EQ(format_seconds(0), "0 s");
  EXPECT_EQ(format_seconds(1.57), "1.57 s");
  EXPECT_EQ(format_seconds(0.0234), "23.4 ms");
  EXPECT_EQ(format_seconds(850e-6), "850 us");
  EXPECT_EQ(format_seconds(1e-12), "1.00 ps");
  EXPECT_EQ(format_seconds(4.2e-8), "42.0 ns");
  EXPECT_EQ(format_seconds(999.4e-6), "999 us");
  EXPECT_EQ(format_seconds(999.6e-6), "1.00 ms");
  EXPECT_EQ(format_seconds(9.994), "9.99 s");
  EXPECT_EQ(format_seconds(9.996), "10.0 s");
  EXPECT_EQ(format_seconds(99.96), "100 s");
  EXPECT_EQ(format_seconds(1234.0), "1234 s");
}

TEST(FormatRates, ThreeSignificantDigitsAndAFittingUnit) {
  EXPECT_EQ(format_rate(0), "0 B/s");
  EXPECT_EQ(format_rate(288e9), "288 GB/s");
  EXPECT_EQ(format_rate(4.8e12), "4.80 TB/s");
  EXPECT_EQ(format_rate(999.9e6), "1.00 GB/s");
  EXPECT_EQ(format_flops_rate(4.29e12), "4.29 TFLOP/s");
  EXPECT_EQ(format_flops_rate(989.5e12), "990 TFLOP/s");
  EXPECT_EQ(format_flops_rate(999.9e12), "1.00 PFLOP/s");
}

TEST(FormatCount, ThreeSignificantDigits) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(7), "7");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(537.28), "537");
  EXPECT_EQ(format_count(0.125), "0.125");
  EXPECT_EQ(format_count(999.4), "999");
  EXPECT_EQ(format_count(999.9), "1.00 k");
  EXPECT_EQ(format_count(1000), "1.00 k");
  EXPECT_EQ(format_count(46'600), "46.6 k");
  EXPECT_EQ(format_count(999'949), "1.00 M");
  EXPECT_EQ(format_count(4.1e9), "4.10 G");
  EXPECT_EQ(format_count(8.03e12), "8.03 T");
}

TEST(FormatExactBytes, IsTheShortestWholeNumber) {
  EXPECT_EQ(format_exact_bytes(0), "0 B");
  EXPECT_EQ(format_exact_bytes(999), "999 B");
  EXPECT_EQ(format_exact_bytes(1000), "1 kB");
  EXPECT_EQ(format_exact_bytes(1024), "1 KiB");
  EXPECT_EQ(format_exact_bytes(Bytes{12} << 30), "12 GiB");
  EXPECT_EQ(format_exact_bytes(12'000'000'000), "12 GB");
  EXPECT_EQ(format_exact_bytes(2'000'000'000'000), "2 TB");
  EXPECT_EQ(format_exact_bytes(12'000'000'001), "12000000001 B");
}

TEST(FormatExactBytes, ParsesBackToTheSameValue) {
  Rng rng(3);
  const Bytes units[] = {1,
                         1'000,
                         1'000'000,
                         1'000'000'000,
                         1'000'000'000'000,
                         Bytes{1} << 10,
                         Bytes{1} << 20,
                         Bytes{1} << 30,
                         Bytes{1} << 40};
  for (int i = 0; i < 20'000; ++i) {
    const Bytes unit = units[rng.below(std::size(units))];
    const Bytes most = (Bytes{1} << 60) / unit;
    const Bytes bytes = unit * rng.between(0, rng.chance(0.5) ? std::min<Bytes>(most, 5000) : most);
    const std::string text = format_exact_bytes(bytes);
    ASSERT_EQ(*parse_bytes(text), bytes) << text;
  }
}

// What is printed for people parses back to within half a unit of the third digit.
TEST(Formats, ParseBackCloseToTheValue) {
  Rng rng(4);
  for (int i = 0; i < 20'000; ++i) {
    const double value = std::pow(10.0, rng.uniform() * 14.0 - 12.0);  // 1 ps to 100 s
    ASSERT_NEAR(*parse_seconds(format_seconds(value)), value, value * 0.00501) << value;
    const double rate = std::pow(10.0, rng.uniform() * 15.0);
    ASSERT_NEAR(*parse_bytes_per_second(format_rate(rate)), rate, rate * 0.00501) << rate;
    const auto bytes = static_cast<Bytes>(std::pow(2.0, rng.uniform() * 49.0));
    ASSERT_NEAR(static_cast<double>(*parse_bytes(format_bytes(bytes))), static_cast<double>(bytes),
                static_cast<double>(bytes) * 0.00501)
        << bytes;
  }
}

TEST(Clock, RoundsToTheNearestPicosecond) {
  EXPECT_EQ(to_picoseconds(0), 0);
  EXPECT_EQ(to_picoseconds(1), 1'000'000'000'000);
  EXPECT_EQ(to_picoseconds(1.4e-12), 1);
  EXPECT_EQ(to_picoseconds(1.6e-12), 2);
  EXPECT_EQ(to_picoseconds(0.5e-12), 1);
  EXPECT_EQ(to_picoseconds(kLongestTime), 1'000'000'000'000'000'000);
  EXPECT_DOUBLE_EQ(to_seconds(to_picoseconds(1.25)), 1.25);
}

}  // namespace
}  // namespace berth
