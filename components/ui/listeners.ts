/** The components that render a value outside React, for `useSyncExternalStore`. */
export function createListeners() {
  const listeners = new Set<() => void>();
  return {
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notify: (): void => {
      for (const listener of [...listeners]) listener();
    },
  };
}
