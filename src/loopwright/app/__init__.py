"""The composition root: settings, wiring and use cases. The only floor that knows all others below the surfaces."""
