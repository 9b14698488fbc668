/** Says what a form holds that begins with a check's values from before a change. */
import type { changeRoutes } from "@svc/contract";
import type { Answer } from "../../api/request.ts";
import { changedBetween } from "../../forms/changed-meanwhile.tsx";
import { instantText } from "../../time/format.ts";
import { Text } from "../../ui/text.tsx";
import type { CheckDraft } from "./body.ts";
import type { Restored } from "./restore.ts";

/**
 * Shows which fields differ from the check as it is stored, and which stay as they are now, with the reason.
 * @param props.restored undefined: the change is not among those that were read
 */
export function RestoreNote({
  stored,
  restored,
  change,
}: {
  stored: CheckDraft;
  restored: Restored | undefined;
  change: Answer<typeof changeRoutes.list>["changes"][number] | undefined;
}) {
  if (!restored || !change)
    return (
      <p role="status" className="problem">
        This change is not among the newest 100 of the check, or the change log has forgotten it: the form has
        the check as it is now.
      </p>
    );
  const fields = changedBetween(stored, restored.draft);
  return (
    <div role="status" className="panel">
      <p>
        {fields.length > 0
          ? `The form has the values from before the change of ${instantText(change.createdAt)}; later changes are undone, too. They differ from now in: ${fields.join(", ")}. Nothing is stored until you save.`
          : `The form has the check as it is now: nothing else is known from before the change of ${instantText(change.createdAt)}.`}
      </p>
      {restored.kept.length > 0 && (
        <>
          <p>These fields can't be restored, and stay as they are now:</p>
          <ul>
            {restored.kept.map(({ field, why }) => (
              <li key={field}>
                <Text>{field}</Text>: <Text>{why}</Text>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
