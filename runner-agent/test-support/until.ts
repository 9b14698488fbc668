/** Waits for a condition, looking again at short intervals; fails the test when it does not come true. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  limitMs = 45_000,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${limitMs} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
