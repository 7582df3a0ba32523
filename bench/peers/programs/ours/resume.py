"""A payment that is killed in the middle; `loopwright runs resume RUN` goes on."""

from bank import transfer

from loopwright import Agent, run


def pay(euros: int) -> str:
    """Pay."""
    return transfer(euros)


payer = Agent("payer", "Pay what you are told.", tools=[pay])

if __name__ == "__main__":
    print(run(payer, "Pay 3 euros.").text)
