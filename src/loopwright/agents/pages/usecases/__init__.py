"""What people and programs do with this agent: the commands and the routes stand on these functions."""
