/** What the check would do to the capacity of its locations, where there is little left or nothing that runs it. */
import { capacityLine, capacityWarning, runKindOf } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { type CapacityChange, capacityPreviewQuery } from "../../api/queries/capacity.ts";
import { Text } from "../../ui/text.tsx";
import { useRested } from "../../ui/use-rested.ts";
import { type CheckDraft, configKeyOf } from "./body.ts";

/** Share from which on a location is named, in basis points. */
const NAMED_BASIS_POINTS = 6_000;
const LOCATIONS_MAX = 100;
const FREQUENCY_SECONDS = { min: 10, max: 86_400 };

/** Shows the hints. Asks only once the frequency, the locations and the type rest. @param props.checkId null: a new check */
export function CapacityHint({ draft, checkId }: { draft: CheckDraft; checkId: string | null }) {
  const rested = useRested(JSON.stringify(changeOf(draft, checkId)));
  const change: CapacityChange | null = JSON.parse(rested);
  const { data } = useQuery({ ...capacityPreviewQuery(change ? [change] : []), enabled: change !== null });
  const named = (change && data?.locations.filter(({ after }) => isNamed(after))) ?? [];
  return (
    <div role="status" aria-label="Capacity of the locations">
      {named.map((step) => {
        const warning = capacityWarning(step.name, step.after, { isPlanned: true });
        return (
          <p key={step.locationId} className={warning === undefined ? "hint" : "problem"}>
            <Text>{warning ?? capacityLine(step)}</Text>
          </p>
        );
      })}
    </div>
  );
}

function isNamed({ shareBasisPoints }: { shareBasisPoints: number | null }): boolean {
  return shareBasisPoints === null || shareBasisPoints > NAMED_BASIS_POINTS;
}

/** Returns the change that saving the draft would make; null while the draft says no schedule that can be saved. */
function changeOf(draft: CheckDraft, checkId: string | null): CapacityChange | null {
  const { type, frequencySeconds, locations, enabled } = draft;
  const { min, max } = FREQUENCY_SECONDS;
  if (!Number.isInteger(frequencySeconds) || Number(frequencySeconds) < min || Number(frequencySeconds) > max)
    return null;
  if (!Array.isArray(locations) || locations.length === 0 || locations.length > LOCATIONS_MAX) return null;
  const config = draft[configKeyOf(type)];
  const runKind = typeof config === "object" && config !== null ? runKindOf(type, { ...config }) : undefined;
  return {
    ...(checkId !== null && { checkId }),
    after: {
      type,
      ...(runKind !== undefined && { runKind }),
      frequencySeconds: Number(frequencySeconds),
      locations,
      enabled: enabled !== false,
    },
  };
}
