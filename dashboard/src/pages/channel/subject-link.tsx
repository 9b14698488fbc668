/** A link to the record that a notification is about. */
import type { ID_PREFIXES } from "@svc/contract";
import { PageLink } from "../../ui/page-link.tsx";

const ALERT: (typeof ID_PREFIXES)["alertInstance"] = "ainst";
const INCIDENT: (typeof ID_PREFIXES)["incident"] = "inc";

/** Shows a link to an alert or an incident; the id alone for a record without a page. */
export function SubjectLink({ id }: { id: string }) {
  if (id.startsWith(`${ALERT}_`))
    return (
      <PageLink page="alert" parameters={{ id }}>
        the alert
      </PageLink>
    );
  if (id.startsWith(`${INCIDENT}_`))
    return (
      <PageLink page="incident" parameters={{ id }}>
        the incident
      </PageLink>
    );
  return <code>{id}</code>;
}
