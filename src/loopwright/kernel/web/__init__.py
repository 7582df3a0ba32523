"""The open web, as tools may reach it: public hosts only, with limits of size and time."""
