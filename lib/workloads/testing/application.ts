import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { APPLICATION_REVISION, PUBLISH_VERSION, REVISION_HASH } from '@/lib/workloads/application/resource';
import { object, type Parts, WORKLOAD_UID } from '@/lib/workloads/testing/objects';

export interface ApplicationParts extends Parts {
  spec?: JsonObject;
  status?: JsonObject;
  /** Number of the revision that the status names. */
  latest?: number;
  phase?: string;
  publish?: string;
  resourceVersion?: string;
}

/** One web component, as most Applications begin. */
export function applicationSpec(image: string, extra: JsonObject = {}): JsonObject {
  return {
    components: [
      {
        name: 'web',
        type: 'webservice',
        properties: { image: `shop/web:${image}`, env: [{ name: 'LOG_LEVEL', value: 'info' }] },
        traits: [{ type: 'scaler', properties: { replicas: 2 } }],
      },
    ],
    ...extra,
  };
}

/** An Application as the API server returns it, running at its second revision by default. */
export function applicationObject(parts: ApplicationParts = {}): KubeObject {
  const { latest = 2, phase = 'running', publish, spec = applicationSpec('2') } = parts;
  const made = object(
    'Application',
    {
      uid: WORKLOAD_UID,
      owner: null,
      ...parts,
      ...(publish !== undefined && { annotations: { ...parts.annotations, [PUBLISH_VERSION]: publish } }),
    },
    {
      spec,
      status: {
        status: phase,
        observedGeneration: parts.generation ?? 1,
        latestRevision: { name: `checkout-v${latest}`, revision: latest, revisionHash: `h${latest}` },
        ...parts.status,
      },
    },
  );
  const metadata = {
    ...made.metadata,
    ...(parts.resourceVersion && { resourceVersion: parts.resourceVersion }),
  };
  return { ...made, apiVersion: 'core.oam.dev/v1beta1', metadata };
}

export interface RevisionParts extends Parts {
  spec?: JsonObject;
  /** Definitions and other related objects. */
  beside?: JsonObject;
  /** Replaces what it records. */
  compression?: JsonObject;
  hash?: string;
  publish?: string;
  status?: JsonObject;
}

/** `checkout-v{number}`, by default created that many minutes after noon. */
export function applicationRevision(number: number, image: string, parts: RevisionParts = {}): KubeObject {
  const { spec = applicationSpec(image), hash = `h${image}`, publish, compression, beside } = parts;
  const made = object(
    'ApplicationRevision',
    {
      created: number,
      ...parts,
      name: parts.name ?? `checkout-v${number}`,
      labels: { 'app.oam.dev/name': 'checkout', [REVISION_HASH]: hash, ...parts.labels },
      ...(publish !== undefined && { annotations: { ...parts.annotations, [PUBLISH_VERSION]: publish } }),
    },
    {
      spec:
        compression === undefined
          ? { application: { metadata: { name: 'checkout' }, spec }, ...beside }
          : { application: { spec: { components: [] } }, compression },
      status: { succeeded: true, ...parts.status },
    },
  );
  return { ...made, apiVersion: 'core.oam.dev/v1beta1' };
}

/** Labels that an Application puts on everything it creates. */
export function generatedLabels(revision: number, component = 'web'): Record<string, string> {
  return {
    'app.oam.dev/name': 'checkout',
    'app.oam.dev/component': component,
    [APPLICATION_REVISION]: `checkout-v${revision}`,
  };
}
