"""The smallest patches that repair failed checks. Where none is certain, there is none: a wrong one is worse."""
