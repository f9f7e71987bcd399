import { readStreamEvent, type StreamEvent } from '@/components/shell/stream-event';

/** A restart of the server takes about this long; only what lasts longer is worth a word. */
const GRACE_MS = 3_000;
const BACKOFF_MIN_MS = 1_000;
/** Long enough to leave a struggling server alone, short enough that nobody reaches for reload first. */
const BACKOFF_MAX_MS = 15_000;

export interface SourceEnvironment {
  createSource: (url: string) => EventSource;
  nowMs: () => number;
  random: () => number;
  /** Tells when the browser loses its network or gets it back; returns how to stop that. */
  watchNetwork: (onChange: (isOnline: boolean) => void) => () => void;
}

export const browserSource: SourceEnvironment = {
  createSource: (url) => new EventSource(url),
  nowMs: () => Date.now(),
  random: () => Math.random(),
  watchNetwork: (onChange) => {
    const onOnline = () => onChange(true);
    const onOffline = () => onChange(false);
    addEventListener('online', onOnline);
    addEventListener('offline', onOffline);
    return () => {
      removeEventListener('online', onOnline);
      removeEventListener('offline', onOffline);
    };
  },
};

/**
 * Holds one event stream open and tells its events. A cut connection is taken up by the browser itself, which lets the
 * server replay what was missed; after a refusal a new one is made, with growing pauses, which is `opened` again.
 * Returns how to end it.
 */
export function openSource(
  url: string,
  emit: (event: StreamEvent) => void,
  { createSource, nowMs, random, watchNetwork }: SourceEnvironment = browserSource,
): () => void {
  let source: EventSource | undefined;
  let attempt = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let grace: ReturnType<typeof setTimeout> | undefined;

  function connect() {
    const mine = createSource(url);
    source = mine;
    let isNew = true;
    mine.onopen = () => {
      attempt = 0;
      clearTimeout(grace);
      grace = undefined;
      emit({ type: 'link', link: 'live', sinceMs: nowMs() });
      if (isNew) emit({ type: 'opened' });
      isNew = false;
    };
    mine.onerror = () => {
      miss();
      if (mine.readyState !== EventSource.CLOSED) return;
      mine.close();
      retry = setTimeout(connect, pause());
    };
    for (const type of ['change', 'resync', 'state'] as const) {
      mine.addEventListener(type, (event: MessageEvent<string>) => emit(readStreamEvent(type, event.data)));
    }
  }

  function miss() {
    if (grace !== undefined) return;
    const sinceMs = nowMs();
    emit({ type: 'link', link: 'connecting', sinceMs });
    grace = setTimeout(() => emit({ type: 'link', link: 'lost', sinceMs }), GRACE_MS);
  }

  function pause(): number {
    const fullMs = Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** attempt++);
    return fullMs * (0.5 + random() / 2);
  }

  /** A stream without a network is silent, which is how it looks between two changes too. */
  function follow(isOnline: boolean) {
    close();
    const sinceMs = nowMs();
    emit({ type: 'link', link: isOnline ? 'connecting' : 'lost', sinceMs });
    if (isOnline) connect();
  }

  function close() {
    clearTimeout(retry);
    clearTimeout(grace);
    grace = undefined;
    source?.close();
  }

  connect();
  const unwatch = watchNetwork(follow);
  return () => {
    unwatch();
    close();
  };
}
