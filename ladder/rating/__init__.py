"""How strong the bots are: pure folds of the results."""
