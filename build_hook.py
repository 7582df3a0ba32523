"""What the wheel has instead of files of the source tree: data in JSON without the space that is there for people."""

import json
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = "src"
PACKAGE = "src/loopwright"


class CompactData(BuildHookInterface[Any]):
    """Puts the same values in fewer bytes into the wheel; an editable install has the files themselves."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the compact files, and name them to the builder, which takes them in place of the others."""
        if version == "editable":
            return
        root = Path(self.root)
        self.folder = tempfile.TemporaryDirectory()
        for path in sorted((root / PACKAGE).rglob("*.json")):
            target = Path(self.folder.name) / path.relative_to(root / SOURCE)
            target.parent.mkdir(parents=True, exist_ok=True)
            value = json.loads(path.read_text(encoding="utf-8"))
            target.write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
            build_data["force_include"][str(target)] = path.relative_to(root / SOURCE).as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the compact files."""
        if version != "editable":
            self.folder.cleanup()
