/** Turns tags of any form into labels. Pure. */
import { LABELS_MAX, labelSchema } from "@svc/contract";

const LABEL_CHARACTERS_MAX = 128;

/** The labels, and the tags that had to be spelled otherwise or are left out. */
export interface LabelsOfTags {
  labels: string[];
  respelled: string[];
  left: string[];
}

/** Returns a label for each tag: characters that none can have become hyphens. Labels that are equal then are one. */
export function labelsOf(tags: readonly string[]): LabelsOfTags {
  const labels = new Set<string>();
  const respelled: string[] = [];
  const left: string[] = [];
  for (const tag of tags) {
    const label = tag
      .trim()
      .slice(0, 4 * LABEL_CHARACTERS_MAX)
      .replace(/[^a-zA-Z0-9_.:-]+/g, "-")
      .replace(/^[^a-zA-Z0-9]+/, "")
      .slice(0, LABEL_CHARACTERS_MAX);
    if (!labelSchema.safeParse(label).success || (labels.size >= LABELS_MAX && !labels.has(label)))
      left.push(tag);
    else {
      labels.add(label);
      if (label !== tag) respelled.push(tag);
    }
  }
  return { labels: [...labels], respelled, left };
}
