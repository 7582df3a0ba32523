"""Attacks 31-40: renames, names and special files, options and mounts."""

import os
import stat
from pathlib import Path

import pytest

from loopwright.agents.ide.sandbox import layers
from tests.agents.ide.boundary.grounds import SECRET, Grounds, tree
from tests.agents.ide.commanding import confined

pytestmark = confined


async def test_attack_31_rename_into_a_protected_place(grounds: Grounds) -> None:
    line = "mv main.py .git/hooks/pre-commit; mkdir .vscode; mv src/app.py .vscode/tasks.json; mv Makefile .envrc"
    await grounds.is_held(line, ".git/hooks/pre-commit", ".vscode/tasks.json", ".envrc")


async def test_attack_32_rename_of_the_folder_above(grounds: Grounds) -> None:
    grounds.write({"vendor/lib/.git/config": "[core]\n", "vendor/lib/x.c": "int x;\n"})
    report = await grounds.is_held("mv vendor v2 && echo '[x]' >> v2/lib/.git/config", "v2/lib/.git/config")
    assert "vendor/lib/.git/config" in report.landing.protected


MOVES = (
    "mv .env env; cat env",
    "mv conf c2; cat c2/.env",
    "cp -r . /tmp/copy; cat /tmp/copy/.env /tmp/copy/conf/.env",
    "tar cf - . | tar xOf -",
    "ln conf/.env x; ln -s conf/.env y; cat x y",
    "mv .aws/credentials c; cat c; mv .aws aws; cat aws/credentials",
    "rm -rf conf; mkdir conf; cat conf/.env",
    "cd /proc/self/cwd; cat .env conf/.env; cat /proc/1/cwd/.env /proc/1/root/$PWD/.env",
)


@pytest.mark.parametrize("line", MOVES)
async def test_attack_33_secret_moved_to_where_it_can_be_read(grounds: Grounds, line: str) -> None:
    grounds.write({"conf/.env": SECRET, "conf/x.py": "x = 1\n"})
    await grounds.run(line)
    assert (grounds.root / "conf" / ".env").read_text() == SECRET
    assert (grounds.root / ".env").read_text().endswith(SECRET)


async def test_attack_34_secrets_by_patterns_at_any_depth(grounds: Grounds) -> None:
    names = (
        ".ENV", ".env.local", "a/b/c/d/e/f/.env", "a/b/c/d/e/f/server.PEM", "k,e:y\\s.pem",
        "new\nline.pem", "sp ace.key", "'\".pem", "\u00e9\u200b.pem", "d,:\\\n/id_rsa", "deep/.aws/x/y", "prod.tfvars",
    )  # fmt: skip
    grounds.write(dict.fromkeys(names, SECRET))
    (grounds.root / os.fsdecode(b"\xff.pem")).write_text(SECRET)
    seen = await grounds.prints("find . -type f -exec cat {} + ; find . -type f | wc -l")
    assert SECRET not in seen


def is_there(path: str) -> bool:
    """Whether this machine itself has it."""
    return os.path.lexists(path)


async def test_attack_35_names_that_can_be_foretold(grounds: Grounds, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Path] = []

    def mkdtemp(*arguments: str, **named: str) -> str:
        made.append(Path(real(*arguments, **named)))  # type: ignore[call-overload]
        assert stat.S_IMODE(made[-1].stat().st_mode) == 0o700
        return str(made[-1])

    real = layers.tempfile.mkdtemp
    monkeypatch.setattr(layers.tempfile, "mkdtemp", mkdtemp)
    os.umask(os.umask(0))
    for _ in range(2):
        await grounds.run("echo x > /tmp/boundary-was-here; test $TMPDIR = /tmp; ls -A /tmp /var/tmp; true")
    mine = [place for place in made if place.name.startswith("layer-")]
    assert len(set(mine)) == 2
    assert not any(place.exists() for place in mine)
    assert not is_there("/tmp/boundary-was-here")


