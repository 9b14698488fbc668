/** Joins the metrics of several processes, each of which labels its own, to one text in Prometheus' format. Pure. */

/** Returns the texts as one: each metric is described once, and followed by the samples of all. */
export function mergeMetrics(texts: readonly string[]): string {
  const families = new Map<string, { head: string[]; samples: string[] }>();
  for (const text of texts) {
    let family: { head: string[]; samples: string[] } | undefined;
    let isKnown = false;
    for (const line of text.split("\n")) {
      const [, kind, name] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? [];
      if (kind === "HELP" && name !== undefined) {
        family = families.get(name);
        isKnown = family !== undefined;
        family ??= { head: [], samples: [] };
        families.set(name, family);
      }
      if (family === undefined || line === "") continue;
      if (kind === undefined) family.samples.push(line);
      else if (!isKnown) family.head.push(line);
    }
  }
  return [...families.values()]
    .map(({ head, samples }) => `${[...head, ...samples].join("\n")}\n`)
    .join("\n");
}
