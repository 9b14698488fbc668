/** Prints a script that asks this very program for the next words, so that it is never out of date: `svc completions`. */
import { basename } from "node:path";
import { generalError } from "../runtime/cli-error.ts";
import { defineCommand } from "../runtime/command.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

const SCRIPTS: Record<Shell, string> = {
  bash: `_svc() {
  local IFS=$'\\n'
  COMPREPLY=($(svc complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _svc svc`,
  zsh: `#compdef svc
_svc() {
  local -a candidates
  candidates=("\${(@f)$(svc complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$candidates" ]]; then compadd -a candidates; else _files; fi
}
if [ "$funcstack[1]" = "_svc" ]; then _svc "$@"; else compdef _svc svc; fi`,
  // The condition runs first and keeps the candidates that it found; files are completed only when there are none.
  fish: `function __svc_candidates
  set -g __svc_found (svc complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
  test (count $__svc_found) -gt 0
end
complete -c svc -e
complete -c svc -f -n __svc_candidates -a '$__svc_found'`,
};

/** Defines `svc completions`. Without a shell given, that of `$SHELL` is used. */
export const command = defineCommand({
  summary: "print a script that completes svc in your shell",
  answers: async () => (await import("../answers/account.ts")).completions,
  arguments: [
    { name: "[shell]", description: "bash, zsh or fish (default: that of $SHELL)", choices: SHELLS },
  ],
  examples: [
    "completions bash >> ~/.bashrc",
    'completions zsh > "${fpath[1]}/_svc"',
    "completions fish > ~/.config/fish/completions/svc.fish",
  ],
  async run({ out, system }, _options, [typed]) {
    const shell = typed ?? basename(system.env.SHELL ?? "");
    const script = SCRIPTS[shell as Shell];
    if (script === undefined)
      throw generalError(
        shell === "" ? "which shell? $SHELL is not set" : `there are no completions for ${shell}`,
        `Run: svc completions <${SHELLS.join("|")}>`,
      );
    if (out.isJson) return { data: { shell, script } };
    out.raw(script);
  },
});
