/** The completion scripts in the shells they are for, asking the real executable. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { checkTypes } from "@svc/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SVC } from "../harness/cli.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-completions-"));
  mkdirSync(join(folder, "bin"));
  const command = join(folder, "bin/svc");
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${SVC}" "$@"\n`);
  chmodSync(command, 0o755);
  writeFileSync(join(folder, "only-a-file.yaml"), "");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function isThere(shell: string): boolean {
  return spawnSync(shell, ["--version"]).status === 0;
}

/** @returns what the shell wrote, stderr included */
function run(shell: string, args: readonly string[], input = ""): string {
  const { stdout, stderr } = spawnSync(shell, args, {
    cwd: folder,
    env: {
      PATH: [join(folder, "bin"), process.env.PATH].join(delimiter),
      TERM: "xterm",
      HOME: folder,
      SHELL: shell,
    },
    input,
    encoding: "utf8",
    timeout: 60_000,
  });
  return stdout + stderr;
}

const TYPES = checkTypes.types.toSorted();

it("bash completes commands, flags and their values", () => {
  const asked = `eval "$(svc completions bash)"
try() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _svc; echo "$*: \${COMPREPLY[*]}"; }
try svc val; try svc init --type ""; try svc deploy --d; try svc pull -o only`;
  expect(run("bash", ["--norc", "-c", asked]).trim().split("\n")).toEqual([
    "svc val: validate",
    `svc init --type : ${TYPES.join(" ")}`,
    "svc deploy --d: --dry-run",
    "svc pull -o only:",
  ]);
});

it.runIf(isThere("fish"))(
  "fish completes commands, flags and their values, and files only where svc knows nothing (needs fish)",
  () => {
    const lines = ["svc val", "svc init --type ", "svc deploy --d", "svc pull -o only"];
    const asked = lines.map((line) => `complete -C"${line}"; echo =`).join("; ");
    const answers = run("fish", ["--no-config", "-c", `svc completions fish | source; ${asked}`]);
    expect(answers.split("=\n").map((answer) => answer.trim().split(/\s+/).sort())).toEqual([
      ["validate"],
      TYPES,
      ["--dry-run"],
      ["only-a-file.yaml"],
      [""],
    ]);
  },
);

/** Types into an interactive zsh and waits for what it shows. */
const TYPED_INTO_ZSH = `
zmodload zsh/zpty
zpty -b z zsh -f -i
type_and_see() {
  local shown= chunk
  zpty -w -n z "$1"
  for i in {1..600}; do
    while zpty -rt z chunk; do shown+=$chunk; done
    [[ "$shown" == *$2* ]] && { print -r -- "saw $2"; return }
    sleep 0.05
  done
  print -r -- "did not see $2 but \${(V)shown}"
}
type_and_see $'PS1="> "; autoload -Uz compinit; compinit -u -D; '"$1"$'; echo re""ady\\n' ready
type_and_see $'svc val\\t' 'svc validate'
type_and_see $'\\C-usvc init --type mc\\t' '--type mcp'
type_and_see $'\\C-usvc deploy --d\\t' 'deploy --dry-run'
type_and_see $'\\C-usvc pull -o only\\t' 'only-a-file.yaml'
zpty -d z
`;

it.runIf(isThere("zsh")).each([
  ["evaluated", 'eval "$(svc completions zsh)"'],
  [
    "as a file of fpath",
    "mkdir -p fp; svc completions zsh > fp/_svc; fpath=($PWD/fp $fpath); compinit -u -D",
  ],
])("zsh completes commands, flags, their values and files by the script %s (needs zsh)", (_how, setup) => {
  const shown = run("zsh", ["-f", "-s", setup], TYPED_INTO_ZSH);
  expect(shown.trim().split("\n")).toEqual([
    "saw ready",
    "saw svc validate",
    "saw --type mcp",
    "saw deploy --dry-run",
    "saw only-a-file.yaml",
  ]);
});
