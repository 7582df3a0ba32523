"""What an endpoint says of itself and what was measured of it, instead of guesses from its models' names."""
