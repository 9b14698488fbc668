/** Why nobody is notified of an alert by itself. */
import { PageLink } from "./page-link.tsx";
import { Text } from "./text.tsx";

/** Shows the sentence; it leads to the alert of the check that fails. */
export function HeldBackText({
  heldBack: { text, instanceId },
}: {
  heldBack: { text: string; instanceId: string | null };
}) {
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  if (instanceId === null) return <Text>{sentence}</Text>;
  return (
    <PageLink page="alert" parameters={{ id: instanceId }}>
      <Text>{sentence}</Text>
    </PageLink>
  );
}
