import type { ResourceType } from '@/lib/kube/resource';
import type { Workload } from '@/lib/history/workload';
import type { TemplateLocation } from '@/lib/workloads/template-location';

/**
 * Another object that holds the template of a workload, in the same namespace, and the location of the
 * template in it.
 */
export interface TemplateOwner {
  resource: ResourceType;
  version: string;
  namespace: string;
  name: string;
  /** Members on the path to the template: `spec`, `template`. */
  path: readonly string[];
  /** The same location, as a kind has it. Absent: `spec.template`. */
  template?: { location: TemplateLocation };
}

/** The owner in its current state, read like a workload; `unreadable`: why its template is unknown. */
export type TemplateOwnerReading =
  | { state: 'found'; owner: TemplateOwner; workload: Workload }
  | { state: 'unreadable'; owner: TemplateOwner; reason: string };

/** "Deployment cart" */
export function templateOwnerName({ resource, name }: TemplateOwner): string {
  return `${resource.kind} ${name}`;
}
