/** Says where API keys are managed: `svc keys`. People who are signed in manage them, not an API key. */
import { generalError } from "../runtime/cli-error.ts";
import { defineCommand } from "../runtime/command.ts";

const REASON =
  "API keys are created, listed and revoked in the dashboard: a key can't make or see other keys";

/** Defines `svc keys`. Any further word is an error that says where to look instead. */
export const command = defineCommand({
  summary: "tell where API keys are managed",
  answers: async () => (await import("../answers/account.ts")).keys,
  arguments: [{ name: "[words...]", description: "what was looked for" }],
  examples: ["keys"],
  async run(context, _options, words) {
    const url = context.apiUrl();
    if (words.length > 0)
      throw generalError(REASON, `Dashboard: ${url}\nThis machine's own key: svc login, svc logout --revoke`);
    return {
      data: { message: REASON, dashboardUrl: url },
      print: (out) => {
        out.line(`${REASON}.`);
        out.line(`Dashboard:                     ${url}`);
        out.line("A key for this machine:        svc login");
        out.line("Revoke this machine's key:     svc logout --revoke");
        out.line("A key for CI:                  create one in the dashboard and set SVC_API_KEY");
      },
    };
  },
});
