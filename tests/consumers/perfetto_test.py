#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The timeline by Perfetto's own schema. Usage: perfetto_test.py BERTH BUILD_FOLDER."""
import consumer

consumer.run_in_environment("perfetto")

import collections  # noqa: E402
import json  # noqa: E402
import pathlib  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import unittest  # noqa: E402

from google.protobuf.unknown_fields import UnknownFieldSet  # noqa: E402
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import CounterDescriptor, Trace, TrackEvent  # noqa: E402

berth = consumer.Program(sys.argv[1])
GRAPH = "zoo:rnnlm,batch=4,unroll=3,hidden=16,vocab=100"


class Perfetto(unittest.TestCase):
    def assert_no_unknown_fields(self, message):
        self.assertEqual(len(UnknownFieldSet(message)), 0, message)
        for descriptor, value in message.ListFields():
            if descriptor.type == descriptor.TYPE_MESSAGE:
                for inner in value if descriptor.is_repeated else [value]:
                    self.assert_no_unknown_fields(inner)

    def test_a_trace_is_what_perfetto_says_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            berth("place", GRAPH, "-m", "k40x2", "-p", "expert-layers", "--evaluations", 20, "-q", "-o", folder / "plan.json")
            berth("export", GRAPH, "--plan", folder / "plan.json", "--to", "perfetto", "-o", folder / "trace.pftrace")
            trace = Trace.FromString((folder / "trace.pftrace").read_bytes())
            scored = json.loads(berth("score", GRAPH, "-m", "k40x2", "--plan", folder / "plan.json", "--json", "--timeline"))
        self.assert_no_unknown_fields(trace)
        tracks = {packet.track_descriptor.uuid: packet.track_descriptor for packet in trace.packet if packet.HasField("track_descriptor")}
        counters = {uuid for uuid, track in tracks.items() if track.HasField("counter")}
        self.assertTrue(counters)
        self.assertTrue(all(tracks[uuid].counter.unit == CounterDescriptor.UNIT_SIZE_BYTES for uuid in counters))
        begun, ended, flows, ends = {}, collections.Counter(), collections.Counter(), collections.Counter()
        for packet in trace.packet:
            if not packet.HasField("track_event"):
                continue
            event = packet.track_event
            if event.type == TrackEvent.TYPE_SLICE_BEGIN:
                process = tracks[tracks[event.track_uuid].parent_uuid].process.process_name
                begun[event.categories[0], event.name, process, packet.timestamp] = event
            elif event.type == TrackEvent.TYPE_SLICE_END:
                ended[event.track_uuid] += 1
            else:
                self.assertEqual(event.type, TrackEvent.TYPE_COUNTER)
                self.assertIn(event.track_uuid, counters)
            flows.update([*event.flow_ids, *event.terminating_flow_ids])
            ends.update(event.terminating_flow_ids)
        self.assertEqual(len(begun), sum(ended.values()))
        for event in scored["events"]:
            self.assertTrue(any(("op", event["op"], event["device"], round(event["start_s"] * 1e9) + slip) in begun for slip in (-1, 0, 1)))
        self.assertTrue(all(count >= 2 for count in flows.values()) and set(ends.values()) == {1} and set(ends) == set(flows))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
