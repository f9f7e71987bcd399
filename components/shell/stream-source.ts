import { readStreamEvent, type StreamEvent } from '@/components/shell/stream-event';

/** A proxy that moves the stream takes less; a viewer must know of a longer interruption within two seconds. */
const GRACE_MS = 1_500;
const BACKOFF_MIN_MS = 1_000;
/** Long enough to spare a struggling server, short enough that viewers wait instead of reloading. */
const BACKOFF_MAX_MS = 15_000;

interface SourceEnvironment {
  createSource: (url: string) => EventSource;
  nowMs: () => number;
  random: () => number;
  /** Reports when the browser loses or regains its network; returns the function that stops it. */
  watchNetwork: (onChange: (isOnline: boolean) => void) => () => void;
}

const browserSource: SourceEnvironment = {
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
 * Holds one event stream open and reports its events. The browser itself resumes a cut connection, and the server
 * replays what was missed; after a refusal a new one is opened, with growing pauses, which reports `opened` again.
 * Returns the function that closes it.
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
    const current = createSource(url);
    source = current;
    let isNew = true;
    current.onopen = () => {
      attempt = 0;
      clearTimeout(grace);
      grace = undefined;
      emit({ type: 'link', link: 'live', sinceMs: nowMs() });
      if (isNew) emit({ type: 'opened' });
      isNew = false;
    };
    current.onerror = () => {
      startGrace();
      if (current.readyState !== EventSource.CLOSED) return;
      current.close();
      retry = setTimeout(connect, nextPauseMs());
    };
    for (const type of ['change', 'resync', 'state'] as const) {
      current.addEventListener(type, (event: MessageEvent<string>) =>
        emit(readStreamEvent(type, event.data)),
      );
    }
  }

  function startGrace() {
    if (grace !== undefined) return;
    const sinceMs = nowMs();
    emit({ type: 'link', link: 'connecting', sinceMs });
    grace = setTimeout(() => emit({ type: 'link', link: 'lost', sinceMs }), GRACE_MS);
  }

  function nextPauseMs(): number {
    const fullMs = Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** attempt++);
    return fullMs * (0.5 + random() / 2);
  }

  /** A stream without a network is silent, exactly as between two changes. */
  function onNetworkChange(isOnline: boolean) {
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
  const unwatch = watchNetwork(onNetworkChange);
  return () => {
    unwatch();
    close();
  };
}
