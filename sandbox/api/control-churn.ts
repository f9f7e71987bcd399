import { type ObjectStore } from '@/sandbox/api/object-store';
import { type StoredObject } from '@/sandbox/api/objects/stored-object';

interface ChurnOptions {
  /** As `deployments.apps`. */
  readonly resource: string;
  readonly namespace: string;
  readonly perSecond: number;
  /** Total number of changes. */
  readonly changes: number;
}

/** The value that every change sets: the number of changes before it. */
export const CHURN_ANNOTATION = 'sandbox.example/churn';
const TICK_MS = 10;

/** Changes the objects of a collection one after the other, at a steady rate. */
export class Churn {
  readonly #store: ObjectStore;
  #timer: NodeJS.Timeout | undefined;
  #left = 0;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Number of changes still to make. */
  get left(): number {
    return this.#left;
  }

  /** Replaces a running stream of changes. */
  start({ resource, namespace, perSecond, changes }: ChurnOptions): void {
    this.stop();
    this.#left = changes;
    const startedAt = performance.now();
    this.#timer = setInterval(() => {
      // Catches up after a late timer.
      const due = Math.min(changes, Math.ceil(((performance.now() - startedAt) / 1000) * perSecond));
      const objects = this.#store.list(resource, namespace);
      for (let done = changes - this.#left; done < due && objects.length > 0; done += 1) {
        const name = objects[done % objects.length]?.metadata.name ?? '';
        const present = this.#store.get(resource, namespace, name);
        if (present !== undefined) this.#store.put(resource, changed(present, done));
      }
      this.#left = changes - due;
      if (this.#left === 0) this.stop();
    }, TICK_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#left = 0;
  }
}

function changed(object: StoredObject, count: number): StoredObject {
  const annotations = { ...object.metadata.annotations, [CHURN_ANNOTATION]: String(count) };

  return { ...object, metadata: { ...object.metadata, annotations } };
}
