/** The choice of a step's rota. */
import { pagePath } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { rotasQuery } from "../../api/queries/rotas.ts";
import { FieldNotes, useField, type WidgetProps } from "../../forms/form.tsx";

const NONE = "";

/** Shows the team's rotas with who is on duty now, to choose one or none. */
export function RotaField({ field, path }: WidgetProps) {
  const bound = useField(path, field.hint);
  const rotas = useQuery(rotasQuery).data ?? [];
  const value = typeof bound.value === "string" ? bound.value : NONE;
  return (
    <div className="field">
      <label htmlFor={bound.input.id}>Rota</label>
      <select
        {...bound.input}
        value={value}
        onChange={({ target }) => bound.set(target.value === NONE ? undefined : target.value)}
      >
        <option value={NONE}>None</option>
        {rotas.map(({ id, name, onDuty }) => (
          <option key={id} value={id}>
            {`${name} (on duty now: ${onDuty.member})`}
          </option>
        ))}
        {value !== NONE && !rotas.some(({ id }) => id === value) && <option value={value}>{value}</option>}
      </select>
      <FieldNotes bound={bound} hint={field.hint} />
      {rotas.length === 0 && (
        <p className="hint">
          There are no rotas yet. <a href={pagePath("newRota", {})}>Make a rota</a>.
        </p>
      )}
    </div>
  );
}
