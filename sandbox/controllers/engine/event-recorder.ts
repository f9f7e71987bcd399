import { type JsonObject, stringifyGo } from '@/lib/kube/json';
import { type Clock } from '@/server/shared/clock';
import { pathTo } from '@/server/cluster/request-guard';
import { type Transport } from '@/server/cluster/transport';
import { type Logger } from '@/server/shared/log';
import { EventCorrelator } from '@/sandbox/controllers/engine/event-correlator';
import { microTimeText, timeText } from '@/sandbox/controllers/objects/time';
import { type ObjectEvent } from '@/sandbox/controllers/engine/object-event';

interface EventRecorderOptions {
  readonly transport: Transport;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
  /** Milliseconds since the epoch; earlier events are not written, as if they had expired. */
  readonly from: number;
}

/**
 * Writes events in the order in which they were recorded. Equal ones are counted, and too many similar ones are
 * combined or dropped, as by https://github.com/kubernetes/client-go/blob/master/tools/record/events_cache.go
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #correlator: EventCorrelator;
  #waiting: ObjectEvent[] = [];
  #sequence = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#correlator = new EventCorrelator(options.clock);
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
    const namespace = event.about.metadata.namespace ?? 'default';
    const path = pathTo('api', 'v1', 'namespaces', namespace, 'events');
    const query = { fieldManager: event.source.component };
    if (event.action !== undefined) {
      const body = stringifyGo(this.#newer(event, event.action, namespace));
      await this.#options.transport.json({ method: 'POST', path, query, body });
      return;
    }
    const verdict = this.#correlator.correlate(event);
    if (verdict === undefined) return;
    const { message, known } = verdict;
    if (known !== undefined) {
      const lastTimestamp = timeText(this.#options.clock.now());
      const body = stringifyGo({ count: known.count, lastTimestamp, message });
      const contentType = 'application/strategic-merge-patch+json';
      const patch = { method: 'PATCH', path: path + pathTo(known.name), query, body, contentType } as const;
      await this.#options.transport.json(patch);
      return;
    }
    const draft = this.#older({ ...event, message }, namespace);
    await this.#options.transport.json({ method: 'POST', path, query, body: stringifyGo(draft) });
    this.#correlator.remember(event, draft.metadata.name);
  }

  #older(event: ObjectEvent, namespace: string): JsonObject & { metadata: { name: string } } {
    const now = timeText(this.#options.clock.now());
    const { component, host } = event.source;
    return {
      ...this.#common(event, namespace),
      source: { component, ...(host === undefined ? {} : { host }) },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      eventTime: null,
      reportingComponent: component,
      reportingInstance: host ?? '',
    };
  }

  /** https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/ */
  #newer(event: ObjectEvent, action: string, namespace: string): JsonObject {
    const { component, host } = event.source;
    return {
      ...this.#common(event, namespace),
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: microTimeText(this.#options.clock.now()),
      action,
      reportingComponent: component,
      reportingInstance: host === undefined ? component : `${component}-${host}`,
    };
  }

  #common(
    event: ObjectEvent,
    namespace: string,
  ): JsonObject & { metadata: { name: string; namespace: string } } {
    const { metadata, apiVersion, kind } = event.about;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${metadata.name}.${this.#suffix()}`, namespace },
      involvedObject: {
        apiVersion,
        kind,
        name: metadata.name,
        ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
        uid: metadata.uid,
        resourceVersion: metadata.resourceVersion,
        ...(event.fieldPath === undefined ? {} : { fieldPath: event.fieldPath }),
      },
      type: event.type,
      reason: event.reason,
      message: event.message,
    };
  }

  /** Nanoseconds in hexadecimal; several events of one millisecond differ in those. */
  #suffix(): string {
    this.#sequence = (this.#sequence + 1) % 1_000_000;
    return (BigInt(this.#options.clock.now()) * 1_000_000n + BigInt(this.#sequence)).toString(16);
  }
}
