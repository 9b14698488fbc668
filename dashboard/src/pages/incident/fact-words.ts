/** The facts of a hypothesis in plain words. The service writes them as `<dimension>: <fact>` and `<dimension>:<value>`. No I/O. */
import { errorCategories } from "../../status/error-categories.ts";

/** A fact as it is shown. */
export interface Fact {
  /** What the fact is about: `Deployment`. */
  about: string;
  text: string;
}

/** Names of the dimensions; one that is not among them is shown as it is written. */
const DIMENSIONS: Readonly<Record<string, string>> = {
  availability: "Availability",
  certificate: "Certificate",
  condition: "Condition",
  deployment: "Deployment",
  dns: "Name",
  domain: "Domain",
  error_category: "Failure",
  host: "Host",
  http_status: "HTTP status",
  label: "Label",
  location: "Location",
  maintenance: "Maintenance",
  network: "Network",
  runner: "Runner",
  target: "Target",
  tls: "Encryption",
};

/** Returns an entry of `ruledIn` or `ruledOut` in words. */
export function factOf(entry: string): Fact {
  const [kind, value] = split(entry);
  if (kind === undefined) return { about: "Fact", text: entry };
  if (kind !== "error_category") return { about: aboutOf(kind), text: withoutCodes(value) };
  const [, category = "", rest = ""] = /^(\w+)(.*)$/.exec(value) ?? [];
  return { about: aboutOf(kind), text: `${categoryText(category)}${rest}` };
}

/**
 * Returns the entries of `correlationDimensionsMatched` in words. Locations of equal failures are one fact.
 * @param nameOf names a location by its id
 */
export function sharedFactsOf(entries: readonly string[], nameOf: (locationId: string) => string): Fact[] {
  const locations = new Map<string, string[]>();
  const facts: Fact[] = [];
  for (const entry of entries) {
    const [kind, value] = split(entry);
    const [locationId = "", category = ""] = value.split("+");
    if (kind === "location+error_category")
      locations.set(category, [...(locations.get(category) ?? []), nameOf(locationId)]);
    else facts.push(sharedFactOf(entry, nameOf));
  }
  for (const [category, names] of locations)
    facts.push({ about: "Locations", text: `${names.join(", ")}: ${categoryText(category)}` });
  return facts;
}

function sharedFactOf(entry: string, nameOf: (locationId: string) => string): Fact {
  const [kind, value] = split(entry);
  if (kind === undefined) return { about: "Fact", text: entry };
  const about = aboutOf(kind);
  if (kind === "error_category") return { about, text: categoryText(value) };
  if (kind === "location") return { about, text: nameOf(value) };
  if (kind === "certificate") return { about, text: `the certificate ${value.slice(0, 16)} …` };
  return { about, text: value };
}

/** Returns how sure a confidence is, in words. @param confidence from 0 to 1 */
export function confidenceWords(confidence: number): string {
  if (confidence >= 0.85) return "very likely";
  if (confidence >= 0.6) return "likely";
  return confidence >= 0.4 ? "possible" : "a guess";
}

/** Returns a sentence of the service whose code at its begin, such as `status_code:`, reads as words. */
export function sentenceOf(text: string): string {
  const [code] = /^[a-z]+(_[a-z]+)*(?=: )/.exec(text) ?? [];
  if (code === undefined) return text;
  return `${code.charAt(0).toUpperCase()}${code.slice(1).replaceAll("_", " ")}${text.slice(code.length)}`;
}

function split(entry: string): [kind: string | undefined, value: string] {
  const at = entry.indexOf(":");
  return at < 0 ? [undefined, entry] : [entry.slice(0, at), entry.slice(at + 1).trim()];
}

function aboutOf(kind: string): string {
  return DIMENSIONS[kind] ?? withoutCodes(kind).replace(/^./, (first) => first.toUpperCase());
}

function categoryText(category: string): string {
  return (errorCategories as Readonly<Record<string, string>>)[category] ?? withoutCodes(category);
}

/** Codes of one word after another, such as `failure_ratio`, are read as words. */
function withoutCodes(text: string): string {
  return /^[a-z]+(_[a-z]+)+$/.test(text) ? text.replaceAll("_", " ") : text;
}
