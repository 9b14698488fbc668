/** A share of something as a bar, with the share in words beside it. */
import type { ReactNode } from "react";
import { percentText } from "../time/format.ts";

/** Width of the bar in its own units, so that a share of it is a whole hundredth. */
const WIDTH = 100;
const HEIGHT = 8;

/**
 * Shows a share. The words beside the bar say what its colour says.
 * @param props.label accessible name
 * @param props.share from 0 to 1
 * @param props.low share under which little is left; default 0.25
 * @param props.children what stands behind the bar; absent: the share as percent
 */
export function Meter({
  label,
  share,
  low = 0.25,
  children,
}: {
  label: string;
  share: number;
  low?: number;
  children?: ReactNode;
}) {
  const level = share <= 0 ? "none" : share < low ? "low" : "enough";
  return (
    <span className="meter-line">
      {/* biome-ignore lint/a11y/useSemanticElements: browsers draw a meter element in colours of their own */}
      <span
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={1}
        aria-valuenow={share}
        aria-valuetext={percentText(share)}
        className={`meter ${level}`}
      >
        <svg aria-hidden="true" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
          <rect width={WIDTH} height={HEIGHT} className="meter-ground" />
          <rect width={WIDTH * share} height={HEIGHT} className="meter-share" />
        </svg>
      </span>
      <span>{children ?? percentText(share)}</span>
    </span>
  );
}
