import { waitFor } from '@/e2e/controlplane/wait';
import type { Shiplog } from '@/e2e/support/shiplog';

export interface ReceivedEvent {
  event: string;
  id: string | undefined;

  data: any;
}

/** One open `/api/stream`, as a browser would hold it. */
export interface EventStream {
  /** Everything received so far. */
  readonly events: readonly ReceivedEvent[];
  /** The raw text, to check what it must not contain. */
  text(): string;
  /** Waits for an event, including those received before. */
  next(what: string, matches: (event: ReceivedEvent) => boolean): Promise<ReceivedEvent>;
  /** Settles when the server has ended the stream. */
  readonly ended: Promise<void>;
  close(): void;
}

export async function openStream(
  shiplog: Shiplog,
  headers: Record<string, string> = {},
): Promise<EventStream> {
  const controller = new AbortController();
  const answer = await shiplog.fetch('/api/stream', { headers, signal: controller.signal });
  if (answer.status !== 200 || answer.body === null) {
    throw new Error(`/api/stream: ${answer.status} ${await answer.text()}`);
  }
  const events: ReceivedEvent[] = [];
  let text = '';
  let parsed = 0;
  const ended = read(answer.body, (part) => {
    text += part;
    const complete = text.lastIndexOf('\n\n');
    if (complete < parsed) return;
    events.push(...parseEvents(text.slice(parsed, complete)));
    parsed = complete + 2;
  });

  return {
    events,
    text: () => text,
    next: (what, matches) => waitFor(() => events.find(matches), { what }),
    ended,
    close: () => controller.abort(),
  };
}

/** Whether the event reports a change of the workload. */
export function concerns(namespace: string, name: string): (event: ReceivedEvent) => boolean {
  return ({ event, data }) =>
    event === 'change' &&
    (data.keys as { namespace: string; name: string }[]).some(
      (key) => key.namespace === namespace && key.name === name,
    );
}

async function read(body: ReadableStream<Uint8Array>, take: (part: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  try {
    for await (const chunk of body) take(decoder.decode(chunk, { stream: true }));
  } catch {
    // Closed by this side, or the server died.
  }
}

function parseEvents(text: string): ReceivedEvent[] {
  return text.split('\n\n').flatMap((block) => {
    const fields = new Map(
      block.split('\n').map((line) => {
        const colon = line.indexOf(': ');
        return [line.slice(0, colon), line.slice(colon + 2)] as const;
      }),
    );
    const event = fields.get('event');
    if (event === undefined) return [];
    return [{ event, id: fields.get('id'), data: JSON.parse(fields.get('data') ?? 'null') }];
  });
}
