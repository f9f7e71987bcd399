export interface ToastMessage {
  title: string;
  body?: string;
  tone?: 'info' | 'good' | 'bad';
  action?: { label: string; onSelect: () => void };
  /** 0: stays until it is closed. */
  timeoutMs?: number;
}

let queue: readonly ToastMessage[] = [];
let used = false;
const listeners = new Set<() => void>();

/** Shows the result of an action of the viewer for a few seconds. The same must be readable elsewhere. */
export function showToast(message: ToastMessage): void {
  used = true;
  queue = [...queue, message];
  for (const listener of [...listeners]) listener();
}

/** The toasts that wait; the caller shows them. */
export function drainToasts(): readonly ToastMessage[] {
  const drained = queue;
  queue = [];
  return drained;
}

export function subscribeToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether there ever was one. */
export function hasHadToasts(): boolean {
  return used;
}
