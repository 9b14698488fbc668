/** Stores an OpenAPI document from a file, standard input or a URL, or replaces one: `svc specs upload`. */
import { type ApiClient, counted, type Spec } from "@svc/contract";
import { getSpec, maskedSpec } from "../../resources/specs/get-spec.ts";
import { readDocument } from "../../resources/specs/read-document.ts";
import { defineCommand } from "../../runtime/command.ts";

interface Options {
  name?: string;
  replace?: string;
}

/** The service fetches and reads large documents within a minute. */
const TIMEOUT_MS = 120_000;

/** Defines `svc specs upload`. The service fetches a URL; a file is read here. */
export const command = defineCommand<Options>({
  summary: "store an OpenAPI document, from a file or a URL, or replace one",
  answers: async () => (await import("../../answers/specs.ts")).specsUpload,
  arguments: [{ name: "<file-or-url>", description: "JSON or YAML; - reads standard input" }],
  options: [
    { flags: "--name <name>", description: "what it is called (default: the document's title)" },
    { flags: "--replace <name-or-id>", description: "replace the document of this spec" },
  ],
  examples: [
    "specs upload openapi.yaml",
    "specs upload https://api.example.org/openapi.json --name Shop",
    "specs upload openapi.yaml --replace Shop",
  ],
  async run(context, options, [typed]) {
    const document = documentOf(typed as string, context.system.cwd);
    const api = context.api({ timeoutMs: TIMEOUT_MS });
    context.out.progress("Storing the document ...");
    const spec = maskedSpec(await store(api, document, options));
    return {
      data: { spec, replaced: options.replace !== undefined },
      print: (out) =>
        out.line(
          `Stored ${out.text(spec.name)} (${spec.id}) with ${counted(spec.operationCount, "operation")}.`,
        ),
    };
  },
});

type Document = { sourceType: "url"; sourceUrl: string } | { sourceType: "upload"; content: string };

function documentOf(typed: string, cwd: string): Document {
  return /^https?:\/\//i.test(typed)
    ? { sourceType: "url", sourceUrl: typed }
    : { sourceType: "upload", content: readDocument(typed, cwd) };
}

async function store(api: ApiClient, document: Document, { name, replace }: Options): Promise<Spec> {
  const named = name === undefined ? {} : { name };
  if (replace === undefined) return await api.createSpec({ ...document, ...named });
  const { id } = await getSpec(api, replace);
  return await api.updateSpec(id, { ...document, ...named });
}
