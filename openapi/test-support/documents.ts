/** Documents for tests. */

/** A valid document with one operation; `parts` replace its fields. */
export function aDocument(parts: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    openapi: "3.0.3",
    info: { title: "Pets", version: "1.0" },
    paths: { "/pets": { get: { responses: { 200: { description: "ok" } } } } },
    ...parts,
  };
}

/** A valid document of about `bytes` bytes: a real one's shape, repeated under other names. */
export function aLargeDocument(document: Record<string, unknown>, bytes: number): string {
  const paths = document.paths as Record<string, unknown>;
  const copies: Record<string, unknown> = {};
  const size = JSON.stringify(paths).length;
  for (let copy = 0; copy * size < bytes; copy++)
    for (const [path, item] of Object.entries(paths)) copies[`/copy-${copy}${path}`] = withOwnIds(item, copy);
  return JSON.stringify({ ...document, paths: copies });
}

function withOwnIds(item: unknown, copy: number): unknown {
  return JSON.parse(JSON.stringify(item), (key, value) =>
    key === "operationId" ? `${value}-${copy}` : value,
  );
}
