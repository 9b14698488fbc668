/** Lists the API specs: `svc specs list`. */
import { ago } from "../../output/times.ts";
import { maskedSpec } from "../../resources/specs/get-spec.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc specs list`. Credentials in the specs' URLs are masked. */
export const command = defineCommand({
  summary: "list the API specs",
  answers: async () => (await import("../../answers/specs.ts")).specsList,
  examples: ["specs list", "specs list --json"],
  async run(context) {
    const specs = (await context.api().listSpecs()).map(maskedSpec);
    const nowMs = context.system.nowMs();
    return {
      data: { specs },
      print: (out) => {
        if (specs.length === 0) out.info("No API specs. Run: svc specs upload openapi.yaml");
        else
          out.table(
            [
              { title: "NAME", value: ({ name }) => name },
              { title: "VERSION", value: ({ version }) => version },
              { title: "OPENAPI", value: ({ openapiVersion }) => openapiVersion },
              { title: "OPERATIONS", value: ({ operationCount }) => String(operationCount), align: "right" },
              { title: "FROM", value: ({ sourceUrl }) => sourceUrl ?? "upload" },
              { title: "UPDATED", value: ({ updatedAt, createdAt }) => ago(updatedAt ?? createdAt, nowMs) },
              { title: "ID", value: ({ id }) => id },
            ],
            specs,
          );
      },
    };
  },
});
