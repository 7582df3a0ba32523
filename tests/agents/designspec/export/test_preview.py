"""The picture: drawn without a window, with the body, its channels in colour, and something around them."""

from types import SimpleNamespace

import numpy as np
import pytest
from manifold3d import Manifold
from PIL import Image

from loopwright.agents.designspec.export import preview
from loopwright.agents.designspec.export.preview import write_preview
from loopwright.kernel.errors import Misconfigured

BODY = Manifold.cube((1e-2, 2e-2, 1e-2), True)
VOID = Manifold.cylinder(1e-2, 2e-3, 2e-3, 32, True)


def drawn(path, *bodies, **more):
    write_preview(path, *bodies, **more)
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB")).astype(int)


def test_the_void_is_coloured_and_the_whole_body_is_in_the_picture(tmp_path):
    picture = drawn(tmp_path / "it.png", BODY - VOID, VOID)
    assert picture.shape == (900, 1200, 3)
    red = (picture[:, :, 0] > 120) & (picture[:, :, 0] > picture[:, :, 2] + 60)
    assert 0.01 < red.mean() < 0.3
    ground = picture[0, 0]
    shown = np.abs(picture - ground).max(axis=2) > 8
    assert shown.mean() > 0.25
    for edge in (shown[0], shown[-1], shown[:, 0], shown[:, -1]):
        assert not edge.any()


def test_a_body_without_a_void_is_drawn_too(tmp_path):
    assert np.ptp(drawn(tmp_path / "it.png", BODY, None, size=(300, 200))) > 20


def test_without_a_renderer_the_error_says_what_to_install(tmp_path, monkeypatch):
    blind = SimpleNamespace(render_window=SimpleNamespace(SupportsOpenGL=lambda: False), close=lambda: None)
    monkeypatch.setattr(preview.pyvista, "Plotter", lambda **settings: blind)
    with pytest.raises(Misconfigured, match="No preview can be drawn") as caught:
        write_preview(tmp_path / "it.png", BODY, None)
    assert "libosmesa6" in caught.value.hint
    assert not (tmp_path / "it.png").exists()
