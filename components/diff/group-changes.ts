import type { ChangeItem } from '@/lib/api/diff';
import { type Concern, concerns, isApplicationPartKind } from '@/lib/api/diff-values';

interface ConcernGroup {
  concern: Concern;
  changes: ChangeItem[];
}

/**
 * The changes of one container, of one component of an Application, or of the pod itself (`container` null), by
 * concern.
 */
export interface ContainerGroup {
  /** The key of the group. */
  key: string;
  container: string | null;
  kind: ChangeItem['containerKind'];
  count: number;
  restarts: boolean;
  concerns: ConcernGroup[];
}

export const concernLabels: Record<Concern, string> = {
  image: 'Image',
  resources: 'Resources',
  env: 'Env',
  probes: 'Probes',
  volumes: 'Volumes',
  security: 'Security',
  scheduling: 'Scheduling',
  metadata: 'Metadata',
  other: 'Other',
};

/** Reading order within a container: what runs, its configuration, its probes, the rest. */
const readingOrder: readonly Concern[] = [
  'image',
  'env',
  'resources',
  'probes',
  'volumes',
  'security',
  ...concerns,
];

/** Containers in the order of their first change, the pod itself last. */
export function groupChanges(changes: readonly ChangeItem[]): ContainerGroup[] {
  // Components of an Application may share a name if their kinds differ.
  const containers = Map.groupBy(changes, ({ container, containerKind }) =>
    container === null ? null : `${isApplicationPartKind(containerKind) ? containerKind : ''} ${container}`,
  );
  const groups = [...containers].map(([key, all]) => groupOf(key, all));
  return groups.sort((a, b) => Number(a.container === null) - Number(b.container === null));
}

/** The heading of a group: what its changes belong to. */
export const groupLabels = {
  container: 'Container',
  init: 'Init container',
  ephemeral: 'Ephemeral container',
  component: 'Component',
  policy: 'Policy',
  step: 'Workflow step',
  workflow: 'Workflow',
  definition: 'Definition',
  object: 'Object',
  pod: 'Pod',
} as const satisfies Record<NonNullable<ChangeItem['containerKind']> | 'pod', string>;

function groupOf(key: string | null, all: ChangeItem[]): ContainerGroup {
  const container = all[0]?.container ?? null;
  const byConcern = Map.groupBy(all, (change) => change.concern);
  return {
    key: key ?? '',
    container,
    kind: all[0]?.containerKind ?? null,
    count: all.length,
    restarts: all.some((change) => change.restarts),
    concerns: [...new Set(readingOrder)].flatMap((concern) => {
      const members = byConcern.get(concern);
      return members ? [{ concern, changes: members }] : [];
    }),
  };
}

/** The changes in reading order. */
export function sortForReading(changes: readonly ChangeItem[]): ChangeItem[] {
  return groupChanges(changes).flatMap((group) => group.concerns.flatMap((concern) => concern.changes));
}

/** Number of changes of each kind. */
export function countKinds(changes: readonly ChangeItem[]): Record<ChangeItem['kind'], number> {
  const counts = { added: 0, removed: 0, changed: 0, moved: 0 };
  for (const change of changes) counts[change.kind] += 1;
  return counts;
}

/** The label without the word that the concern's column already shows: `LOG_LEVEL` for `env LOG_LEVEL`. */
export function fieldName({ label, concern }: Pick<ChangeItem, 'label' | 'concern'>): string {
  const prefix = concern === 'env' ? 'env ' : concern === 'volumes' ? 'volume ' : '';
  return prefix !== '' && label.startsWith(prefix) ? label.slice(prefix.length) : label;
}

/** The familiar form of the path: `app.image` for `spec.containers[app].image`. */
export function fieldPath(path: string): string {
  return path
    .replace(/^spec\./, '')
    .replace(/^(?:c|initC|ephemeralC)ontainers\[([^\]]*)\]\.(?=.)/, '$1.')
    .replace(/^application\./, '');
}
