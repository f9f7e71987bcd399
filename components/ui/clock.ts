/**
 * One clock for the whole page: ticks on the second while somebody listens and the page is visible. Between two ticks
 * the time stands still, so that everything on screen is measured from the same moment.
 */
let currentMs = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** The time of the last tick, in milliseconds since 1970. */
export function clockMs(): number {
  if (currentMs === 0) currentMs = Date.now();
  return currentMs;
}

/** Calls back after every tick; returns how to stop that. */
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
