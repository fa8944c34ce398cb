// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/compact.h"

#include <algorithm>
#include <bit>
#include <map>

#include "sim/engine/flat_graph.h"

namespace berth::batch {
namespace {

constexpr std::uint32_t kMostUses = 0xffff;  // a counter has 16 bits
constexpr std::uint32_t kMostSlots = 64;     // sets of lanes and links are 64-bit masks

Record record(Record::Kind kind, std::uint32_t op, std::uint32_t body, bool ends_readers = false,
              std::uint32_t timeless = 0, std::uint32_t storage = 0, bool flag = false) {
  return {op | kind << 24 | (ends_readers ? 1U : 0U) << 26 | timeless << 27 | storage << 29 | (flag ? 1U : 0U) << 31,
          body};
}

// One list of records, cut into chunks that can be worked off at once: no two records of a chunk change the word of the
// same node, and at most one tensor ends in it.
class ChunkList {
 public:
  explicit ChunkList(std::vector<Record>& records) : records_(records), first_(records.size()) {}

  // Returns the chunk that it is in.
  std::uint32_t add(const Record& record) {
    const bool changes_node = record.kind() == Record::kReader || record.kind() == Record::kControl;
    const auto clashes = [&](const Record& other) {
      return (changes_node && other.kind() != Record::kInput && other.kind() != Record::kNothing &&
              other.node() == record.node()) ||
             (record.ends_readers() && other.ends_readers());
    };
    const auto chunk = records_.begin() + static_cast<std::ptrdiff_t>(records_.size() - used_);
    if (used_ == kChunk || std::any_of(chunk, records_.end(), clashes)) close();
    records_.push_back(record);
    ++used_;
    return static_cast<std::uint32_t>((records_.size() - 1) / kChunk);
  }
  void finish() {
    if (used_ > 0 || records_.size() == first_) close();
    records_[records_.size() - kChunk].head |= 1U << Record::kNodeBits;
  }

 private:
  void close() {
    for (; used_ < kChunk; ++used_) records_.push_back({kNoRecord, 0});
    used_ = 0;
  }

  std::vector<Record>& records_;
  std::size_t first_;
  std::uint32_t used_ = 0;  // records of the chunk at the end
};

class Compacter {
 public:
  explicit Compacter(const Problem& problem) : problem_(problem), graph_(flatten(problem)) {}

  std::optional<Error> fill(CompactTables& tables, CompactView& view) {
    tables_ = &tables;
    view_ = &view;
    count();
    if (auto error = lay_out_devices()) return error;
    if (auto error = lay_out_routes()) return error;
    if (auto error = place_counters()) return error;
    find_timeless();
    if (auto error = write_records()) return error;
    write_times();
    write_memory();
    return std::nullopt;
  }

 private:
  static Error too_many(const std::string& what) {
    return bad_input("the batch simulator cannot count so many {}", what);
  }
  [[nodiscard]] std::uint32_t storage_of(std::uint32_t op) const {
    switch (graph_.storage(op)) {
      case FlatGraph::Storage::kResident:
        return Record::kResident;
      case FlatGraph::Storage::kAlias:
        return Record::kView;
      default:
        return Record::kOwn;
    }
  }
  [[nodiscard]] bool is_first_output(std::uint32_t tensor) const {
    return *graph_.outputs_of(graph_.producer[tensor]).begin() == tensor;
  }

  void count() {
    const Machine& machine = problem_.machine();
    view_->num_ops = static_cast<std::uint32_t>(graph_.num_nodes());
    view_->num_tensors = static_cast<std::uint32_t>(graph_.num_tensors());
    view_->num_devices = static_cast<std::uint32_t>(machine.num_devices());
    view_->num_queues = static_cast<std::uint32_t>(machine.queues().size());
    view_->num_pools = static_cast<std::uint32_t>(machine.pools().size());
    view_->num_classes = static_cast<std::uint32_t>(graph_.num_classes);
  }

  // Every lane and every queue is a slot that holds what is under way there.
  std::optional<Error> lay_out_devices() {
    const Machine& machine = problem_.machine();
    std::uint64_t slots = view_->num_queues;
    for (const Device& device : machine.devices()) slots += static_cast<std::uint64_t>(device.lanes);
    if (slots > kMostSlots) return too_many("lanes and links (64 at most)");
    const auto add_server = [&](int lanes) {
      const auto server = static_cast<std::uint8_t>(tables_->first_slot.size());
      tables_->first_slot.push_back(static_cast<std::uint8_t>(tables_->server_of.size()));
      tables_->server_of.insert(tables_->server_of.end(), static_cast<std::size_t>(lanes), server);
    };
    for (const DeviceId id : machine.device_ids()) {
      add_server(machine.device(id).lanes);
      tables_->class_of.push_back(static_cast<std::uint8_t>(problem_.device_class(id)));
      const int pool = machine.pool_of(id);
      tables_->pool_of.push_back(static_cast<std::uint8_t>(pool < 0 ? static_cast<int>(view_->num_pools) : pool));
    }
    for (std::uint32_t queue = 0; queue < view_->num_queues; ++queue) add_server(1);
    view_->num_slots = static_cast<std::uint32_t>(slots);
    tables_->first_slot.push_back(static_cast<std::uint8_t>(slots));
    return std::nullopt;
  }

