"""The plumbing of a Courtyard bot in Python. It needs no edits: a bot is a strategy.

    from courtyard_kit.courtisans import Action, Position, run


    def choose(position: Position) -> Action:
        return position.random_action()


    run(choose, name="mine")

`connection` speaks the protocol; each game has a module with what its strategies see.
"""
