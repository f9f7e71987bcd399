import type { KubeClient } from '@/e2e/controlplane/kube-client';

/** Masks in kubectl's output what two clusters cannot have in common. */
interface Masks {
  /** Registers the generated names that exist now. */
  learn(): Promise<void>;
  mask(text: string): string;
}

interface Item {
  metadata: {
    name: string;
    generateName?: string;
    creationTimestamp: string;
    labels?: Record<string, string>;
  };
  data?: { spec: { template: { metadata?: { annotations?: Record<string, string> } } } };
}

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const PATTERNS: [pattern: RegExp, mask: string][] = [
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
  [/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '<time>'],
  [/\b10(\.\d{1,3}){3}\b/g, '<ip>'],
  [/\bworker-\d\b/g, '<node>'],
  [/(resourceVersion"?: )"\d+"|(Resource Version:)\s+\d+/g, '$1$2<version>'],
  // Only the users of the real control plane have a group of their own.
  [/\[shiplog-test /g, '['],
  // How many steps a rollout takes depends on how quickly pods become ready.
  [/^.*\(combined from similar events\).*\n/gm, ''],
  [/from \d+ to \d+$/gm, 'from <n> to <n>'],
  [/ \(x\d+ over [\dhms]+\)/g, ''],
  [/(?<=[\s(])(<invalid>|(\d+[dhms])+)(?= ago\)|\s|$)/gm, '<age>'],
  [/https:\/\/127\.0\.0\.1:\d+/g, '<server>'],
  [/(?<=\S)[ \t]{2,}/g, '  '],
  [/[ \t]+$/gm, ''],
];

/**
 * Uids, versions, times, addresses and nodes become placeholders; hashes of pod templates are counted in the order of
 * their first appearance. Those of StatefulSets are unchanged, because they depend on the template alone, except in
 * templates that contain the time of a restart.
 */
export function createMasks(client: KubeClient, namespace: string): Masks {
  const names = new Map<string, string>();
  const list = async (path: string) =>
    (await client.get<{ items: Item[] }>(path.replace('*', `namespaces/${namespace}`))).items;
  const learnHashes = (items: Item[], labels: string[], kind: string): void => {
    const oldestFirst = items.toSorted((a, b) =>
      a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp),
    );
    for (const { metadata } of oldestFirst) {
      const hash = labels.map((label) => metadata.labels?.[label]).find((value) => value !== undefined);
      if (hash === undefined || names.has(hash)) continue;
      const known = [...names.values()].filter((mask) => mask.startsWith(`<${kind}`)).length;
      names.set(hash, `<${kind}-${known + 1}>`);
    }
  };
  return {
    learn: async () => {
      const [pods, replicaSets, revisions] = await Promise.all(
        ['/api/v1/*/pods', '/apis/apps/v1/*/replicasets', '/apis/apps/v1/*/controllerrevisions'].map(list),
      );
      for (const { metadata } of pods ?? []) {
        const { name, generateName } = metadata;
        if (generateName !== undefined && name.startsWith(generateName))
          names.set(name, `${generateName}<random>`);
      }
      learnHashes(replicaSets ?? [], ['pod-template-hash'], 'hash');
      learnHashes(
        (revisions ?? []).filter(isUnpredictable),
        ['controller-revision-hash', 'controller.kubernetes.io/hash'],
        'revision',
      );
    },
    mask: (text) => {
      // Uids come first: one may end in what looks like a name.
      let masked = text.replace(UUID, '<uid>');
      // Names of pods come before the hashes that they contain.
      for (const [name, mask] of [...names].sort(([a], [b]) => b.length - a.length))
        masked = masked.replaceAll(name, mask);
      for (const [name, mask] of names) masked = masked.replaceAll(name, mask);
      for (const [pattern, mask] of PATTERNS) masked = masked.replace(pattern, mask);
      return masked;
    },
  };
}

function isUnpredictable({ metadata, data }: Item): boolean {
  const { annotations = {} } = data?.spec.template.metadata ?? {};
  return metadata.name.startsWith('agent-') || 'kubectl.kubernetes.io/restartedAt' in annotations;
}
