/** Moves what a screen shows for years by a few pixels, so that nothing burns in. */
import { type RefObject, useEffect, useRef } from "react";

const STEP_MS = 60_000;
/** Where the contents stand in turn, CSS px. */
const STEPS = [
  [0, 0],
  [4, 2],
  [6, 6],
  [2, 4],
] as const;

/** Returns a reference for the element that moves once a minute. With reduced motion it stays. */
export function useBurnInShift(): RefObject<HTMLElement | null> {
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    let step = 0;
    const timer = setInterval(() => {
      step = (step + 1) % STEPS.length;
      const [x, y] = STEPS[step] as (typeof STEPS)[number];
      if (element.current) element.current.style.transform = `translate(${x}px, ${y}px)`;
    }, STEP_MS);
    return () => clearInterval(timer);
  }, []);
  return element;
}
