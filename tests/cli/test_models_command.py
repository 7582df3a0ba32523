"""`loopwright models`: shows, proves and chooses what answers."""

import asyncio
import signal
import stat
from pathlib import Path

import pytest

from loopwright.app.model_listing import found
from loopwright.app.settings import Settings
from tests.support.commands import Finished, Installation
from tests.support.model_server import hang, text
from tests.support.told_server import LLAMA_CPP, OLLAMA, ChattingServer, TalkingServer


async def run(place: Installation, *arguments: str, code: int = 0, **settings: str) -> Finished:
    """The command, while the server answers in this loop."""
    done = await asyncio.to_thread(place.run, "models", *arguments, **settings)
    assert done.code == code, (done.code, done.out, done.err)
    return done


async def test_without_settings_the_offline_model_answers(tmp_path: Path) -> None:
    done = await run(Installation(tmp_path))
    assert "The built-in offline model answers" in done.out


async def test_what_is_configured_is_asked_and_shown(tmp_path: Path) -> None:
    async with TalkingServer(told=LLAMA_CPP) as server:
        place = Installation(tmp_path, {"OPENAI_BASE_URL": server.base_url})
        shown = (await run(place)).out
        line = next(line for line in shown.splitlines() if "/models/tiny.gguf" in line)
        for cell in ("fast,standard,powerful", "8,192", "schema (not checked)", "small", "free"):
            assert cell in line, cell
        (told,) = [each for each in (await run(place, "--json")).lines if each["source"] == "environment"]
        assert (told["kind"], told["rows"][0]["window"], told["rows"][0]["price"]) == ("llama.cpp", 8192, "free")
    gone = (await run(place)).out
    assert "Not asked now" in gone
    assert "8,192" in gone, "what was known stays"
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700


MANY = {"/v1/models": {"data": [{"id": f"m{number}"} for number in range(3_000)]}}


async def test_no_model_that_the_endpoint_does_not_list_is_asked_for_in_silence(tmp_path: Path) -> None:
    async with TalkingServer([text("Hello.")] * 40, told=MANY) as server:
        place = Installation(tmp_path, {"OPENAI_BASE_URL": server.base_url})
        shown = (await run(place)).out
        assert "MODEL_STANDARD is not set" in shown
        assert "It serves m0, m1, m2, m3, m4, m5, m6, m7 and 2992 more. Name one: MODEL_STANDARD=NAME" in shown
        assert "and 2980 more" in shown
        assert len(shown.splitlines()) < 30
        done = await asyncio.to_thread(place.run, "plan", "Learn to swim", "--yes")
        assert (done.code, server.requests) == (2, []), (done.out, done.err)
        assert "Name one: MODEL_STANDARD=NAME" in done.err
        assert "plan" not in (await asyncio.to_thread(place.run, "runs", "list")).out, "no run was made"
        set_wrongly = (await run(place, MODEL_STANDARD="alias")).out
        assert "It does not list alias, which is set." in set_wrongly
        await asyncio.to_thread(place.run, "plan", "Learn to swim", "--yes", MODEL_STANDARD="m2999", SOUL_MAX_STEPS="2")
    assert {request.body["model"] for request in server.requests} == {"m2999"}


async def test_an_endpoint_of_any_kind_answers_with_its_only_model_at_no_known_price(tmp_path: Path) -> None:
    async with TalkingServer([text("Hello.")], told={"/v1/models": {"data": [{"id": "own"}]}}) as server:
        shown = (await run(Installation(tmp_path, {"OPENAI_BASE_URL": server.base_url}))).out
    (line,) = [line for line in shown.splitlines() if line.startswith("  own ")]
    assert "fast,standard,powerful" in line
    assert line.split()[2] == line.split()[-1] == "unknown", "neither the window nor the price is somebody else's"


async def test_an_answer_that_is_no_list_of_models_is_told(tmp_path: Path) -> None:
    async with TalkingServer(told={"/v1/models": b"<!doctype html>"}) as server:
        place = Installation(tmp_path, {"OPENAI_BASE_URL": server.base_url})
        assert "gave no list of models: the answer was no JSON object" in (await run(place)).out
        assert "does not tell its models" in (await run(place, "use", server.base_url, code=2)).err
        await run(place, "use", server.base_url, "--model", "mine")


@pytest.mark.parametrize(
    ("good", "form"),
    [({}, "schema"), ({"schemas": False}, "native"), ({"native": False}, "schema")],
    ids=["both", "no schemas", "no native calls"],
)
async def test_a_check_finds_the_form_that_works(tmp_path: Path, good: dict[str, bool], form: str) -> None:
    async with ChattingServer(told=LLAMA_CPP, **good) as server:
        place = Installation(tmp_path)
        done = await run(place, "check", server.base_url)
        assert f"with {form} tool calls" in done.out
        place.settings["OPENAI_BASE_URL"] = server.base_url
        assert f"  {form}  " in (await run(place)).out, "and the next run knows it"


