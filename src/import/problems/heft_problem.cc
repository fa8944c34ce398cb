// SPDX-License-Identifier: Apache-2.0
// The matrices in which the example of the HEFT paper (Topcuoglu, Hariri, Wu, IEEE TPDS 2002) is passed around: data
// between tasks, time of every task on every processor, bandwidth between processors. Links have no queue there, and
// every edge carries data of its own, so a task has one output per successor.
#include <array>
#include <cmath>
#include <filesystem>

#include "base/text.h"
#include "files/files.h"
#include "files/text_lines.h"
#include "import/problems/problem_readers.h"
#include "machine/devices.h"

namespace berth {
namespace {

// One unit of time is a second. Data may come in fractions, so a unit of it is a million bytes.
constexpr double kBytesPerUnit = 1e6;
constexpr double kMostUnits = 1e9;
constexpr std::string_view kStartup = "Startup";

constexpr std::string_view kConnectivity = "task_connectivity.csv", kTimes = "task_exe_time.csv",
                           kBandwidths = "resource_BW.csv";

struct Matrix {
  struct Row {
    std::string name;
    std::vector<double> values;
  };
  std::size_t columns = 0;
  std::vector<Row> rows;
};

// A line of column names, then lines of a name and numbers, between commas.
Result<Matrix> read_matrix(std::string_view text) {
  TextLines lines(text);
  Matrix matrix;
  const auto header = lines.next();
  if (!header) return bad_input("it is empty");
  matrix.columns = split(*header, ',').size() - 1;
  if (matrix.columns == 0) return lines.error("expected the names of columns, between commas");
  while (const auto line = lines.next()) {
    const std::vector<std::string_view> cells = split(*line, ',');
    if (cells.size() != matrix.columns + 1) {
      return lines.error(fmt::format("expected a name and {} numbers, found {} cells", matrix.columns, cells.size()));
    }
    Matrix::Row& row = matrix.rows.emplace_back(Matrix::Row{std::string(trim(cells.front())), {}});
    for (const std::string_view cell : std::span(cells).subspan(1)) {
      BERTH_TRY(const double value, lines.amount(trim(cell), fmt::format("a number of '{}'", row.name)));
      if (value > kMostUnits)
        return lines.error(fmt::format("{} is beyond {:g}, the most that is read", value, kMostUnits));
      row.values.push_back(value);
    }
  }
  return matrix;
}

Result<Machine> make_processors(const Matrix& bandwidths) {
  const std::size_t count = bandwidths.columns;
  const bool has_startup = bandwidths.rows.size() == count + 1 && bandwidths.rows.back().name == kStartup;
  if (bandwidths.rows.size() != count && !has_startup) {
    return bad_input("it has {} columns and {} rows; expected one row per processor, and at most one row '{}' more",
                     count, bandwidths.rows.size(), kStartup);
  }
  if (count > kMaxDevices) return bad_input("{} processors; a machine has at most {}", count, kMaxDevices);
  std::vector<Device> devices;
  std::vector<Link> links;
  for (std::size_t from = 0; from < count; ++from) {
    const Matrix::Row& row = bandwidths.rows[from];
    devices.push_back(plain_device(row.name, DeviceKind::kGpu));
    for (std::size_t to = 0; to < count; ++to) {
      if (from == to) continue;
      if (row.values[to] == 0.0) {
        return bad_input("the bandwidth from '{}' to '{}' is 0; every processor must reach every other", row.name,
                         bandwidths.rows[to].name);
      }
      links.push_back({.from = row.name,
                       .to = bandwidths.rows[to].name,
                       .bytes_per_s = row.values[to] * kBytesPerUnit,
                       .latency_s = has_startup ? bandwidths.rows.back().values[from] : 0.0,
                       .duplex = Duplex::kOneWay,
                       .contended = false});
    }
  }
  return Machine::make("processors", fmt::format("the {} processors of a HEFT problem", count), std::move(devices), {},
                       {}, std::move(links));
}

Result<Graph> make_tasks(const Matrix& connectivity, std::string title) {
  const std::size_t count = connectivity.columns;
  if (connectivity.rows.size() != count) {
    return bad_input("it has {} columns and {} rows; expected as many rows as columns, one per task", count,
                     connectivity.rows.size());
  }
  GraphBuilder builder(std::move(title));
  std::vector<OpSpec> tasks(count);
  std::size_t edges = 0;
  for (std::size_t from = 0; from < count; ++from) {
    tasks[from].name = connectivity.rows[from].name;
    tasks[from].type = "task";
    for (std::size_t to = 0; to < count; ++to) {
      const double units = connectivity.rows[from].values[to];
      if (units == 0.0) continue;
      tasks[to].inputs.push_back({OpId(from), static_cast<int>(tasks[from].outputs.size())});
      tasks[from].outputs.push_back(tensor_of_bytes(std::llround(units * kBytesPerUnit)));
      ++edges;
    }
  }
  for (const OpSpec& task : tasks) builder.add(task);
  builder.set_source_counts(count, edges);
  return std::move(builder).build();
}

// "dir/canonicalgraph_task_connectivity.csv" -> "dir/canonicalgraph_"; none if it is called otherwise.
std::optional<std::string> common_name(const std::string& path) {
  for (const std::string_view ending : {kConnectivity, kTimes, kBandwidths}) {
    if (path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  }
  return std::nullopt;
}

Result<HeftFiles::File> load_sister(const std::string& path, const std::string& given) {
  std::error_code ignored;
  if (path != given && !std::filesystem::exists(path, ignored)) {
    return in_file(given, bad_input("a HEFT problem is three files; there is no {} beside this one",
                                    std::filesystem::path(path).filename().string()));
  }
  BERTH_TRY(std::string text, read_file(path));
  return HeftFiles::File{path, std::move(text)};
}

template <typename T>
Result<T> named(Result<T> result, std::string_view file) {
  if (!result) return in_file(file, result.error());
  return result;
}

Result<Matrix> read_matrix_of(const HeftFiles::File& file) { return named(read_matrix(file.text), file.name); }

// "dir/canonicalgraph_" -> "canonicalgraph"
std::string title_of(const std::string& common) {
  std::string title = std::filesystem::path(common).filename().string();
  if (title.ends_with('_')) title.pop_back();
  return title.empty() ? "heft" : title;
}

Status check_request(const ProblemOverrides& request) {
  BERTH_RETURN_IF_ERROR(check_no_machine(request, "a HEFT problem brings its processors"));
  return check_objective(request, Objective::kStep, "a HEFT problem is run once, as fast as can be");
}

}  // namespace

bool looks_like_heft(std::string_view first_line) {
  return first_line.starts_with("T,") || first_line.starts_with("TP,") || first_line.starts_with("P,");
}

Result<Problem> read_heft_problem(const HeftFiles& files, std::string title) {
  BERTH_TRY(const Matrix connectivity, read_matrix_of(files.connectivity));
  BERTH_TRY(const Matrix times, read_matrix_of(files.times));
  BERTH_TRY(const Matrix bandwidths, read_matrix_of(files.bandwidths));
  BERTH_TRY(Graph graph, named(make_tasks(connectivity, std::move(title)), files.connectivity.name));
  BERTH_TRY(Machine machine, named(make_processors(bandwidths), files.bandwidths.name));
  if (times.rows.size() != graph.num_ops() || times.columns != machine.num_devices()) {
    return in_file(files.times.name,
                   bad_input("it has {} tasks and {} processors; its sisters have {} and {}", times.rows.size(),
                             times.columns, graph.num_ops(), machine.num_devices()));
  }
  ExplicitCosts costs;
  for (const Matrix::Row& row : times.rows) costs.time_s.push_back(row.values);
  return named(make_problem(std::make_shared<const Graph>(std::move(graph)),
                            std::make_shared<const Machine>(std::move(machine)), costs, {}, Objective::kStep),
               files.times.name);
}

Result<Problem> load_heft_problem(const std::string& path, const ProblemOverrides& request) {
  const std::optional<std::string> common = common_name(path);
  if (!common) {
    return in_file(path, bad_input("it looks like a matrix of a HEFT problem, which is three files: *{}, *{} and *{}",
                                   kConnectivity, kTimes, kBandwidths));
  }
  const Status asked = check_request(request);
  if (!asked) return in_file(path, asked.error());
  HeftFiles files;
  BERTH_TRY(files.connectivity, load_sister(fmt::format("{}{}", *common, kConnectivity), path));
  BERTH_TRY(files.times, load_sister(fmt::format("{}{}", *common, kTimes), path));
  BERTH_TRY(files.bandwidths, load_sister(fmt::format("{}{}", *common, kBandwidths), path));
  return read_heft_problem(files, title_of(*common));
}

}  // namespace berth
