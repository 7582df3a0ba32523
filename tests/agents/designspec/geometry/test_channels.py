"""Channels are exactly as long and as wide as the policy says, and stay inside."""

import math

import numpy as np
import pytest

from loopwright.agents.designspec.document.domains import Build, Component
from loopwright.agents.designspec.geometry.channels import channel_network, fitted_channels
from loopwright.agents.designspec.geometry.domains import build_domain
from loopwright.agents.designspec.geometry.embed import embed
from loopwright.agents.designspec.geometry.probe import make_probe
from loopwright.agents.designspec.geometry.tubes import void_of_network
from loopwright.kernel.errors import InvalidInput
from tests.agents.designspec.geometry.workpieces import CYLINDER, opening, policies, spec_of

COMPONENT = Component(id="part", domain_ref="it", build=Build(type="primitive_channels"))
FRUSTUM = {"type": "frustum", "radius_top": 8e-3, "radius_bottom": 4e-3, "height": 0.01}
TOP = opening([1e-3, 0, 1e-3], 5e-4)


def drilled(openings, domain=CYLINDER, **channels):
    spec = spec_of({"it": domain})
    body = build_domain(spec, "it", None)
    wanted = policies(channels=channels)
    result = fitted_channels(COMPONENT, openings, make_probe(spec, "it", body), wanted)
    return body, wanted, result


def lengths(**channels):
    return float(drilled([TOP], **channels)[2].network.lengths.sum())


def test_lengths_are_exact():
    assert lengths(stop_before_boundary=3e-4) == pytest.approx(1.7e-3, abs=1e-12)
    assert lengths(stop_before_boundary=0.0) == pytest.approx(2e-3, abs=1e-12)
    assert lengths(length=1.2e-3, stop_before_boundary=0.0) == pytest.approx(1.2e-3, abs=1e-15)
    assert lengths(length_mode="explicit", length=0.4e-3) == pytest.approx(0.4e-3, abs=1e-15)
    assert lengths(length_mode="to_center_fraction", length_fraction=0.25) == pytest.approx(0.25e-3, abs=1e-15)


def test_the_bottom_of_the_carved_channel_is_exact():
    body, wanted, made = drilled([TOP], stop_before_boundary=3e-4)
    void = void_of_network(made.network, wanted, caps="flat", openings=[TOP])
    done = embed(body, void, [TOP], wanted)
    assert done.void.bounding_box()[2] == pytest.approx(-0.7e-3, abs=1e-9)
    assert done.void.bounding_box()[5] == pytest.approx(1e-3, abs=1e-12)
    assert done.void.volume() == pytest.approx(math.pi * 25e-8 * 1.7e-3, rel=1e-9)
    assert (done.solid.genus(), done.notes, made.notes) == (0, (), ())


def test_tapers_end_with_their_radius():
    network = drilled([TOP], profile="taper", taper_factor=0.2)[2].network
    assert network.radii == pytest.approx(np.array([[5e-4, 1e-4]]))
    network = drilled([TOP], profile="taper", taper_factor=0.2, radius_end=3e-4)[2].network
    assert network.radii == pytest.approx(np.array([[5e-4, 3e-4]]))
    assert drilled([TOP], radius_end=3e-4)[2].network.radii == pytest.approx(np.array([[5e-4, 5e-4]]))


@pytest.mark.parametrize(
    ("mode", "angle", "aside"), [("radial_out", 0, (1, 0)), ("radial_in", 0, (-1, 0)), ("radial_out", 90, (0, -1))]
)
def test_hooks_bend_to_their_side(mode, angle, aside):
    hook = {"profile": "fang_hook", "hook_depth": 5e-4, "hook_strength": 0.8, "stop_before_boundary": 5e-4}
    body, wanted, made = drilled([TOP], bend_mode=mode, hook_angle_deg=angle, segments_per_curve=8, **hook)
    network = made.network
    assert len(network.segments) == 9
    end = network.positions[-1] - network.positions[0]
    assert end == pytest.approx([*(0.8e-3 * np.array(aside)), -1.5e-3], abs=1e-9)
    assert network.positions[1] == pytest.approx([1e-3, 0, 0.5e-3])
    void = void_of_network(network, wanted, caps="flat", openings=[TOP])
    assert (void.genus(), len(void.decompose())) == (0, 1)
    assert embed(body, void, [TOP], wanted).solid.genus() == 0


def test_a_channel_that_is_too_long_is_shortened_or_refused():
    made = drilled([TOP], length_mode="explicit", length=5e-3, stop_before_boundary=2e-4)[2]
    assert made.network.lengths == pytest.approx([1.8e-3])
    assert "shortened from 0.005 m to 0.0018 m" in made.notes[0]
    with pytest.raises(InvalidInput, match=r"would be 0\.005 m long"):
        drilled([TOP], length_mode="explicit", length=5e-3, constraint_strategy="fail")


def test_a_channel_that_would_leave_the_side_is_cut_or_made_thinner():
    port = opening([6e-3, 0, 5e-3], 5e-4)
    made = drilled([port], FRUSTUM, length_mode="explicit", length=4.5e-3, stop_before_boundary=0.0)[2]
    # The wall is at 8 − 0.4·depth mm; at 6 mm, with 0.5 mm and a twentieth more, it is reached after 3.6875 mm.
    assert made.network.lengths == pytest.approx([3.6875e-3], abs=1e-8)
    assert "was cut from" in made.notes[0]
    thin = drilled(
        [port],
        FRUSTUM,
        length_mode="explicit",
        length=4.5e-3,
        stop_before_boundary=0.0,
        constraint_strategy="reduce_radius",
    )[2]
    assert thin.network.lengths == pytest.approx([4.5e-3])
    assert thin.network.radii.max() == pytest.approx(0.2e-3 / 1.05, rel=1e-3)
    with pytest.raises(InvalidInput, match="leaves the domain"):
        drilled(
            [port], FRUSTUM, length_mode="explicit", length=4.5e-3, stop_before_boundary=0.0, constraint_strategy="fail"
        )


def test_an_inlet_and_an_outlet_are_joined():
    ports = [TOP, opening([1e-3, 1e-3, -1e-3], 3e-4, (0, 0, 1), "out", outlet=True)]
    body, wanted, made = drilled(ports)
    assert made.network.radii == pytest.approx(np.array([[5e-4, 3e-4]]))
    assert dict(made.network.ports) == {"in": 0, "out": 1}
    assert made.network.node_types == ("inlet", "outlet")
    done = embed(body, void_of_network(made.network, wanted, caps="flat", openings=ports), ports, wanted)
    assert (done.solid.genus(), done.notes) == (1, ())


def test_what_the_policy_lacks_is_named():
    with pytest.raises(InvalidInput, match="/policies/channels/length"):
        drilled([TOP], length_mode="explicit")
    with pytest.raises(InvalidInput, match="/policies/channels/stop_before_boundary"):
        drilled([TOP], stop_before_boundary=2e-3)
    with pytest.raises(InvalidInput, match="/policies/channels/hook_depth"):
        drilled([TOP], profile="fang_hook", hook_depth=2e-3)
    with pytest.raises(InvalidInput, match="does not look into the domain"):
        drilled([opening([0, 0, 1e-3], 5e-4, (0, 0, 1))])
    assert len(channel_network(COMPONENT, [TOP], None, policies(channels={"enabled": False})).segments) == 0
