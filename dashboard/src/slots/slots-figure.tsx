/** The slots of all locations of a check, drawn or as a table. */
import "./slots.css";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { slotsQuery } from "../api/queries/history.ts";
import { missingReasons } from "../status/words.ts";
import { instantText } from "../time/format.ts";
import { Empty, Loaded } from "../ui/panel.tsx";
import { Table } from "../ui/table.tsx";
import { Text } from "../ui/text.tsx";
import type { PageRange } from "../ui/use-range.ts";
import { SlotLegend } from "./legend.tsx";
import { SlotRow, type StripFacts } from "./strip.tsx";
import { cellText } from "./words.ts";

/** What is shown, and where. */
export interface SlotsFigureProps {
  check: StripFacts["check"];
  range: PageRange;
  /** Cells of each location, at most. */
  cells: number;
  nameOf(locationId: string): string;
}

/** Shows how each location's slots turned out. */
export function SlotsFigure({ check, range, cells, nameOf }: SlotsFigureProps) {
  const query = useQuery(slotsQuery(check.id, range, cells));
  const [isTable, setIsTable] = useState(false);
  return (
    <figure aria-label="Status by location">
      <Loaded query={query}>
        {(slots) =>
          slots.locations.length === 0 ? (
            <Empty>The check has no location.</Empty>
          ) : (
            <>
              <div className="row">
                <SlotLegend />
                <button type="button" className="quiet-button" onClick={() => setIsTable(!isTable)}>
                  {isTable ? "Show as strip" : "Show as table"}
                </button>
              </div>
              {isTable ? (
                <SlotsTable slots={slots} nameOf={nameOf} />
              ) : (
                slots.locations.map((row) => (
                  <SlotRow
                    key={row.locationId}
                    row={row}
                    name={nameOf(row.locationId)}
                    facts={{ slots, check, isNow: "lengthMs" in range.range }}
                  />
                ))
              )}
              <MissingSlots slots={slots} nameOf={nameOf} />
            </>
          )
        }
      </Loaded>
    </figure>
  );
}

type Part = { slots: StripFacts["slots"]; nameOf(locationId: string): string };

function rowsOf({ slots, nameOf }: Part) {
  return slots.locations.flatMap(({ locationId, cells }) =>
    [...cells]
      .reverse()
      .map((cell) => ({ cell, location: nameOf(locationId), key: `${locationId} ${cell.at}` })),
  );
}

function SlotsTable({ slots, nameOf }: Part) {
  const textOf = (ms: number) => instantText(new Date(ms).toISOString());
  return (
    <Table
      name="Slots"
      rows={rowsOf({ slots, nameOf })}
      keyOf={({ key }) => key}
      columns={[
        { title: "Location", cell: ({ location }) => <Text>{location}</Text> },
        { title: "Slot and state", cell: ({ cell }) => cellText(cell, slots.cellMs, textOf) },
      ]}
    />
  );
}

/** Lists the missing slots, or cells with missing slots, newest first. */
function MissingSlots({ slots, nameOf }: Part) {
  const rows = rowsOf({ slots, nameOf })
    .flatMap(({ cell, location, key }) =>
      Object.entries(cell.missing ?? {}).map(([reason, count]) => ({
        cell,
        location,
        reason,
        count,
        key: `${key} ${reason}`,
      })),
    )
    .sort((a, b) => (a.cell.at < b.cell.at ? 1 : -1))
    .slice(0, 50);
  if (rows.length === 0) return null;
  return (
    <Table
      name="Missing slots"
      rows={rows}
      keyOf={({ key }) => key}
      columns={[
        { title: slots.cellMs === null ? "Slot" : "From", cell: ({ cell }) => instantText(cell.at) },
        { title: "Location", cell: ({ location }) => <Text>{location}</Text> },
        { title: "Missing", cell: ({ count }) => count },
        {
          title: "Reason",
          cell: ({ reason }) =>
            reason === "not_explained"
              ? "The reason was not looked up."
              : missingReasons[reason as keyof typeof missingReasons],
        },
      ]}
    />
  );
}
