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
 * @param props.high of a share that should be small: the share above which it is too large; `low` then means nothing
 * @param props.children what stands behind the bar; absent: the share as percent
 */
export function Meter({
  label,
  share,
  low = 0.25,
  high,
  children,
}: {
  label: string;
  share: number;
  low?: number;
  high?: number;
  children?: ReactNode;
}) {
  const level = high === undefined ? levelOf(share, low) : share > high ? "low" : "enough";
  return (
    <span className="meter-line">
      {/* biome-ignore lint/a11y/useSemanticElements: browsers draw a meter element in colours of their own */}
      <span
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={1}
        aria-valuenow={Math.min(1, share)}
        aria-valuetext={percentText(share)}
        className={`meter ${level}`}
      >
        <svg aria-hidden="true" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
          <rect width={WIDTH} height={HEIGHT} className="meter-ground" />
          <rect width={WIDTH * Math.min(1, share)} height={HEIGHT} className="meter-share" />
        </svg>
      </span>
      <span>{children ?? percentText(share)}</span>
    </span>
  );
}

function levelOf(share: number, low: number): "none" | "low" | "enough" {
  if (share <= 0) return "none";
  return share < low ? "low" : "enough";
}
