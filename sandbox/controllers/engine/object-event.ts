import { type KubeObject } from '@/lib/kube/object';

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
