"""The jobs agent (spec 003): long jobs in strategic and tactical phases, with files as memory."""
