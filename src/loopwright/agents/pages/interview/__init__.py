"""The interview: which decisions an app depends on, which of them are open, and what a changed answer changes.

One model of decisions serves the questions of `analyze_brief`, the offline model's interview, the check of the
questions that a model writes, and answers that are changed later.
"""
