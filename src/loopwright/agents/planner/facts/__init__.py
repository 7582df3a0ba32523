"""The facts that the user states: in an outline, in sessions, as contradictions, shown, changed, and as a diff."""
