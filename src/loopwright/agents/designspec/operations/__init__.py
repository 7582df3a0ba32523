"""Small typed operations on the design, in millimetres: what a model says instead of raw patches."""
