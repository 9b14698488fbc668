/** Lists who got or used access to the team's records: `svc audit`. */
import { type AuditAction, type AuditEntry, auditActions, subjectOf } from "@svc/contract";
import { type PageOptions, pageOptions } from "../lookup/pages.ts";
import { relativeTime } from "../output/times.ts";
import { defineCommand } from "../runtime/command.ts";

interface Options extends PageOptions {
  actor?: string;
  action?: AuditAction;
  from?: string;
  to?: string;
}

/** Defines `svc audit`. The service filters and pages. */
export const command = defineCommand<Options>({
  summary: "list sign-ins, keys, reads of secrets and changes of people, newest first",
  answers: async () => (await import("../answers/logs.ts")).audit,
  options: [
    { flags: "--actor <actor>", description: "only by this person or key: its id, email address or name" },
    { flags: "--action <action>", description: "only of this kind", choices: auditActions.types },
    { flags: "--from <instant>", description: "only of then and later, such as 2026-06-01T00:00:00Z" },
    { flags: "--to <instant>", description: "only before then" },
    ...pageOptions(),
  ],
  examples: ["audit", "audit --action sign_in.failed", "audit --actor olive@example.com --limit 100 --json"],
  async run(context, options) {
    const { entries, limit, offset } = await context.api().listAuditEntries(options);
    const nowMs = context.system.nowMs();
    return {
      data: { entries, limit, offset },
      print: (out) => {
        if (entries.length === 0) out.info("No such entries.");
        else out.table(columns(nowMs), entries);
      },
    };
  },
});

function columns(nowMs: number) {
  return [
    { title: "TIME", value: ({ createdAt }: AuditEntry) => relativeTime(Date.parse(createdAt), nowMs) },
    { title: "ACTION", value: ({ action }: AuditEntry) => action },
    {
      title: "WHO",
      value: ({ actorName, actor, actorKind }: AuditEntry) => actorName ?? actor ?? actorKind,
    },
    { title: "VIA", value: ({ via }: AuditEntry) => via },
    { title: "FROM", value: ({ address }: AuditEntry) => address ?? "" },
    { title: "ABOUT", value: subjectOf },
  ];
}
