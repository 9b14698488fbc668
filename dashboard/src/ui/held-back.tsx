/** Why nobody is notified of an alert by itself. */
import { PageLink } from "./page-link.tsx";
import { Text } from "./text.tsx";

/** Shows the sentence; it leads to the alert of the check that fails, or to the incident of the location. */
export function HeldBackText({
  heldBack: { text, instanceId, incidentId },
}: {
  heldBack: { text: string; instanceId: string | null; incidentId?: string | null | undefined };
}) {
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  if (incidentId != null)
    return (
      <PageLink page="incident" parameters={{ id: incidentId }}>
        <Text>{sentence}</Text>
      </PageLink>
    );
  if (instanceId === null) return <Text>{sentence}</Text>;
  return (
    <PageLink page="alert" parameters={{ id: instanceId }}>
      <Text>{sentence}</Text>
    </PageLink>
  );
}
