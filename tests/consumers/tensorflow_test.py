#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Device fields, obeyed by TensorFlow on three devices: parts of the CPU. Usage: tensorflow_test.py BERTH BUILD_FOLDER. The
package and what it needs take more than a gigabyte, so this runs only when asked for (./test --consumers)."""
import consumer

consumer.only_if_asked("TensorFlow takes more than a gigabyte from PyPI")
consumer.run_in_environment("tensorflow")

import os  # noqa: E402

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import json  # noqa: E402
import pathlib  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import unittest  # noqa: E402

import numpy as np  # noqa: E402
import tensorflow  # noqa: E402

tf = tensorflow.compat.v1
tf.disable_eager_execution()
berth = consumer.Program(sys.argv[1])
NAMES = {"cpu": "/device:CPU:0", "gpu0": "/device:CPU:1", "gpu1": "/device:CPU:2"}


def frozen_net():
    """Layers with shortcuts, weights as constants; "y" is the result."""
    random = np.random.default_rng(1)
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4, 64], name="x")
        for i in range(5):
            with tf.name_scope(f"layer{i}"):
                weight = tf.constant(random.standard_normal((64, 64)).astype(np.float32) / 8, name="weight")
                x = tf.add(x, tf.nn.relu(tf.matmul(x, weight, name="product"), name="bend"), name="sum")
        tf.nn.softmax(x, name="y")
    return graph.as_graph_def()


def net_with_variables():
    """The same with variables of the old kind, which must be where their first value is assigned."""
    tf.disable_resource_variables()
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4, 32], name="x")
        for i in range(3):
            with tf.variable_scope(f"layer{i}"):
                x = tf.nn.relu(tf.matmul(x, tf.get_variable("weight", [32, 32], initializer=tf.ones_initializer()), name="product"), name="bend")
        tf.identity(x, name="y")
        tf.global_variables_initializer()
    return graph.as_graph_def()


def run(definition, values):
    """y, and where every node ran; nothing is optimised away."""
    config = tf.ConfigProto(device_count={"CPU": len(NAMES)}, allow_soft_placement=False)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    metadata = tf.RunMetadata()
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition, name="")
        with tf.Session(config=config) as session:
            if any(node.name == "init" for node in definition.node):
                session.run("init")
            result = session.run("y:0", {"x:0": values}, options=tf.RunOptions(output_partition_graphs=True), run_metadata=metadata)
    ran = {node.name: node.device for partition in metadata.partition_graphs for node in partition.node}
    return result, {name: device for name, device in ran.items() if name in {op.name for op in graph.get_operations()}}


class TensorFlow(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def assert_obeyed(self, definition, planner, *more):
        model, plan, out = self.folder / "net.pb", self.folder / "plan.json", self.folder / "placed.pb"
        model.write_bytes(definition.SerializeToString())
        berth("place", model, "-m", "k40x2", "-p", planner, "--evaluations", 20, "-q", "-o", plan, *more)
        names = [word for device, name in NAMES.items() for word in ("--name", f"{device}={name}")]
        berth("export", model, "--plan", plan, "--to", "tensorflow", "-o", out, *names, *more)
        placed = tf.GraphDef.FromString(out.read_bytes())
        planned = {op["name"]: op["device"] for op in json.loads(plan.read_text())["ops"]}
        values = np.random.default_rng(2).standard_normal([size.size for size in next(
            node for node in definition.node if node.name == "x").attr["shape"].shape.dim]).astype(np.float32)
        expected, _ = run(definition, values)
        found, ran = run(placed, values)
        np.testing.assert_array_equal(found, expected)
        judged = {name: device for name, device in ran.items() if name in planned and name != "x"}  # x is fed
        self.assertGreater(len(judged), 5)
        for name, device in judged.items():
            self.assertTrue(device.endswith(NAMES[planned[name]]), f"{name}: {device}, planned on {planned[name]}")
        self.assertEqual({"gpu0", "gpu1"} & {planned[name] for name in judged}, {"gpu0", "gpu1"})

    def test_a_frozen_net_runs_where_the_plan_says(self):
        for planner in ("round-robin", "random"):
            with self.subTest(planner):
                self.assert_obeyed(frozen_net(), planner)

    def test_variables_and_what_assigns_them_stay_together(self):
        self.assert_obeyed(net_with_variables(), "random", "--output-node", "y")


if __name__ == "__main__":
    print(f"tensorflow {tensorflow.__version__}")
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
