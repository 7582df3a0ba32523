"""Bodies: domains, ridges, tubes, unions, embedding. All in metres, all exact booleans."""
