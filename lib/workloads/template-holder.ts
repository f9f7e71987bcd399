import { type ResourceType } from '@/lib/workloads/resource';
import { type Workload } from '@/lib/workloads/workload';

/** Another object that holds the template of a workload, in the namespace of that, and where in it the template stands. */
export interface TemplateHolder {
  resource: ResourceType;
  version: string;
  namespace: string;
  name: string;
  /** Members on the way to the template: `spec`, `template`. */
  path: readonly string[];
}

/** The holder as it is now, as a workload is read; `unreadable`: why its template can't be told. */
export type HolderState =
  | { state: 'found'; holder: TemplateHolder; workload: Workload }
  | { state: 'unreadable'; holder: TemplateHolder; reason: string };

/** "Deployment cart" */
export function holderName({ resource, name }: TemplateHolder): string {
  return `${resource.kind} ${name}`;
}
