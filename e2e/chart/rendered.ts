import { parseAllDocuments } from 'yaml';
import type { JsonObject } from '@/lib/kube/json';

export interface RenderedObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; annotations?: Record<string, string> };
  [member: string]: unknown;
}

export interface RenderedContainer {
  image: string;
  command?: string[];
  args?: string[];
  env?: { name: string; value?: string; valueFrom?: object }[];
}

interface PodTemplate {
  metadata?: JsonObject;
  spec: { containers: RenderedContainer[] };
}

/** Objects of a stream of YAML documents, in their order. */
export function objectsIn(text: string): RenderedObject[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as RenderedObject | null)
    .filter((object) => object !== null);
}

/** Pods as their controllers create them: warnings for a template are no proof that its pods are admitted. */
export function podsOf(objects: RenderedObject[], namespace: string): RenderedObject[] {
  return objects.flatMap((object) => {
    if (object.kind === 'Pod') return [object];
    const { template } = (object.spec ?? {}) as { template?: PodTemplate };
    if (template === undefined) return [];
    const { metadata, spec } = template;
    return [
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { ...metadata, name: object.metadata.name, namespace },
        spec,
      },
    ];
  });
}

export function containerOf({ spec }: RenderedObject): RenderedContainer {
  const { containers, template } = spec as { containers?: RenderedContainer[]; template?: PodTemplate };
  const [container] = containers ?? template?.spec.containers ?? [];
  if (container === undefined) throw new Error('The pod has no container.');

  return container;
}
