import { vi } from 'vitest';

/** A `ResizeObserver` that reports nothing: jsdom has none. `vi.unstubAllGlobals()` takes it away. */
export function stubResizeObserver(): void {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      disconnect() {}
    },
  );
}
