"""What was found out is kept for later processes; a broken file is as good as none."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

from loopwright.models.discovery.endpoint import (
    MOST_ENDPOINTS,
    MOST_MODELS,
    Endpoint,
    EndpointMemory,
    Proof,
    Remembered,
    ServedModel,
    Speed,
)

NOW = datetime(2026, 11, 1, tzinfo=UTC)
ENDPOINT = Endpoint(
    base_url="http://a/v1", kind="vllm", models=(ServedModel(name="m", context_tokens=8192),), asked_at=NOW
)
PROOF = Proof(
    at=NOW,
    tools="schema",
    native_tools=False,
    json_schema=True,
    tool_choice_required=False,
    tells_length=True,
    transcript=True,
)


def test_it_is_there_again(tmp_path):
    memory = EndpointMemory(tmp_path / "endpoints.json")
    assert memory.recall("http://a/v1") == Remembered()
    memory.note("http://a/v1", endpoint=ENDPOINT)
    memory.note("http://a/v1", proofs={"m": PROOF}, speeds={"m": Speed(prompt=36.0, answer=9.0, at=NOW)})
    found = EndpointMemory(tmp_path / "endpoints.json").recall("http://a/v1")
    assert found.endpoint == ENDPOINT
    assert found.proofs["m"] == PROOF
    assert found.speeds["m"].prompt == 36.0
    memory.forget("http://a/v1")
    assert memory.recall("http://a/v1") == Remembered()


def test_a_broken_file_is_as_good_as_none_and_said(tmp_path, caplog):
    file = tmp_path / "endpoints.json"
    for content in (b"{", b"[]", b'{"endpoints": {"x": {"speeds": {"m": {"prompt": -1}}}}}', b"\xff"):
        file.write_bytes(content)
        assert EndpointMemory(file).recall("x") == Remembered()
        assert "asked anew" in caplog.text
    EndpointMemory(file).note("x", endpoint=ENDPOINT)
    assert EndpointMemory(file).recall("x").endpoint == ENDPOINT


def test_it_does_not_grow_for_ever(tmp_path):
    memory = EndpointMemory(tmp_path / "endpoints.json")
    for number in range(MOST_ENDPOINTS + 3):
        memory.note(f"http://{number}/v1", endpoint=ENDPOINT)
    assert memory.recall("http://2/v1") == Remembered()
    assert memory.recall("http://3/v1").endpoint == ENDPOINT
    speeds = {
        f"m{number}": Speed(prompt=1.0, answer=1.0, at=NOW + timedelta(seconds=number))
        for number in range(MOST_MODELS + 1)
    }
    memory.note("http://3/v1", speeds=speeds)
    kept = memory.recall("http://3/v1").speeds
    assert len(kept) == MOST_MODELS
    assert "m0" not in kept


def test_several_may_write_at_once(tmp_path):
    def note(number: int) -> None:
        EndpointMemory(tmp_path / "endpoints.json").note(
            "http://a/v1", speeds={f"m{number}": Speed(prompt=1.0, answer=1.0, at=NOW)}
        )

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(note, range(24)))
    assert len(EndpointMemory(tmp_path / "endpoints.json").recall("http://a/v1").speeds) == 24
