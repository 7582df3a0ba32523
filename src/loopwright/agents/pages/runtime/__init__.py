"""The files that all pages of an app share beside the design system: one script, the base of icons, and pictures."""

from loopwright.agents.pages.runtime.files import (
    FOLDER,
    STYLE,
    is_picture,
    runtime_file,
    runtime_files,
    runtime_path,
    script_parts,
    spoken_labels,
    stand_in,
    with_pictures,
)

__all__ = [
    "FOLDER",
    "STYLE",
    "is_picture",
    "runtime_file",
    "runtime_files",
    "runtime_path",
    "script_parts",
    "spoken_labels",
    "stand_in",
    "with_pictures",
]
