/** Runs at most so many at once; the others wait in order. */
export function limiter(inFlightMax: number): <T>(start: () => Promise<T>) => Promise<T> {
  let inFlight = 0;
  const waiting: (() => void)[] = [];
  return async (start) => {
    if (inFlight >= inFlightMax) await new Promise<void>((resolve) => waiting.push(resolve));
    else inFlight++;
    try {
      return await start();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else inFlight--;
    }
  };
}
