import { defineReadinessProbe } from "./define.ts";
import { judged, readJsonObject, servedText } from "./served.ts";

const NAME = "/.well-known/api-catalog";

/** Looks for an API catalog (RFC 9727): a link set in JSON (RFC 9264). */
export const apiCatalog = defineReadinessProbe("api_catalog", (site) =>
  servedText(NAME, site.fetch(NAME, "application/linkset+json, application/json;q=0.9"), (document) => {
    const { object, problem } = readJsonObject(document);
    const linkset = object?.linkset;
    const problems: string[] = [];
    if (!document.contentType.startsWith("application/linkset+json"))
      problems.push(`its content type is ${document.contentType || "missing"}, not application/linkset+json`);
    if (problem !== undefined) problems.push(problem);
    else if (!Array.isArray(linkset)) problems.push('it is not a JSON object with an array "linkset"');
    else if (linkset.length === 0) problems.push("its linkset is empty");
    const contexts = Array.isArray(linkset) ? linkset.length : 0;
    return judged(NAME, `${NAME} lists ${contexts} link contexts`, problems);
  }),
);
