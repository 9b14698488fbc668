import { type IncidentId, type IncidentNote, newId } from "@svc/contract";
import { findActorName } from "../../accounts/audit/store.ts";
import { assertWithinCaps } from "../../accounts/caps/assert-within-caps.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { changeIncident } from "./change-incident.ts";
import { insertNote } from "./event-store.ts";

/** The incident and the note to add. */
export interface AddNoteInput {
  id: IncidentId;
  /** Text of the note. */
  body: string;
}

/**
 * Adds a note of the author's to an incident in any state.
 * @throws DomainError `not_found`, or `limit_exceeded` when the team has as many notes as it may
 */
export async function addNote(
  { services, teamId, author }: TeamContext,
  { id: incidentId, body }: AddNoteInput,
): Promise<IncidentNote> {
  if (author.actor === null) throw new TypeError("a note needs a person who writes it");
  const note = { id: newId("incidentNote"), incidentId, body, authorId: author.actor };
  const { updatedAt } = await changeIncident(services, {
    teamId,
    id: incidentId,
    decide: async (row, createdAt, trx) => {
      await insertNote(trx, row, { ...note, createdAt });
      await assertWithinCaps(trx, { services, teamId });
      return {
        type: "note_added",
        actorId: note.authorId,
        detail: { note: { id: note.id, body } },
        patch: {},
      };
    },
  });
  const authorName = await findActorName(services.knex, note.authorId);
  return { ...note, authorName, createdAt: updatedAt as string };
}
