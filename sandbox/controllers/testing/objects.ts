import type { Pod, PodStatus } from '@/sandbox/controllers/objects/pod';
import { timeText } from '@/sandbox/controllers/objects/time';

export const T0 = Date.parse('2026-03-01T12:00:00Z');

interface PodFacts {
  readonly labels?: Record<string, string>;
  readonly status?: PodStatus;
}

/** A pod with one container, ready since T0. */
export function pod(name: string, { labels, status }: PodFacts = {}): Pod {
  const time = timeText(T0);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      resourceVersion: '1',
      creationTimestamp: time,
      labels: { app: 'web', ...labels },
    },
    spec: { nodeName: 'n1', containers: [{ name: 'app', image: 'web:1' }] },
    status: status ?? {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: time }],
    },
  };
}
