"""What an app keeps: how its lists have to do with each other, and the figures that are counted from them."""
