/** Copies checks as the YAML of a config, and says how that went. */
import { type checkRoutes, SELECTED_CHECKS_MAX } from "@svc/contract";
import { request } from "../../api/request.ts";
import { copyText } from "../../ui/copy-text.ts";
import { say } from "../../ui/messages.tsx";

/** Copies one check with its rules, SLOs and channels. */
export async function copyCheckAsCode(id: string): Promise<void> {
  await copied(
    () => request<typeof checkRoutes.getAsCode>("GET", "/api/checks/:id/as-code", { params: { id } }),
    "Copied, without its script: see the tab As code.",
  );
}

/** Copies several checks as one config. */
export async function copyChecksAsCode(ids: readonly string[]): Promise<void> {
  if (ids.length > SELECTED_CHECKS_MAX)
    return say({
      text: `At most ${SELECTED_CHECKS_MAX} checks are copied at once. Export project writes all of them.`,
      isProblem: true,
    });
  await copied(
    () =>
      request<typeof checkRoutes.getTeamAsCode>("GET", "/api/as-code", {
        query: { checkIds: ids.join(",") } as never,
      }),
    "Copied, without the scripts: Export project has them.",
  );
}

/** @param withoutScripts said where the config has files beside it */
async function copied(
  read: () => Promise<{ files: { text: string }[]; reason: string | null }>,
  withoutScripts: string,
): Promise<void> {
  try {
    const { files, reason } = await read();
    const [config] = files;
    if (!config) return say({ text: reason ?? "No config describes this.", isProblem: true });
    await copyText(config.text);
    say({ text: files.length > 1 ? withoutScripts : "Copied." });
  } catch (error) {
    say({ text: (error as Error).message, isProblem: true });
  }
}
