/** Fields of a maintenance window that need more than their schema says. */
import { useState } from "react";
import { CheckChoices } from "../../forms/choices.tsx";
import { FieldNotes, useField, type WidgetProps } from "../../forms/form.tsx";
import { POSITIONS, type Recurrence, recurrenceOf, ruleOf, WEEKDAYS, wordsOf } from "./recurrence.ts";

/** Nothing: whether a window recurs follows from its rule. */
export function NoField() {
  return null;
}

const KINDS: readonly (readonly [string, string])[] = [
  ["", "Does not repeat"],
  ["daily", "Every day"],
  ["weekly", "Every week on some days"],
  ["monthly", "Every month on a day"],
  ["monthly_weekday", "Every month on a weekday"],
  ["other", "By another rule"],
];

const BEGINS: Readonly<Record<string, Recurrence>> = {
  daily: { kind: "daily" },
  weekly: { kind: "weekly", days: [] },
  monthly: { kind: "monthly", day: 1 },
  monthly_weekday: { kind: "monthly_weekday", nth: 1, day: "SU" },
  other: { kind: "other", rule: "FREQ=YEARLY" },
};

/** Builds a recurrence rule, and says in words what it means. */
export function RecurrenceField({ path }: WidgetProps) {
  const bound = useField(path, undefined);
  const rule = typeof bound.value === "string" ? bound.value : undefined;
  const [isOther, setOther] = useState(false);
  const recurrence =
    rule === undefined ? undefined : isOther ? ({ kind: "other", rule } as const) : recurrenceOf(rule);
  const put = (next: Recurrence | undefined) => bound.set(next && ruleOf(next));
  return (
    <fieldset id={bound.input.id} tabIndex={-1}>
      <legend>Repeats</legend>
      <div className="fields">
        <label>
          How often{" "}
          <select
            value={recurrence?.kind ?? ""}
            onChange={({ target }) => {
              setOther(target.value === "other");
              put(BEGINS[target.value]);
            }}
          >
            {KINDS.map(([kind, words]) => (
              <option key={kind} value={kind}>
                {words}
              </option>
            ))}
          </select>
        </label>
        {recurrence?.kind === "weekly" && (
          <div className="choices">
            {WEEKDAYS.map(([day, name]) => (
              <label key={day} className="switch">
                <input
                  type="checkbox"
                  checked={recurrence.days.includes(day)}
                  onChange={({ target }) =>
                    put({
                      kind: "weekly",
                      days: WEEKDAYS.map(([one]) => one).filter((one) =>
                        one === day ? target.checked : recurrence.days.includes(one),
                      ),
                    })
                  }
                />{" "}
                {name}
              </label>
            ))}
          </div>
        )}
        {recurrence?.kind === "monthly" && (
          <label>
            Day of the month{" "}
            <input
              type="number"
              min={1}
              max={31}
              value={recurrence.day}
              onChange={({ target }) =>
                put({ kind: "monthly", day: Math.min(31, Math.max(1, target.valueAsNumber || 1)) })
              }
            />
          </label>
        )}
        {recurrence?.kind === "monthly_weekday" && (
          <p className="row">
            <label>
              Which{" "}
              <select
                value={recurrence.nth}
                onChange={({ target }) => put({ ...recurrence, nth: Number(target.value) })}
              >
                {POSITIONS.map(([nth, word]) => (
                  <option key={nth} value={nth}>
                    {word}
                  </option>
                ))}
              </select>
            </label>
            <label>
              Weekday{" "}
              <select
                value={recurrence.day}
                onChange={({ target }) => put({ ...recurrence, day: target.value })}
              >
                {WEEKDAYS.map(([day, name]) => (
                  <option key={day} value={day}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
          </p>
        )}
        {recurrence?.kind === "other" && (
          <label>
            Rule{" "}
            <input
              type="text"
              spellCheck={false}
              autoComplete="off"
              value={recurrence.rule}
              onChange={({ target }) => put({ kind: "other", rule: target.value })}
            />
          </label>
        )}
        {recurrence && <p className="hint">{`Repeats ${wordsOf(recurrence)}, in the window's time zone.`}</p>}
        <FieldNotes bound={bound} hint={undefined} />
      </div>
    </fieldset>
  );
}

/** Shows for which checks a window holds: all, later ones too, or some. */
export function ChecksField({ path, label }: WidgetProps) {
  const bound = useField(path, undefined);
  const chosen = Array.isArray(bound.value) ? (bound.value as string[]) : [];
  const isAll = bound.value === "all";
  return (
    <fieldset id={bound.input.id} tabIndex={-1} aria-describedby={bound.input["aria-describedby"]}>
      <legend>{label.replace(/ IDs?$/, "s")}</legend>
      <FieldNotes bound={bound} hint={undefined} />
      <label className="switch">
        <input type="radio" checked={isAll} onChange={() => bound.set("all")} /> All checks, later ones too
      </label>
      <label className="switch">
        <input type="radio" checked={!isAll} onChange={() => bound.set([])} /> Some checks
      </label>
      {!isAll && <CheckChoices chosen={chosen} onChange={bound.set} searchLabel="Find checks" listsAll />}
    </fieldset>
  );
}