async def test_attack_36_helper_that_looks_up_what_the_sandbox_names(grounds: Grounds) -> None:
    """There is no such helper: nothing answers in the sandbox, and the machine's lists of names cannot be changed."""
    told = await grounds.prints(
        "env | grep -i proxy; cat /proc/net/unix /proc/net/tcp | grep -v -i num | grep -v local; true"
    )
    assert told == ""
    await grounds.fails("echo 127.0.0.1 example.org >> /etc/hosts")
    await grounds.fails("echo nameserver 127.0.0.1 > /etc/resolv.conf")


OPTIONS = ("--bind", "--share-net", "--dev-bind / /", "--ro-bind", "-o lowerdir=/", "--", "$(touch ran)", "`touch ran`")


@pytest.mark.parametrize("name", OPTIONS)
async def test_attack_38_text_that_looks_like_an_option(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for way in ("overlay", "copy"):
        place = folder / way / name.replace("/", "\u2044")
        place.mkdir(parents=True)
        grounds = Grounds(place, way, monkeypatch)
        inner = grounds.root / name.replace("/", "\u2044")
        inner.mkdir()
        assert await grounds.prints("pwd; echo x > made") == f"{grounds.root}\n"
        assert (grounds.root / "made").exists()
        await grounds.fails(f"'{name}' / /mnt")
        assert not any(path.endswith("ran") for path in tree(folder))


async def test_attack_39_mounts_and_masked_paths(grounds: Grounds) -> None:
    for line in (
        "mount --bind / /tmp", "mount -t tmpfs x /usr", "umount /usr", "umount -l /proc", "mount -o remount,rw /",
        "mount -t proc x /tmp/home", "head -c 1 /proc/kcore", "pivot_root . .", "chroot /proc/1/root", "ls /sys/fs",
        "echo x > /dev/x", "head -c 1 /dev/mem", "head -c 1 /dev/sda", "head -c 1 /dev/kmsg",
    ):  # fmt: skip
        await grounds.fails(line)
    for name in (
        "sys/kernel/core_pattern",
        "sys/kernel/modprobe",
        "sys/vm/drop_caches",
        "sysrq-trigger",
        "1/oom_score_adj",
    ):
        await grounds.fails(f": >> /proc/{name}")  # nothing is written even where it can be opened


async def test_attack_40_what_no_project_can_hold(grounds: Grounds) -> None:
    line = r"""
python3 - <<'END'
import os, socket
os.mkfifo('pipe')
socket.socket(socket.AF_UNIX).bind('socket')
for name in ('device', 'src/gone'):
    try:
        os.mknod(name, 0o020000 | 0o600, os.makedev(0, 0))
    except PermissionError:
        pass
open('setuid', 'w').write('x'); os.chmod('setuid', 0o6755)
os.mkdir('opaque')
for name in ('user.overlay.opaque', 'user.overlay.redirect', 'user.overlay.whiteout', 'security.capability', 'user.x'):
    for place in ('opaque', 'main.py', 'src'):
        try:
            os.setxattr(place, name, b'y')
        except OSError:
            pass
open('n' * 255, 'w').write('long')
open(b'\xff\xfe\n', 'w').write('odd')
END
"""
    report = await grounds.run(line)
    assert {"pipe", "socket", "\udcff\udcfe\n"} <= report.landing.left_out.keys()
    assert not {"pipe", "socket", "device", "src/gone"} & set(os.listdir(grounds.root))
    assert stat.S_IMODE((grounds.root / "setuid").lstat().st_mode) == 0o755
    assert (grounds.root / ("n" * 255)).read_text() == "long"
    assert os.listxattr(grounds.root / "main.py") == os.listxattr(grounds.root / "src") == []
    assert (grounds.root / "src" / "app.py").read_text() == "value = 1\n", "a forged mark hides nothing"
    assert sorted(report.paths) == sorted(["n" * 255, "opaque", "setuid"])
