/** What the service would send of an event by a template, asked for as the template is written. */
import {
  type channelRoutes,
  type IncidentBodyPreview,
  type IncidentEventType,
  previewIncidentBodySchema,
} from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { request } from "../../api/request.ts";
import { useRested } from "../../ui/use-rested.ts";

/** A preview, or why there is none yet. */
export interface BodyPreview {
  preview: IncidentBodyPreview | undefined;
  /** True while the preview is of an earlier text. */
  isBehind: boolean;
  /** What is wrong with the template, in the words of the contract or the service. */
  problem: string | undefined;
  /** Why the service gave no preview. */
  failure: string | undefined;
}

/** Returns the preview of a template; of an empty one, that of the body that is sent without a template. */
export function useBodyPreview(eventType: IncidentEventType, template: string): BodyPreview {
  const written = JSON.stringify({ eventType, ...(template !== "" && { template }) });
  const asked = useRested(written);
  const body = previewIncidentBodySchema.safeParse(JSON.parse(written));
  const query = useQuery({
    queryKey: ["incident body preview", asked],
    queryFn: () =>
      request<typeof channelRoutes.preview>("POST", "/api/notification-channels/preview", {
        body: JSON.parse(asked),
      }),
    enabled: body.success,
    staleTime: 60_000,
    placeholderData: (before: IncidentBodyPreview | undefined) => before,
  });
  const isBehind = asked !== written || query.isPlaceholderData || query.isPending;
  const refusal = body.success ? undefined : body.error.issues[0]?.message;
  return {
    preview: query.data,
    isBehind,
    problem: refusal ?? (isBehind ? undefined : (query.data?.problem ?? undefined)),
    failure: query.error?.message,
  };
}
