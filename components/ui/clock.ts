/**
 * One clock for the page: ticks on the second while it has listeners and the page is visible. Its time does not
 * change between two ticks, so that everything on screen has the same reference.
 */
let currentMs = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** The time of the last tick, in milliseconds since 1970. */
export function clockMs(): number {
  if (currentMs === 0) currentMs = Date.now();
  return currentMs;
}

/** Calls back after every tick; returns the unsubscribe function. */
export function subscribeClock(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) start();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) stop();
  };
}

function start(): void {
  document.addEventListener('visibilitychange', tick);
  tick();
}

function stop(): void {
  document.removeEventListener('visibilitychange', tick);
  clearTimeout(timer);
}

function tick(): void {
  clearTimeout(timer);
  if (document.hidden) return;
  currentMs = Date.now();
  timer = setTimeout(tick, 1000 - (currentMs % 1000) + 5);
  for (const listener of [...listeners]) listener();
}
