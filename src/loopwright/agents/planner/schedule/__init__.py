"""Scheduling: the problem, the solver, the proof that there is no answer, and a checker that trusts none of them."""
