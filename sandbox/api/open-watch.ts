import { type JsonObject } from '@/lib/kube/json';
import { type ResourceKind } from '@/sandbox/api/objects/resource-kind';

/** An open watch, as faults see it. */
export interface OpenWatch {
  readonly id: number;
  readonly user: string;
  readonly kind: ResourceKind;
  readonly namespace: string;
  readonly userAgent: string;
  /** Ends it properly, or breaks the connection. */
  close(how: 'end' | 'reset'): void;
  /** Sends a message that is no change. */
  write(line: JsonObject): void;
}
