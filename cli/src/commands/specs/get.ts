/** Shows an API spec and its operations: `svc specs get`. */
import { printFields } from "../../output/print-fields.ts";
import { ago } from "../../output/times.ts";
import { getSpec, maskedSpec, SPEC_ARGUMENT } from "../../resources/specs/get-spec.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc specs get`. Credentials in the spec's URL are masked. */
export const command = defineCommand({
  summary: "show an API spec and its operations",
  answers: async () => (await import("../../answers/specs.ts")).specsGet,
  arguments: [SPEC_ARGUMENT],
  examples: ['specs get "Shop API"', "specs get spec_... --json"],
  async run(context, _options, [typed]) {
    const api = context.api();
    const { id } = await getSpec(api, typed as string);
    const { spec: asStored, operations } = await api.getSpec(id);
    const spec = maskedSpec(asStored);
    return {
      data: { spec, operations },
      print: (out) => {
        printFields(out, [
          ["Name", spec.name],
          ["Id", spec.id],
          ["Title", `${spec.title} ${spec.version}`],
          ["OpenAPI", spec.openapiVersion],
          ["From", spec.sourceUrl ?? "upload"],
          ["Updated", ago(spec.updatedAt ?? spec.createdAt, context.system.nowMs())],
        ]);
        out.line();
        out.table(
          [
            { title: "METHOD", value: ({ method }) => method.toUpperCase() },
            { title: "PATH", value: ({ path }) => path },
            { title: "SUMMARY", value: ({ summary, operationId }) => summary ?? operationId ?? "" },
          ],
          operations,
        );
      },
    };
  },
});
