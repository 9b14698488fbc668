/** Lists of boxes to choose some records from. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { summaryQuery } from "../api/queries/summary.ts";
import { rowsOf } from "../status/check-rows.ts";
import { Text } from "../ui/text.tsx";

/** The ids that are chosen, and the function that takes others. */
interface Chosen {
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}

interface ChoicesProps extends Chosen {
  options: readonly { id: string; name: string; note?: ReactNode }[];
}

/** Shows a box for each record, with its name and a note behind it. */
export function Choices({ options, chosen, onChange }: ChoicesProps) {
  return (
    <div className="choices">
      {options.map(({ id, name, note }) => (
        <label key={id} className="switch">
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
            }
          />{" "}
          <Text>{name}</Text>
          {note}
        </label>
      ))}
    </div>
  );
}

interface CheckChoicesProps extends Chosen {
  /** Names the field in which some of a name is written. */
  searchLabel: string;
  /** True: checks are listed before anything is written, too. */
  listsAll?: boolean;
}

/** Most checks that are offered at a time; the others are found by writing some of a name. */
const OFFERED_MAX = 50;

/** Shows the team's checks, those that are chosen first, with a field that finds others by name. */
export function CheckChoices({ chosen, onChange, searchLabel, listsAll = false }: CheckChoicesProps) {
  const [filter, setFilter] = useState("");
  const rows = rowsOf(useQuery(summaryQuery).data ?? []);
  const words = filter.toLowerCase();
  const isChosen = ({ id }: { id: string }) => chosen.includes(id);
  const others =
    listsAll || words !== ""
      ? rows.filter((row) => !isChosen(row) && row.name.toLowerCase().includes(words))
      : [];
  const left = others.length - OFFERED_MAX;
  return (
    <>
      <input
        type="search"
        aria-label={searchLabel}
        placeholder="Find checks"
        value={filter}
        onChange={({ target }) => setFilter(target.value)}
      />
      <Choices
        options={[...rows.filter(isChosen), ...others.slice(0, OFFERED_MAX)]}
        chosen={chosen}
        onChange={onChange}
      />
      {left > 0 && <p className="hint">{`${left} more; write more of a name to find them.`}</p>}
    </>
  );
}
