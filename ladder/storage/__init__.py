"""The ladder's database. Nothing else in Courtyard speaks SQL.

`schema` names the tables, `database` opens it and gives out transactions; `bots`, `matches`,
`ratings` and others hold what can be asked and done within one. A use case opens a transaction and
calls them, so what belongs together is stored together or not at all.
"""
