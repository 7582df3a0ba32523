"""`loopwright runs` and `loopwright agents`: what is printed, for people and for programs."""

from tests.support.command_line import CommandLine
from tests.support.pages_model import call
from tests.support.scripts import QUESTIONS, VAGUE, one_page

ASK = call("ask_user", questions=QUESTIONS)
RUN_FIELDS = {"run_id", "session_id", "agent", "status", "created_at", "cost_usd", "steps"}


def test_list_and_show(loopwright_command: CommandLine) -> None:
    """One object a line, newest first; filters; a run's stage and open gate."""
    assert "No runs yet" in loopwright_command("runs", "list").out
    done = loopwright_command("pages", VAGUE, "--json", script=one_page()).last
    waiting = loopwright_command("pages", "another", "--json", script=[ASK], code=3).last
    runs = loopwright_command("runs", "list", "--json").lines
    assert [run["run_id"] for run in runs] == [waiting["run_id"], done["run_id"]]
    assert all(set(run) >= RUN_FIELDS for run in runs)
    only = loopwright_command("runs", "list", "--status", "completed", "--json").lines
    assert [run["run_id"] for run in only] == [done["run_id"]]
    assert len(loopwright_command("runs", "list", "--limit", "1", "--json").lines) == 1
    printed = loopwright_command("runs", "list").out.splitlines()
    assert [line.split()[0] for line in printed] == [waiting["run_id"], done["run_id"]]
    assert "waiting_input" in printed[0]
    shown = loopwright_command("runs", "show", waiting["run_id"], "--json").last
    assert (shown["status"], shown["gate"]["kind"]) == ("waiting_input", "questions")
    words = loopwright_command("runs", "show", waiting["run_id"]).out
    assert "Which look?" in words
    assert f"loopwright runs answer {waiting['run_id']}" in words


def test_events(loopwright_command: CommandLine) -> None:
    """The journal from any place on; followed to its end when it has one."""
    run_id = loopwright_command("pages", VAGUE, "--json", script=one_page()).last["run_id"]
    events = loopwright_command("runs", "events", run_id, "--json").lines
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert loopwright_command("runs", "events", run_id, "--since", "5", "--json").lines == events[5:]
    assert loopwright_command("runs", "events", run_id, "--follow", "--json").lines == events
    assert "run_completed" in loopwright_command("runs", "events", run_id).out


def test_answer_and_cancel(loopwright_command: CommandLine) -> None:
    """No answer given is bad input; a decision does not answer questions; a cancelled run stays so."""
    run_id = loopwright_command("pages", VAGUE, "--json", script=[ASK], code=3).last["run_id"]
    assert "--answers" in loopwright_command("runs", "answer", run_id, code=2).err
    assert "no question" in loopwright_command("runs", "answer", run_id, "--approve", code=2).err
    loopwright_command("runs", "answer", run_id, "--approve", "--reject", code=2)
    assert "waits for an answer" in loopwright_command("runs", "resume", run_id, code=2).err
    cancelled = loopwright_command("runs", "cancel", run_id, "--json").last
    assert cancelled["status"] == "cancelled"
    assert loopwright_command("runs", "show", run_id, "--json").last["gate"] is None
    assert "is cancelled" in loopwright_command("runs", "cancel", run_id).out
    assert "cancelled" in loopwright_command("runs", "answer", run_id, "--yes", code=2).err
    assert "is cancelled" in loopwright_command("runs", "resume", run_id, code=2).err


def test_agents(loopwright_command: CommandLine) -> None:
    """What there is, with the controller as a diagram and the tools as the model sees them."""
    assert "pages" in [line["name"] for line in loopwright_command("agents", "list", "--json").lines]
    assert "Pages: " in loopwright_command("agents", "list").out
    shown = loopwright_command("agents", "show", "pages", "--json").last
    assert {tool["function"]["name"] for tool in shown["tools"]} >= {"ask_user", "generate_page"}
    assert len(shown["tools"]) == 16  # the nine of spec 000, six of the agent's own, and how to get more
    assert shown["mermaid"].startswith("stateDiagram")
    assert {stage["name"] for stage in shown["stages"]} == {"new-project", "refinement", "multi-page", "by-plan"}
    assert "Limits: 30 steps" in loopwright_command("agents", "show", "pages").out


def test_a_setting_that_cannot_be_used(loopwright_command: CommandLine) -> None:
    """Exit 2 with the variable's name."""
    loopwright_command.patch.setenv("LOOPWRIGHT_HEARTBEAT", "soon")
    refused = loopwright_command("runs", "list", "--json", code=2)
    assert refused.last["code"] == "misconfigured"
    assert "LOOPWRIGHT_HEARTBEAT" in refused.last["message"]


def test_version_and_help(loopwright_command: CommandLine) -> None:
    """The commands are named, with examples."""
    assert loopwright_command("--version").out.startswith("loopwright ")
    help_text = loopwright_command("--help").out
    assert all(name in help_text for name in ("pages", "runs", "agents", "serve", "offline-model"))
    assert "--answers" in loopwright_command("pages", "--help").out
