/** Creates an SLO of a monitor or of a third party: `svc slos create`. */
import type { NewSlo } from "@svc/contract";
import { readFragment } from "../../fragments/read-fragment.ts";
import { SLO_FIELDS, SLO_OPTIONS, type SloOptions, sloBody } from "../../fragments/slo-options.ts";
import { generalError } from "../../runtime/cli-error.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Flags by the field of the request that they fill. */
const REQUIRED = {
  name: "--name",
  checkId: "--monitor or --pattern",
  targetBasisPoints: "--target",
  windowDays: "--window",
} as const;

/** Defines `svc slos create`. Flags win over the fields of `--file`. */
export const command = defineCommand<SloOptions>({
  summary: "create an SLO of a monitor, or of a third-party pattern",
  answers: async () => (await import("../../answers/slos.ts")).slosCreate,
  options: [
    { flags: "--name <name>", description: "name" },
    { flags: "--pattern <name-or-id>", description: "the third-party pattern that it is of" },
    ...SLO_OPTIONS,
  ],
  examples: [
    'slos create --name "Home page is up" --monitor "Home page" --target 99.9% --window 30d --channel "On call"',
    'slos create --name "CDN is up" --pattern "CDN" --target 99.5% --window 30d',
    "slos create --file slo.yaml",
  ],
  async run(context, options) {
    const api = context.api();
    const body = await sloBody(api, readFragment(context, options.file, SLO_FIELDS), options);
    const missing = Object.entries(REQUIRED).filter(
      ([field]) => !(field in body) && !(field === "checkId" && "patternId" in body),
    );
    if (missing.length > 0)
      throw generalError(
        `missing: ${missing.map(([, flag]) => flag).join(", ")} (or --file)`,
        "Run: svc slos create --help",
      );
    const slo = await api.createSlo({ sloType: "check", ...body } as NewSlo);
    return { data: { slo }, print: (out) => out.line(`Created ${out.text(slo.name)} (${slo.id}).`) };
  },
});
