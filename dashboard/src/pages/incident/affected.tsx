/** The checks of an incident against their locations: how each stands now, and how it stood at its worst. */

import { useLocationNames } from "../../api/location-names.ts";
import { alertStates, resultStates } from "../../status/words.ts";
import { HeldBackText } from "../../ui/held-back.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";
import type { AffectedCheck, Standing } from "./matrix.ts";
import type { useAffected } from "./use-affected.ts";

/** Shows the matrix. */
export function Affected({ affected }: { affected: ReturnType<typeof useAffected> }) {
  const { rows, hiddenCount, locationIds, standing, isKnown } = affected;
  const names = useLocationNames();
  const columns: Column<AffectedCheck>[] = [
    { title: "Check", cell: (row) => <CheckCell row={row} /> },
    { title: "Alert", cell: (row) => <AlertCell row={row} /> },
    ...locationIds.map((locationId) => ({
      title: names.get(locationId) ?? locationId,
      cell: ({ checkId }: AffectedCheck) => {
        const known = checkId === null ? undefined : standing(checkId, locationId);
        return known ? (
          <Cell checkId={checkId as string} standing={known} />
        ) : (
          <span className="quiet">not here</span>
        );
      },
    })),
  ];
  return (
    <Panel title="Affected">
      {rows.length === 0 ? (
        <Empty>The alerts of this incident are gone, with their checks.</Empty>
      ) : (
        <div aria-busy={!isKnown}>
          <Table name="Affected" rows={rows} keyOf={({ alerts }) => alerts[0]?.id ?? ""} columns={columns} />
        </div>
      )}
      {hiddenCount > 0 && (
        <p className="quiet">
          And {hiddenCount} further {hiddenCount === 1 ? "check" : "checks"}; these fired first.
        </p>
      )}
    </Panel>
  );
}

function CheckCell({ row: { checkId, name } }: { row: AffectedCheck }) {
  if (checkId === null) return <Text>{name}</Text>;
  return (
    <PageLink page="check" parameters={{ id: checkId }}>
      <Text>{name}</Text>
    </PageLink>
  );
}

function AlertCell({ row: { alerts } }: { row: AffectedCheck }) {
  const [newest] = alerts;
  if (!newest) return null;
  return (
    <>
      <State state={alertStates[newest.state]} />
      <div className="below">
        <PageLink page="alert" parameters={{ id: newest.id }}>
          {alerts.length > 1 ? `The newest of ${alerts.length}` : "Why it fired"}
        </PageLink>
      </div>
      {newest.heldBack && (
        <div className="below">
          <HeldBackText heldBack={newest.heldBack} />
        </div>
      )}
    </>
  );
}

/** Shows one cell. The worst is left out where it is no other than now. */
function Cell({ checkId, standing: { now, worst, worstResultId } }: { checkId: string; standing: Standing }) {
  if (worst === undefined && now === undefined) return <span className="quiet">No result</span>;
  const word = worst === undefined ? undefined : `Worst: ${resultStates[worst].word}`;
  return (
    <>
      {now === undefined ? <span className="quiet">No result now</span> : <State state={resultStates[now]} />}
      {word !== undefined && (
        <div className="below">
          {worst === "success" || worstResultId === undefined ? (
            word
          ) : (
            <PageLink page="result" parameters={{ id: checkId, resultId: worstResultId }}>
              {word}
            </PageLink>
          )}
        </div>
      )}
    </>
  );
}
