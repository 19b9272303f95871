"""The gateway: where bots join that run on their authors' machines."""
