/** Compares two surfaces of an MCP server. Pure. */
import type {
  ComparedText,
  McpSchemaDriftFacts,
  McpSurface,
  McpToolHints,
  McpToolSurface,
} from "@svc/contract";

type Change = NonNullable<McpSchemaDriftFacts["changes"]>[number];

/** Changes that are shown in full; the names of all changed tools are listed. */
const CHANGES_SHOWN_MAX = 50;
/** Characters that are shown of a text before, and of the text after. */
const SHOWN_CHARACTERS_MAX = 1_000;
/** Characters of a long text that are shown before its first difference. */
const CONTEXT_CHARACTERS = 100;

/** Returns the changes from `before` to `after`, two surfaces of one endpoint; undefined when nothing changed. */
export function driftBetween(before: McpSurface, after: McpSurface): McpSchemaDriftFacts | undefined {
  const known = new Map(before.tools.map((tool) => [tool.name, tool]));
  const present = new Set(after.tools.map(({ name }) => name));
  const changes = serverChanges(before.server, after.server);
  const server = changes.map(({ field }) => field);
  const modified: string[] = [];
  const escalated: string[] = [];
  for (const tool of after.tools) {
    const former = known.get(tool.name);
    if (!former) continue;
    const ofTool = toolChanges(former, tool);
    if (ofTool.length === 0) continue;
    modified.push(tool.name);
    if (isLessSafe(former.hints, tool.hints)) escalated.push(tool.name);
    changes.push(...ofTool);
  }
  const added = after.tools.filter(({ name }) => !known.has(name)).map(({ name }) => name);
  const removed = before.tools.filter(({ name }) => !present.has(name)).map(({ name }) => name);
  if (added.length + removed.length + modified.length + server.length === 0) return undefined;
  const shown = changes.slice(0, CHANGES_SHOWN_MAX);
  return { added, removed, modified, escalated, server, ...(shown.length > 0 ? { changes: shown } : {}) };
}

/** True when a tool may do more than before: write, destroy, repeat an effect, or reach the open world. */
export function isLessSafe(before: McpToolHints, after: McpToolHints): boolean {
  return (
    (before.readOnly && !after.readOnly) ||
    (!before.destructive && after.destructive) ||
    (before.idempotent && !after.idempotent) ||
    (!before.openWorld && after.openWorld)
  );
}

function serverChanges(before: McpSurface["server"], after: McpSurface["server"]): Change[] {
  const fields = ["name", "version", "protocolVersion"] as const;
  const changes: Change[] = fields
    .filter((field) => before[field] !== after[field])
    .map((field) => ({ tool: null, field, before: before[field], after: after[field] }));
  return [
    ...changes,
    ...textChange({ tool: null, field: "capabilities" }, before.capabilities, after.capabilities),
  ];
}

function toolChanges(before: McpToolSurface, after: McpToolSurface): Change[] {
  return (["description", "inputSchema", "annotations"] as const).flatMap((field) =>
    textChange({ tool: after.name, field }, before[field], after[field]),
  );
}

function textChange(
  subject: Pick<Change, "tool" | "field">,
  before: ComparedText,
  after: ComparedText,
): Change[] {
  if (before.digest === after.digest) return [];
  const from = Math.max(0, firstDifference(before.text, after.text) - CONTEXT_CHARACTERS);
  return [{ ...subject, before: shown(before.text, from), after: shown(after.text, from) }];
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

function shown(text: string, from: number): string {
  const isShort = text.length <= SHOWN_CHARACTERS_MAX;
  const part = isShort ? text : text.slice(from, from + SHOWN_CHARACTERS_MAX).toWellFormed();
  return part.length < text.length ? `${from > 0 ? "..." : ""}${part}...` : part;
}