@pytest.mark.parametrize(
    ("bad", "named"),
    [({"length": False}, "cut answer says so"), ({"native": False, "schemas": False}, "tool call")],
)
async def test_a_check_fails_where_agents_cannot_run(tmp_path: Path, bad: dict[str, bool], named: str) -> None:
    async with ChattingServer(told=LLAMA_CPP, **bad) as server:
        done = await run(Installation(tmp_path), "check", server.base_url, "--json", code=4)
    assert done.last["type"] == "verdict"
    assert not done.last["usable"]
    broken = [each["name"] for each in done.lines if each["type"] == "finding" and each["needed"] and not each["works"]]
    assert any(named in each for each in broken), broken


async def test_a_check_is_stopped_at_once(tmp_path: Path) -> None:
    async with TalkingServer([hang()], told=LLAMA_CPP) as server:
        child = Installation(tmp_path).start("models", "check", server.base_url)
        async with asyncio.timeout(60):
            await server.came.wait()
        child.send_signal(signal.SIGINT)
        out, _ = await asyncio.to_thread(child.communicate, timeout=20)
    assert child.returncode == 5, out
    assert "Interrupted" in out


async def test_a_check_of_nobody_says_so(tmp_path: Path) -> None:
    place = Installation(tmp_path, {"MODEL_RETRIES": "0"})
    done = await run(place, "check", "http://127.0.0.1:9/v1", code=4)
    assert "Agents cannot run" in done.out
    assert "No endpoint is set" in (await run(place, "check", code=2)).err


async def test_a_choice_is_kept_until_it_is_taken_back(tmp_path: Path) -> None:
    place = Installation(tmp_path)
    async with TalkingServer([text("Hello.")], told=LLAMA_CPP) as server, TalkingServer(told=OLLAMA) as other:
        assert "/models/tiny.gguf at" in (await run(place, "use", server.base_url)).out
        assert "chosen with" in (await run(place)).out
        warned = await run(place, "use", server.base_url, OPENAI_BASE_URL=other.base_url)
        assert "has no effect now" in warned.err
        done = await run(place, "use", other.base_url, "--model", "none:1b", code=2)
        assert "does not serve" in done.err
        assert f"In use: {other.base_url}" in (await run(place, OPENAI_BASE_URL=other.base_url)).out
    assert "offline model answers" in (await run(place, "use", "--none")).out
    assert "offline model answers" in (await run(place)).out
    assert "was not chosen" in (await run(place, "use", "http://127.0.0.1:9/v1", code=2)).err
    assert (await run(place, "use", code=2)).err


async def test_a_chosen_model_answers_the_agents(tmp_path: Path) -> None:
    """A run asks the chosen endpoint for its one model, and not for somebody else's."""
    place = Installation(tmp_path)
    async with TalkingServer([text("Hello.")] * 40, told=LLAMA_CPP) as server:
        await run(place, "use", server.base_url)
        done = await asyncio.to_thread(place.run, "plan", "Learn to swim", "--yes", "--json", SOUL_MAX_STEPS="2")
        assert server.requests, (done.out, done.err)
        asked = len(server.requests)
        await asyncio.to_thread(place.run, "plan", "Learn to swim", "--yes", "--json", OPENAI_BASE_URL="offline")
        assert len(server.requests) == asked, "a setting wins"
    assert {request.body["model"] for request in server.requests} == {"/models/tiny.gguf"}


async def test_a_broken_choice_is_told(tmp_path: Path) -> None:
    place = Installation(tmp_path)
    await run(place)
    (tmp_path / "home" / "model.json").write_text("{")
    assert "models use" in (await run(place, code=2)).err
    await run(place, "use", "--none")
    await run(place)


async def test_servers_on_their_usual_ports_are_found_and_get_no_key(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    settings = Settings(home=tmp_path / "home", openai_api_key="sk-secret-key-123456")
    async with TalkingServer(told=OLLAMA) as server, TalkingServer() as no_models:
        ports = [int(each.base_url.split(":")[2].removesuffix("/v1")) for each in (server, no_models)]
        (only,) = await found(settings, [*ports, 9])
        address = server.base_url
    assert (only.kind, only.source, only.address) == ("ollama", "found", address)
    assert [row.model for row in only.rows] == ["big:70b", "see:latest"]
    assert all("authorization" not in request.headers for request in server.asked)


async def test_a_local_model_is_shown_and_stopped(tmp_path: Path) -> None:
    place = Installation(tmp_path)
    assert "No local model is set up" in (await run(place, "local")).out
    assert "No local model was running" in (await run(place, "local", "--stop")).out
    (done,) = (await run(place, "local", "--json")).lines
    assert done == {"type": "local", "running": False, "pid": None}
    assert (await run(place, "local", "nobody-knows-this", code=2)).err
