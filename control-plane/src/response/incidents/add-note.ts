import { type AddIncidentNote, type IncidentNote, newId, type TeamId } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import { changeIncident } from "./change-incident.ts";
import { insertNote } from "./event-store.ts";

/** Puts a note to an incident, in whatever state it is. @throws DomainError not_found */
export async function addNote(
  services: Services,
  teamId: TeamId,
  incidentId: string,
  authorId: string,
  { body }: AddIncidentNote,
): Promise<IncidentNote> {
  const id = newId("incidentNote");
  let note: IncidentNote | undefined;
  await changeIncident(services, teamId, incidentId, async (row, trx, createdAt) => {
    note = { id, incidentId, body, authorId, createdAt };
    await insertNote(trx, row.key, note);
    return { type: "note_added", actorId: authorId, detail: { note: { id, body } }, patch: {} };
  });
  return note as unknown as IncidentNote;
}
