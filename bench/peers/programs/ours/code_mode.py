"""Code mode: the model writes a script over the tools; `loopwright runs resume RUN` goes on after a kill."""

from bank import transfer

from loopwright import Agent, run


def price(item: str) -> int:
    """Say what an item costs, in euros."""
    return {"tea": 2, "cake": 4}[item]


def pay(euros: int) -> str:
    """Pay."""
    return transfer(euros)


buyer = Agent("buyer", "Buy what you are told.", tools=[price, pay], code=True)

if __name__ == "__main__":
    print(run(buyer, "Buy tea and cake.").text)
