"""What the controller does with a directive: patches and runs behind their gates, questions, the turn's account."""