  std::optional<Error> lay_out_routes() {
    const Machine& machine = problem_.machine();
    std::map<std::pair<double, double>, std::uint32_t> links;
    std::size_t longest = 1;
    for (const DeviceId from : machine.device_ids()) {
      for (const DeviceId to : machine.device_ids()) {
        tables_->first_hop.push_back(static_cast<std::uint32_t>(tables_->hops.size()));
        tables_->latency.push_back(static_cast<Time>(problem_.control_latency(from, to)));
        const auto route = machine.route(from, to);
        longest = std::max(longest, route.size());
        for (const std::uint16_t id : route) {
          const Channel& channel = machine.channels()[id];
          const auto link = links.try_emplace({channel.latency_s, channel.bytes_per_s}, links.size()).first->second;
          if (link == link_channel_.size()) link_channel_.push_back(id);
          const std::uint32_t queue = channel.queue < 0 ? Hop::kUncontended : static_cast<std::uint32_t>(channel.queue);
          tables_->hops.push_back({queue | link << 8 | (id == route.back() ? 1U << 31 : 0U)});
        }
      }
    }
    if (links.size() > 0x7fff) return too_many("kinds of links");
    view_->num_hops = static_cast<std::uint32_t>(tables_->hops.size());
    view_->device_shift = static_cast<std::uint32_t>(std::bit_width(view_->num_devices - 1));
    view_->tensor_shift = 2 * view_->device_shift + static_cast<std::uint32_t>(std::bit_width(longest - 1));
    // One bit is left to tell transfers from ops.
    if (view_->tensor_shift + static_cast<std::uint32_t>(std::bit_width(view_->num_tensors)) > 31) {
      return too_many("tensors on so many devices");
    }
    return std::nullopt;
  }

  std::optional<Error> place_counters() {
    std::uint64_t next = 0;
    for (std::uint32_t tensor = 0; tensor < view_->num_tensors; ++tensor) {
      const auto readers = static_cast<std::uint32_t>(graph_.consumers_of(tensor).size());
      const bool first = is_first_output(tensor), per_device = readers > 1;
      counters_.push_back(static_cast<std::uint32_t>(next) | (first ? 1U << 30 : 0U) | (per_device ? 1U << 31 : 0U));
      num_counters_.push_back(per_device ? view_->num_devices : readers * (first ? 1U : 2U));
      next += num_counters_.back();
    }
    if (next >= 1U << 24) return too_many("copies of tensors");
    view_->num_counters = static_cast<std::uint32_t>(next);
    return most_uses();
  }

  // How many uses a storage may have at once, those of its views counted in.
  std::optional<Error> most_uses() const {
    std::vector<std::uint64_t> uses(view_->num_tensors);
    for (std::uint32_t tensor = 0; tensor < view_->num_tensors; ++tensor) {
      uses[tensor] = graph_.consumers_of(tensor).size() + view_->num_devices + 1;
    }
    const auto order = problem_.graph().topological_order();
    for (auto op = order.rbegin(); op != order.rend(); ++op) {
      const auto node = static_cast<std::uint32_t>(*op);
      if (storage_of(node) != Record::kView) continue;
      for (const std::uint32_t tensor : graph_.outputs_of(node)) {
        std::uint64_t& root = uses[graph_.looks_at(node)];
        root = std::min<std::uint64_t>(root + uses[tensor], kMostUses + 1);
      }
    }
    const bool fits = std::all_of(uses.begin(), uses.end(), [](std::uint64_t count) { return count <= kMostUses; });
    return fits ? std::nullopt : std::optional(too_many("uses of one tensor (65,535 at most)"));
  }

  void find_timeless() {
    for (std::uint32_t op = 0; op < view_->num_ops; ++op) {
      std::uint32_t zeros = 0;
      for (int column = 0; column < static_cast<int>(view_->num_classes); ++column) {
        zeros += graph_.duration(op, column) == 0 ? 1 : 0;
      }
      std::uint32_t timeless = Record::kDependsOnDevice;
      if (zeros == 0) timeless = Record::kTakesTime;
      if (zeros == view_->num_classes) {
        timeless = graph_.output_bytes(op) > 0 ? Record::kTakesNoneButMemory : Record::kTakesNone;
      }
      timeless_.push_back(timeless);
    }
  }

  [[nodiscard]] Record input_record(std::uint32_t tensor, bool is_looked_at) const {
    const std::uint32_t producer = graph_.producer[tensor];
    return record(Record::kInput, producer, counters_[tensor], false, 0, storage_of(producer), is_looked_at);
  }

