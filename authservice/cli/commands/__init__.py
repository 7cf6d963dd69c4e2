"""The commands, one module each, and what each is for."""

SUMMARIES = {
    "check": "examine configuration and machine before a deployment",
    "verify": "examine a deployed service from outside",
    "local": "serve local mode on a port and a database of its own",
    "migrate": "bring the database up to date",
    "oauth:register": "register an OAuth client",
    "clients": "list and change the registered clients",
    "users": "list, export and delete the people who have signed in, or release an address",
    "admission": "renew the numbers of names in rules, and test whom the rules let in",
    "provider": "let another identity provider tell who people are",
    "keys": "list and change the signing keys",
    "cleanup": "delete rows that have expired",
    "backup": "copy the SQLite database while the service runs",
    "restore": "replace the SQLite database by a backup",
    "sign-out-everyone": "end every session and revoke every token",
}
