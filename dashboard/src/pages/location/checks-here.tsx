/** The checks that run from a location. */
import type { ChecksSummary } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { summaryQuery } from "../../api/queries/summary.ts";
import { type CheckState, checkStates } from "../../status/words.ts";
import { numberText } from "../../time/format.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Text } from "../../ui/text.tsx";

/** Checks that are listed; the others are counted. */
const LISTED = 30;

interface CheckHere {
  id: string;
  name: string;
  state: CheckState;
  isFailingHere: boolean;
}

/** Shows the checks, those that fail here first. */
export function ChecksHere({ locationId }: { locationId: string }) {
  const summary = useQuery(summaryQuery);
  return (
    <Loaded query={summary}>
      {(parts) => {
        const checks = parts.flatMap((part) => checksAt(part, locationId));
        if (checks.length === 0) return <Empty>No check runs from here.</Empty>;
        const sorted = checks.sort((a, b) => Number(b.isFailingHere) - Number(a.isFailingHere));
        return (
          <>
            <ul className="plain checks-here" aria-label="Checks here">
              {sorted.slice(0, LISTED).map(({ id, name, state, isFailingHere }) => (
                <li key={id}>
                  <PageLink page="check" parameters={{ id }}>
                    <Text>{name}</Text>
                  </PageLink>{" "}
                  <span>
                    <State state={checkStates[state]} />
                    {isFailingHere && <span className="quiet"> fails here</span>}
                  </span>
                </li>
              ))}
            </ul>
            {sorted.length > LISTED && <p className="quiet">and {numberText(sorted.length - LISTED)} more</p>}
          </>
        );
      }}
    </Loaded>
  );
}

function checksAt(
  { locations, ids, names, enabled, health, locationsOf, failing }: ChecksSummary,
  locationId: string,
): CheckHere[] {
  const position = (locations as readonly string[]).indexOf(locationId);
  if (position < 0) return [];
  return ids.flatMap((id, i) => {
    if (!locationsOf[i]?.includes(position)) return [];
    const isEnabled = enabled[i] === true;
    return [
      {
        id,
        name: names[i] ?? id,
        state: isEnabled ? (health[i] ?? "unknown") : "paused",
        isFailingHere: isEnabled && failing[i]?.includes(position) === true,
      },
    ];
  });
}
