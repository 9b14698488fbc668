/** Waits until a value rests, so that typing asks nothing of the service. */
import { useEffect, useState } from "react";

/** Time for which a value must not change, ms. */
const REST_MS = 800;

/** Returns the value once it has not changed for a while. */
export function useRested(value: string): string {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), REST_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}
