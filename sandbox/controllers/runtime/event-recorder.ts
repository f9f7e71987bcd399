import { LRUCache } from 'lru-cache';
import { type JsonObject, stringifyGo } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { pathTo } from '@/server/cluster/request-guard';
import type { Transport } from '@/server/cluster/transport';
import type { Clock } from '@/server/shared/clock';
import type { Logger } from '@/server/shared/log';
import { timeText } from '@/sandbox/controllers/objects/time';

export type EventType = 'Normal' | 'Warning';

interface EventSource {
  readonly component: string;
  readonly host?: string;
}

/** An event about an object, or about a field of it. */
export interface ObjectEvent {
  readonly about: KubeObject;
  /** Field of the object: `spec.containers{app}`. */
  readonly fieldPath?: string;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  readonly source: EventSource;
}

interface EventRecorderOptions {
  readonly transport: Transport;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
  /** Milliseconds since the epoch; earlier events are not written, as if they had expired. */
  readonly from: number;
}

/** As many as client-go remembers. */
const KNOWN_MAX = 4096;

/**
 * Writes events in the order in which they were recorded. Equal ones are counted, as by
 * https://github.com/kubernetes/client-go/blob/master/tools/record/events_cache.go
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #known = new LRUCache<string, { name: string; count: number }>({ max: KNOWN_MAX });
  #waiting: ObjectEvent[] = [];
  #sequence = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
  }

  /** Whether events are written now. */
  get isRecording(): boolean {
    return this.#options.clock.now() >= this.#options.from;
  }

  record(event: ObjectEvent): void {
    if (this.isRecording) this.#waiting.push(event);
  }

  /** Writes the recorded events. An event that can't be written is dropped. */
  async flush(): Promise<void> {
    const events = this.#waiting;
    this.#waiting = [];
    for (const event of events) {
      try {
        await this.#write(event);
      } catch (error) {
        this.#options.log.debug('An event could not be written.', { reason: event.reason, error });
      }
    }
  }

  async #write(event: ObjectEvent): Promise<void> {
    const { about, fieldPath, type, reason, message, source } = event;
    const { transport, clock } = this.#options;
    const path = pathTo('api', 'v1', 'namespaces', about.metadata.namespace ?? 'default', 'events');
    const query = { fieldManager: source.component };
    const key = JSON.stringify([source, about.kind, about.metadata.uid, fieldPath, type, reason, message]);
    const known = this.#known.get(key);
    if (known === undefined) {
      const name = `${about.metadata.name}.${this.#suffix()}`;
      const body = stringifyGo(this.#draft(event, name));
      await transport.json({ method: 'POST', path, query, body });
      this.#known.set(key, { name, count: 1 });
      return;
    }
    known.count += 1;
    const body = stringifyGo({ count: known.count, lastTimestamp: timeText(clock.now()) });
    const contentType = 'application/strategic-merge-patch+json';
    await transport.json({ method: 'PATCH', path: path + pathTo(known.name), query, body, contentType });
  }

  #draft({ about, fieldPath, type, reason, message, source }: ObjectEvent, name: string): JsonObject {
    const { apiVersion, kind, metadata } = about;
    const now = timeText(this.#options.clock.now());
    const { component, host } = source;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace: metadata.namespace ?? 'default' },
      involvedObject: {
        apiVersion,
        kind,
        name: metadata.name,
        namespace: metadata.namespace,
        uid: metadata.uid,
        resourceVersion: metadata.resourceVersion,
        fieldPath,
      },
      type,
      reason,
      message,
      source: { component, host },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      eventTime: null,
      reportingComponent: component,
      reportingInstance: host ?? '',
    };
  }

  /** Nanoseconds in hexadecimal; several events of one millisecond differ in those. */
  #suffix(): string {
    this.#sequence = (this.#sequence + 1) % 1_000_000;
    return (BigInt(this.#options.clock.now()) * 1_000_000n + BigInt(this.#sequence)).toString(16);
  }
}
