/** An incident as Markdown, to be pasted where people talk about it. No I/O. */
import { incidentStates, severityWords } from "../../status/words.ts";
import { confidenceWords, factOf } from "./fact-words.ts";
import type { ShownAnnotation, Triage } from "./triage.ts";

/** Returns the summary. @param changes changes of the hour before @param url address of the page */
export function summaryText(
  { incident, alerts }: Pick<Triage, "incident" | "alerts">,
  changes: readonly ShownAnnotation[],
  url: string,
): string {
  const { title, state, severity, openedAt, hypothesis } = incident;
  const checks = new Map(alerts.map((alert) => [alert.checkName ?? "third party", alert.state]));
  const list = (heading: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", `**${heading}**`, ...lines.map((line) => `- ${escaped(line)}`)];
  return [
    `## ${escaped(title)}`,
    "",
    `${severityWords[severity]}, ${incidentStates[state].word.toLowerCase()}, since ${openedAt}. [Triage](${url})`,
    "",
    `**Likely cause** (${Math.round(hypothesis.confidence * 100)} %, ${confidenceWords(hypothesis.confidence)}): ${escaped(hypothesis.summary)}`,
    ...list("Speaks for it", hypothesis.ruledIn.map(factText)),
    ...list("Excluded", hypothesis.ruledOut.map(factText)),
    ...list(
      "Affected",
      [...checks].map(([name, alertState]) => `${name}: alert ${alertState}`),
    ),
    ...list(
      "Changed in the hour before",
      changes.map(({ at, title: change }) => `${at} ${change}`),
    ),
    "",
  ].join("\n");
}

function factText(entry: string): string {
  const { about, text } = factOf(entry);
  return `${about}: ${text}`;
}

/** Escapes what Markdown would read as formatting, links or HTML; the text may be a target's. */
function escaped(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_[\]<>#|]/g, "\\$&");
}
