import { parseAllDocuments } from 'yaml';
import { type JsonObject } from '@/lib/kube/json';

export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; annotations?: Record<string, string> };
  [member: string]: unknown;
}

export interface Container {
  image: string;
  command?: string[];
  args?: string[];
  env?: { name: string; value?: string; valueFrom?: object }[];
}

interface PodTemplate {
  metadata?: JsonObject;
  spec: { containers: Container[] };
}

/** Objects of a stream of YAML documents, in their order. */
export function objectsIn(text: string): KubeObject[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as KubeObject | null)
    .filter((object) => object !== null);
}

/** Pods as their controllers create them: warnings for a template are no proof that its pods are admitted. */
export function podsOf(objects: KubeObject[], namespace: string): KubeObject[] {
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

export function containerOf({ spec }: KubeObject): Container {
  const { containers, template } = spec as { containers?: Container[]; template?: PodTemplate };
  const [container] = containers ?? template?.spec.containers ?? [];
  if (container === undefined) throw new Error('The pod has no container.');

  return container;
}