  // With ops in place of nodes, which are known at the end.
  std::optional<Error> write_records() {
    auto& records = tables_->records;
    tables_->readers.resize(view_->num_tensors);
    for (std::uint32_t op = 0; op < view_->num_ops; ++op) {
      tables_->node_of.push_back(static_cast<std::uint32_t>(records.size() / kChunk));
      ChunkList list(records);
      for (const std::uint32_t tensor : graph_.outputs_of(op)) add_readers(list, op, tensor);
      for (const std::uint32_t after : graph_.control_of(op)) {
        list.add(record(Record::kControl, after, 0, false, timeless_[after]));
      }
      for (const std::uint32_t tensor : graph_.inputs_of(op)) {
        list.add(input_record(tensor, storage_of(op) == Record::kView && tensor == graph_.looks_at(op)));
      }
      list.finish();
      if (records.size() / kChunk >= 1U << Record::kNodeBits) return too_many("edges");
    }
    for (std::uint32_t tensor = 0; tensor < view_->num_tensors; ++tensor) {
      tables_->home.push_back(input_record(tensor, false));
    }
    view_->num_nodes = static_cast<std::uint32_t>(records.size() / kChunk);
    for (Record& record : records) name_node(record);
    for (Record& record : tables_->home) name_node(record);
    return std::nullopt;
  }

  void add_readers(ChunkList& list, std::uint32_t op, std::uint32_t tensor) {
    const auto readers = graph_.consumers_of(tensor);
    const std::uint32_t storage = storage_of(op);
    const bool kept = graph_.is_kept(tensor);
    std::uint32_t first = 0, last = 0;
    for (std::size_t i = 0; i < readers.size(); ++i) {
      const bool is_last = i + 1 == readers.size();
      last = list.add(record(Record::kReader, readers[i], tensor, is_last, timeless_[readers[i]], storage, kept));
      if (i == 0) first = last;
    }
    if (readers.empty()) first = last = list.add(record(Record::kNothing, 0, tensor, true, 0, storage, kept));
    tables_->readers[tensor] = {
        first, last - first + 1, {counters_[tensor]}, static_cast<std::uint32_t>(readers.size())};
  }

  void name_node(Record& record) const {
    if (record.kind() == Record::kNothing) return;
    constexpr std::uint32_t kMask = (1U << Record::kNodeBits) - 1;
    record.head = (record.head & ~kMask) | tables_->node_of[record.head & kMask];
  }

  void write_times() {
    tables_->start.resize(std::size_t{view_->num_nodes} * view_->num_classes);
    tables_->timeless.resize(view_->num_nodes);
    for (std::uint32_t op = 0; op < view_->num_ops; ++op) {
      const std::size_t node = tables_->node_of[op];
      tables_->timeless[node] = static_cast<std::uint8_t>(timeless_[op]);
      for (std::uint32_t column = 0; column < view_->num_classes; ++column) {
        const auto time = static_cast<Time>(graph_.duration(op, static_cast<int>(column)));
        tables_->start[node * view_->num_classes + column] = {time, graph_.output_bytes(op)};
      }
      tables_->waits.push_back(graph_.num_waits[op] << kDeviceBits);
    }
    for (const std::uint32_t op : graph_.sources) tables_->sources.push_back(tables_->node_of[op]);
    view_->num_sources = static_cast<std::uint32_t>(tables_->sources.size());
    for (const std::uint16_t channel : link_channel_) {
      for (std::uint32_t tensor = 0; tensor < view_->num_tensors; ++tensor) {
        tables_->hop_time.push_back(static_cast<Time>(problem_.transfer_time(graph_.bytes[tensor], channel)));
      }
    }
  }

  void write_memory() {
    tables_->counter_bytes.resize(std::size_t{view_->num_nodes} + view_->num_counters);
    for (std::uint32_t tensor = 0; tensor < view_->num_tensors; ++tensor) {
      const Bytes bytes = graph_.bytes[tensor];
      tables_->tensor_bytes.push_back(bytes);
      const std::size_t first = std::size_t{view_->num_nodes} + (counters_[tensor] & 0x3fffffffU);
      std::fill_n(tables_->counter_bytes.begin() + static_cast<std::ptrdiff_t>(first), num_counters_[tensor], bytes);
      if (is_first_output(tensor)) tables_->counter_bytes[tables_->node_of[graph_.producer[tensor]]] = bytes;
    }
    for (const OpId op : problem_.graph().ops()) {
      const Bytes bytes = problem_.graph().resident_bytes(op);
      if (bytes > 0) tables_->residents.push_back({tables_->node_of[index(op)], bytes});
    }
    view_->num_residents = static_cast<std::uint32_t>(tables_->residents.size());
  }

  const Problem& problem_;
  const FlatGraph graph_;
  CompactTables* tables_ = nullptr;
  CompactView* view_ = nullptr;
  std::vector<std::uint16_t> link_channel_;             // a channel of each kind of link
  std::vector<std::uint32_t> counters_, num_counters_;  // per tensor
  std::vector<std::uint32_t> timeless_;                 // per op
};

}  // namespace

Result<CompactProblem> CompactProblem::make(const Problem& problem) {
  if (!problem.machine().overlap()) return bad_input("the batch simulator knows no machines without overlap");
  CompactProblem compact;
  if (auto error = Compacter(problem).fill(compact.tables_, compact.view_)) return *error;
  compact.tables_.visit(compact.view_, [](auto& pointer, const auto& table) { pointer = table.data(); });
  return compact;
}

}  // namespace berth::batch
