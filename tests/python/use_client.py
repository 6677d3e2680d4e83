"""Uses the client that is generated from the description of `spar serve`: lists runs, reads one, checks a
configuration, and starts and stops a run.

    use_client.py ADDRESS TOKEN_FILE CONFIGURATION
"""

import sys
import time
from pathlib import Path

from spar_client.api.control import check, control, order, start
from spar_client.api.runs import list_runs, read_run
from spar_client.client import AuthenticatedClient
from spar_client.models import Configuration, Refusal, Start, Steer, SteerDo

# Longer than anything takes on a busy machine.
PATIENCE = 600

address, token_file, configuration = sys.argv[1:]
token = Path(token_file).read_text().strip()
toml = Path(configuration).read_text()
client = AuthenticatedClient(base_url=address, token=token, timeout=PATIENCE)


def wait_for(what, is_so):
    """Asks until the answer is as it should be."""
    deadline = time.monotonic() + PATIENCE
    while True:
        answer = what()
        if is_so(answer):
            return answer
        assert time.monotonic() < deadline, answer


runs = wait_for(lambda: list_runs.sync(client=client), lambda all: all.runs and all.runs[0].state == "finished").runs
run = read_run.sync(runs[0].name, client=client)
assert (run.units, run.entrants, run.started_by) == (12, ["a", "b"], None), run
assert isinstance(read_run.sync("none", client=client), Refusal)

found = check.sync(client=client, body=Configuration(toml=toml))
assert (found.kind, found.name) == ("match", "long"), found
wrong = check.sync(client=client, body=Configuration(toml="[match]\npairs = 'many'"))
assert isinstance(wrong, Refusal) and wrong.line == 2, wrong

begun = start.sync(client=client, body=Start(toml=toml, priority=1))
told = wait_for(lambda: control.sync(client=client), lambda told: told.playing and told.playing.run)
assert told.playing.id == begun.id and told.you.name == "sam", told
name = told.playing.run
order.sync(name, client=client, body=Steer(do=SteerDo.STOP))
told = wait_for(lambda: control.sync(client=client), lambda told: told.ended)
assert (told.ended[0].run, told.ended[0].failed, told.ended[0].started_by) == (name, False, "sam"), told
print(run.name, name)
