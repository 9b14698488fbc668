import { defineReadinessProbe } from "./define.ts";
import { judged, servedText } from "./served.ts";

const NAME = "/.well-known/security.txt";

/** Looks for security.txt (RFC 9116): at least one Contact, and exactly one Expires, which lies in the future. */
export const securityTxt = defineReadinessProbe("security_txt", (site) =>
  servedText(NAME, site.fetch(NAME), ({ text }) => {
    const values = (field: string) =>
      [...text.matchAll(new RegExp(`^${field}:[ \\t]*(.+)$`, "gim"))].map(([, value = ""]) => value.trim());
    const contacts = values("Contact").length;
    const expires = values("Expires");
    const problems: string[] = [];
    if (contacts === 0) problems.push("it has no Contact");
    if (expires.length !== 1)
      problems.push(`it has ${expires.length === 0 ? "no" : "more than one"} Expires`);
    else if (Number.isNaN(Date.parse(expires[0] as string)))
      problems.push(`Expires is not a date: ${expires[0]}`);
    else if (Date.parse(expires[0] as string) <= site.nowMs) problems.push(`it expired on ${expires[0]}`);
    return judged(NAME, `${NAME} names ${contacts} contacts`, problems);
  }),
);
