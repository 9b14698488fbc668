/** Figures with their units, large, side by side. */
import type { ReactNode } from "react";

/** Shows figures. */
export function Figures({ children }: { children: ReactNode }) {
  return <dl className="figures">{children}</dl>;
}

/** Shows one figure among others. @param props.title what it counts @param props.note small text below it */
export function FigureValue({
  title,
  note,
  children,
}: {
  title: string;
  note?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div>
      <dt>{title}</dt>
      <dd className="figure-value">{children}</dd>
      {note !== undefined && <dd className="quiet">{note}</dd>}
    </div>
  );
}

/** Shows a number as people read it; programs find it as it is. @param props.unit stands behind it */
export function Exact({ value, unit, digits = 2 }: { value: number; unit?: string; digits?: number }) {
  const text = value.toLocaleString(undefined, { maximumFractionDigits: digits });
  return (
    <data value={value}>
      {text}
      {unit !== undefined && ` ${unit}`}
    </data>
  );
}
