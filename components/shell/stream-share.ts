import type { StreamEvent } from '@/components/shell/stream-event';
import { viewerPrefix } from '@/components/ui/browser-storage';

type Message = { type: 'hello' } | { type: 'event'; event: StreamEvent };

export interface ShareEnvironment {
  /** Opens the one connection to the server; returns the function that closes it. */
  open: (emit: (event: StreamEvent) => void) => () => void;
  /** Absent outside a secure context. */
  locks: LockManager | undefined;
  createChannel: ((name: string) => BroadcastChannel) | undefined;
  document: Pick<Document, 'hidden' | 'addEventListener' | 'removeEventListener'>;
}

/**
 * One connection for all tabs of the viewer in a browser profile: the tab that holds a lock has it and forwards every event; when
 * it closes, the next tab takes over. Browsers allow six connections to a host, so that a seventh tab would otherwise
 * never load. Without locks each tab has its own while it is visible. Returns the function that leaves.
 */
export function shareStream(emit: (event: StreamEvent) => void, environment: ShareEnvironment): () => void {
  const { locks, createChannel } = environment;
  return locks && createChannel
    ? joinTabs(emit, environment.open, locks, createChannel)
    : whileVisible(emit, environment.open, environment.document);
}

function joinTabs(
  emit: (event: StreamEvent) => void,
  open: ShareEnvironment['open'],
  locks: LockManager,
  createChannel: (name: string) => BroadcastChannel,
): () => void {
  // A tab of another viewer has its own connection: what a viewer can see differs.
  const name = `${viewerPrefix()}stream`;
  const channel = createChannel(name);
  const left = new AbortController();
  const latest = new Map<StreamEvent['type'], StreamEvent>();
  let leads = false;
  let hasReceived = false;

  function send(message: Message) {
    // After leaving, pending work has no listener, and the channel is closed.
    if (!left.signal.aborted) channel.postMessage(message);
  }

  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.type === 'hello') {
      if (leads) for (const event of latest.values()) send({ type: 'event', event });
    } else if (!leads) {
      // Changes before this tab listened were missed.
      if (!hasReceived) emit({ type: 'opened' });
      hasReceived = true;
      emit(data.event);
    }
  };
  send({ type: 'hello' });

  function lead(): Promise<void> {
    leads = true;
    const close = open((event) => {
      if (event.type === 'link' || event.type === 'state') latest.set(event.type, event);
      send({ type: 'event', event });
      emit(event);
    });
    return new Promise((resolve) => {
      left.signal.addEventListener('abort', () => {
        close();
        resolve();
      });
    });
  }

  locks.request(name, { signal: left.signal }, lead).catch((error: unknown) => {
    if (!left.signal.aborted) throw error;
  });

  return () => {
    left.abort();
    channel.close();
  };
}

function whileVisible(
  emit: (event: StreamEvent) => void,
  open: ShareEnvironment['open'],
  document: ShareEnvironment['document'],
): () => void {
  let close: (() => void) | undefined;
  function follow() {
    if (document.hidden) {
      close?.();
      close = undefined;
    } else {
      close ??= open(emit);
    }
  }
  document.addEventListener('visibilitychange', follow);
  follow();
  return () => {
    document.removeEventListener('visibilitychange', follow);
    close?.();
  };
}
