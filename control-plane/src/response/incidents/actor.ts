import { type IncidentActor, isId } from "@svc/contract";

/** Returns the type of whoever has this id: a person, a channel whose link was used, or, for null, the service itself. */
export function actorTypeOf(actorId: string | null): IncidentActor["type"] {
  if (actorId === null) return "system";
  return isId("channel", actorId) ? "channel" : "user";
}
