"""Network files say what the network is, and the JSON can be read back."""

import json

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.designspec.document.spec import METRES
from loopwright.agents.designspec.export.networks import (
    network_document,
    write_graphml,
    write_network_json,
)
from loopwright.agents.designspec.network import Network
from tests.agents.designspec.geometry.workpieces import binary_tree, network_of


def network_from(document):
    """The network that a document describes, in metres."""
    scale = METRES[document["metadata"]["units"]]
    number = {name: i for i, name in enumerate(document["nodes"])}
    nodes, segments = document["nodes"].values(), document["segments"].values()
    geometry = [segment["geometry"] for segment in segments]
    return Network(
        np.array([node["position"] for node in nodes]).reshape(-1, 3) * scale,
        np.array([[number[s["start_node_id"]], number[s["end_node_id"]]] for s in segments], int).reshape(-1, 2),
        np.array([[each["radius_start"], each["radius_end"]] for each in geometry]).reshape(-1, 2) * scale,
        tuple(node["node_type"] for node in nodes),
        tuple(node["vessel_type"] for node in nodes),
        {
            port: number[name]
            for name, node in document["nodes"].items()
            for port in node["attributes"].get("ports", [])
        },
    )


def test_the_json_has_the_fields_of_the_format(tmp_path):
    network = network_of([[0, 0, 0], [0, 0, -1e-3]], [(0, 1)], [[2e-4, 1e-4]], {"in": 0})
    write_network_json(network, tmp_path / "it.json", "mm", {"type": "box"}, {"seed": 7})
    document = json.loads((tmp_path / "it.json").read_text())
    assert document["nodes"]["0"] == {
        "position": [0.0, 0.0, 0.0],
        "node_type": "junction",
        "vessel_type": "arterial",
        "attributes": {"ports": ["in"]},
    }
    assert document["segments"]["0"] == {
        "start_node_id": "0",
        "end_node_id": "1",
        "geometry": {
            "start": [0.0, 0.0, 0.0],
            "end": [0.0, 0.0, -1.0],
            "radius_start": pytest.approx(0.2),
            "radius_end": pytest.approx(0.1),
            "centerline_points": [[0.0, 0.0, 0.0], [0.0, 0.0, -1.0]],
        },
    }
    assert document["domain"] == {"type": "box"}
    assert document["metadata"] == {"seed": 7, "units": "mm", "nodes": 2, "segments": 1}


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 999), units=st.sampled_from(["m", "cm", "mm", "um"]))
def test_a_network_comes_back(seed, units):
    network = binary_tree(4, wander=0.2, seed=seed)
    again = network_from(json.loads(json.dumps(network_document(network, units))))
    assert again.positions == pytest.approx(network.positions, rel=1e-12, abs=1e-18)
    assert again.radii == pytest.approx(network.radii, rel=1e-12)
    assert (again.segments == network.segments).all()
    assert (again.node_types, again.vessel_types, again.ports) == (
        network.node_types,
        network.vessel_types,
        network.ports,
    )


def test_a_network_without_segments_comes_back(tmp_path):
    write_network_json(network_of([], np.zeros((0, 2), int), np.zeros((0, 2))), tmp_path / "it.json", "mm")
    assert len(network_from(json.loads((tmp_path / "it.json").read_text())).positions) == 0


def test_the_graphml_is_the_same_graph(tmp_path):
    network = binary_tree(4)
    write_graphml(network, tmp_path / "it.graphml", "mm")
    graph = nx.read_graphml(tmp_path / "it.graphml")
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (len(network.positions), len(network.segments))
    assert nx.is_arborescence(graph)
    assert graph.nodes["0"]["port"] == "in"
    lengths = [data["length"] for _, _, data in graph.edges(data=True)]
    assert sum(lengths) == pytest.approx(network.lengths.sum() * 1e3)
