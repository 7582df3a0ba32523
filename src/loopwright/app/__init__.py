"""The composition root: settings, wiring and use cases. The only layer that knows all others below the surfaces."""
