"""Networks: centre lines with radii, how they grow, and how they are kept clear of each other. All in metres."""
