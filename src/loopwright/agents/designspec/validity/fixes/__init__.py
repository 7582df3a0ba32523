"""The smallest patches that mend failed checks. Where none is certain, there is none: a wrong one is worse."""
