// SPDX-License-Identifier: Apache-2.0
// parse_ir() by pugixml, or the word that this build has none (BERTH_OPENVINO=OFF).
//
// pugixml parses without recursion, knows no entities but the five of XML, and with these options keeps neither
// document types nor comments. It takes a node of 64 bytes per tag and 40 bytes per attribute, hence the caps.
#include "import/openvino/ir_xml.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "base/text.h"
#include "files/json/json_reader.h"
#include "graph/builder.h"
#include "import/openvino/ir_words.h"

#ifdef BERTH_OPENVINO
#include <pugixml.hpp>
#endif

namespace berth::openvino {

#ifdef BERTH_OPENVINO
namespace {

constexpr unsigned kParseOptions = pugi::parse_escapes | pugi::parse_wconv_attribute | pugi::parse_embed_pcdata;
constexpr std::size_t kMaxAttributes = 256;
constexpr std::size_t kMaxAttributeLength = std::size_t{1} << 20;

// Names of the elements that hold a body, and of those that say how its values enter and leave.
struct BodyElements {
  const char *body, *ports;
};
constexpr std::array kBodies{BodyElements{"body", "port_map"}, BodyElements{"then_body", "then_port_map"},
                             BodyElements{"else_body", "else_port_map"}};

template <typename Number>
Result<Number> parse_number(std::string_view text, Number low) {
  text = trim(text);
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, value);
  if (failed == std::errc() && stop == end && value >= low) return value;
  return bad_input("{} where a whole number is expected", in_quotes(text));
}

Result<std::uint64_t> read_id(const pugi::xml_node& node, const char* attribute) {
  const pugi::xml_attribute found = node.attribute(attribute);
  if (!found) return bad_input("<{}> has no attribute {}", node.name(), attribute);
  auto id = parse_number<std::uint64_t>(found.value(), 0);
  if (!id) return within(fmt::format("<{}> {}", node.name(), attribute), id.error());
  return id;
}

// A text that will be kept. Numbered characters (&#0;) can make bad text out of good one, so this is checked late.
Result<std::string> checked_text(std::string_view text, std::string_view what, std::size_t longest) {
  if (text.size() > longest) return bad_input("{} has {} characters; at most {} are read", what, text.size(), longest);
  if (!simdjson::validate_utf8(text.data(), text.size())) return bad_input("{} is no valid UTF-8", what);
  return std::string(text);
}

Result<std::string> read_text(const pugi::xml_node& node, const char* attribute) {
  return checked_text(node.attribute(attribute).value(), attribute, kMaxNameLength);
}

Result<IrPort> read_port(const pugi::xml_node& node) {
  IrPort port;
  BERTH_TRY(port.id, read_id(node, "id"));
  port.dtype = element_type(node.attribute("precision").value());
  for (const pugi::xml_node& dim : node.children("dim")) {
    if (port.dims.size() == kMaxRank) return bad_input("port {} has more than {} dimensions", port.id, kMaxRank);
    auto size = parse_number<std::int64_t>(dim.child_value(), kDynamic);
    if (!size) return within(fmt::format("<dim> of port {}", port.id), size.error());
    port.dims.push_back(*size);
  }
  return port;
}

Result<std::vector<IrPort>> read_ports(const pugi::xml_node& list) {
  std::vector<IrPort> ports;
  for (const pugi::xml_node& node : list.children("port")) {
    BERTH_TRY(IrPort port, read_port(node));
    ports.push_back(std::move(port));
  }
  return ports;
}

Status read_if_there(const pugi::xml_node& node, const char* attribute, std::int64_t& value) {
  const pugi::xml_attribute found = node.attribute(attribute);
  if (!found) return {};
  auto number = parse_number<std::int64_t>(found.value(), std::numeric_limits<std::int64_t>::min());
  if (!number) return within(fmt::format("<{}> {}", node.name(), attribute), number.error());
  value = *number;
  return {};
}

Result<std::vector<IrPortMap>> read_port_maps(const pugi::xml_node& list, const char* direction) {
  std::vector<IrPortMap> maps;
  for (const pugi::xml_node& node : list.children(direction)) {
    IrPortMap map;
    BERTH_RETURN_IF_ERROR(read_if_there(node, "external_port_id", map.external_port));
    BERTH_RETURN_IF_ERROR(read_if_there(node, "start", map.start));
    BERTH_RETURN_IF_ERROR(read_if_there(node, "end", map.end));
    BERTH_RETURN_IF_ERROR(read_if_there(node, "part_size", map.part_size));
    if (map.part_size <= 0) return bad_input("a slice of {} has part_size {}", node.name(), map.part_size);
    if (node.attribute("axis")) BERTH_RETURN_IF_ERROR(read_if_there(node, "axis", map.axis.emplace()));
    maps.push_back(map);
  }
  return maps;
}

// Old and new ways in which tools leave a device in a layer's runtime information.
Result<std::string> read_affinity(const pugi::xml_node& layer) {
  for (const pugi::xml_node& entry : layer.child("rt_info").children()) {
    if (std::string_view(entry.attribute("name").value()) == "affinity") return read_text(entry, "value");
  }
  return std::string();
}

Result<IrEdge> read_edge(const pugi::xml_node& node) {
  IrEdge edge;
  BERTH_TRY(edge.from_layer, read_id(node, "from-layer"));
  BERTH_TRY(edge.from_port, read_id(node, "from-port"));
  BERTH_TRY(edge.to_layer, read_id(node, "to-layer"));
  BERTH_TRY(edge.to_port, read_id(node, "to-port"));
  return edge;
}

// Constants and inputs say their type twice; one is enough.
void fill_type_from_data(IrLayer& layer) {
  const std::string* stated = layer.find("element_type");
  if (stated == nullptr || layer.outputs.size() != 1 || layer.outputs.front().dtype) return;
  layer.outputs.front().dtype = element_type(*stated);
}

Result<IrNet> read_net(const pugi::xml_node& root, int depth);

Status read_bodies(const pugi::xml_node& node, int depth, IrLayer& layer) {
  for (const BodyElements& names : kBodies) {
    const pugi::xml_node inner = node.child(names.body);
    if (!inner) continue;
    if (depth == kMaxBodyDepth) return bad_input("bodies are nested more than {} deep", kMaxBodyDepth);
    const pugi::xml_node ports = node.child(names.ports);
    IrBody body;
    BERTH_TRY(body.inputs, read_port_maps(ports, "input"));
    BERTH_TRY(body.outputs, read_port_maps(ports, "output"));
    BERTH_TRY(body.net, read_net(inner, depth + 1));
    layer.bodies.push_back(std::move(body));
  }
  return {};
}

Status read_layer(const pugi::xml_node& node, int depth, IrLayer& layer) {
  BERTH_TRY(layer.name, read_text(node, "name"));
  BERTH_TRY(layer.id, read_id(node, "id"));
  BERTH_TRY(layer.type, read_text(node, "type"));
  if (layer.type.empty()) return bad_input("it has no type");
  BERTH_TRY(layer.version, read_text(node, "version"));
  BERTH_TRY(layer.device, read_affinity(node));
  for (const pugi::xml_attribute& attribute : node.child("data").attributes()) {
    if (layer.data.size() == kMaxAttributes) return bad_input("it has more than {} attributes", kMaxAttributes);
    BERTH_TRY(std::string name, checked_text(attribute.name(), "the name of an attribute", kMaxNameLength));
    BERTH_TRY(std::string value, checked_text(attribute.value(), attribute.name(), kMaxAttributeLength));
    layer.data.emplace_back(std::move(name), std::move(value));
  }
  BERTH_TRY(layer.inputs, read_ports(node.child("input")));
  BERTH_TRY(layer.outputs, read_ports(node.child("output")));
  fill_type_from_data(layer);
  return read_bodies(node, depth, layer);
}

Result<IrNet> read_net(const pugi::xml_node& root, int depth) {
  IrNet net;
  if (!root.child("layers")) return bad_input("<{}> has no <layers>; is it an OpenVINO model?", root.name());
  for (const pugi::xml_node& node : root.child("layers").children("layer")) {
    IrLayer& layer = net.layers.emplace_back();
    if (const Status read = read_layer(node, depth, layer); !read) return within(describe(layer), read.error());
  }
  for (const pugi::xml_node& node : root.child("edges").children("edge")) {
    BERTH_TRY(const IrEdge edge, read_edge(node));
    net.edges.push_back(edge);
  }
  return net;
}

Status check_size(std::string_view xml) {
  if (xml.size() > kMaxXmlBytes) {
    return bad_input("it has {} bytes of XML; at most {} are read", xml.size(), kMaxXmlBytes);
  }
  if (xml.find('\0') != std::string_view::npos) return bad_input("it is no XML: it holds a zero byte");
  const auto tags = static_cast<std::size_t>(std::ranges::count(xml, '<'));
  if (tags > kMaxXmlTags) return bad_input("it has {} tags; at most {} are read", tags, kMaxXmlTags);
  return {};
}

}  // namespace

Result<IrNet> parse_ir(std::string_view xml) {
  BERTH_RETURN_IF_ERROR(check_size(xml));
  pugi::xml_document document;
  const pugi::xml_parse_result parsed =
      document.load_buffer(xml.data(), xml.size(), kParseOptions, pugi::encoding_utf8);
  if (!parsed) {
    const std::size_t at = std::min(xml.size(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(parsed.offset, 0)));
    return bad_input("line {}: the XML is damaged ({})", 1 + std::ranges::count(xml.substr(0, at), '\n'),
                     parsed.description());
  }
  const pugi::xml_node root = document.document_element();
  if (std::string_view(root.name()) != "net") return bad_input("its root is no <net>; is it an OpenVINO model?");
  BERTH_TRY(IrNet net, read_net(root, 0));
  BERTH_TRY(net.name, read_text(root, "name"));
  if (root.attribute("version")) {
    BERTH_TRY(net.version, read_id(root, "version"));
  }
  return net;
}

#else

Result<IrNet> parse_ir(std::string_view) {
  return bad_input(
      "this build of berth cannot read OpenVINO files (BERTH_OPENVINO=OFF); build it with pugixml and "
      "-DBERTH_OPENVINO=ON");
}

#endif

}  // namespace berth::openvino
