"""Has schemathesis try the interface of a server: what its description allows, and what it forbids. Each answer must be
one that is described: its status, its type, its body.

    try_api.py ADDRESS [TOKEN_FILE]
"""

import sys
from pathlib import Path

from schemathesis.cli import schemathesis

# The Rust tests call these: streams that have no end of their own, and engines that think for as long as asked.
STREAMS = ["events", "runEvents", "analyseGame", "analyseBoard"]
CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
]

address, *token_file = sys.argv[1:]
words = ["run", f"{address}/api/openapi.json", "--url", address, "--checks", ",".join(CHECKS)]
words += ["--phases", "examples,coverage,fuzzing", "--max-examples", "12", "--seed", "1", "--workers", "1"]
words += ["--generation-database", "none", "--request-timeout", "300", "--continue-on-failure", "--no-color"]
for name in STREAMS:
    words += ["--exclude-operation-id", name]
if token_file:
    words += ["--header", f"Authorization: Bearer {Path(token_file[0]).read_text().strip()}"]
schemathesis(words)
