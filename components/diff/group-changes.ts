import { type ChangeItem } from '@/lib/api/diff';
import { concerns, isPartKind } from '@/lib/diff/change';

export type Concern = ChangeItem['concern'];

export interface ConcernGroup {
  concern: Concern;
  changes: ChangeItem[];
}

/** The changes of one container or part of an Application, or of the pod itself (`container` null), by concern. */
export interface ContainerGroup {
  /** Tells it from the others. */
  key: string;
  container: string | null;
  kind: ChangeItem['containerKind'];
  count: number;
  restarts: boolean;
  concerns: ConcernGroup[];
}

export const concernWords: Record<Concern, string> = {
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

/** Reading order within a container: what runs, with what, how it is watched; the rest after. */
const reading: readonly Concern[] = [
  'image',
  'env',
  'resources',
  'probes',
  'volumes',
  'security',
  ...concerns,
];

/** Containers in the order in which they come, the pod itself last. */
export function groupChanges(changes: readonly ChangeItem[]): ContainerGroup[] {
  // Parts of an Application may share a name where they are of different kinds.
  const containers = Map.groupBy(changes, ({ container, containerKind }) =>
    container === null ? null : `${isPartKind(containerKind) ? containerKind : ''} ${container}`,
  );
  const groups = [...containers].map(([key, all]) => groupOf(key, all));
  return groups.sort((a, b) => Number(a.container === null) - Number(b.container === null));
}

/** How the head of a group calls what its changes belong to. */
export const groupWords = {
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
    concerns: [...new Set(reading)].flatMap((concern) => {
      const members = byConcern.get(concern);
      return members ? [{ concern, changes: members }] : [];
    }),
  };
}

/** The changes in the order in which they are read on screen. */
export function inReadingOrder(changes: readonly ChangeItem[]): ChangeItem[] {
  return groupChanges(changes).flatMap((group) => group.concerns.flatMap((concern) => concern.changes));
}

/** How many there are of each kind. */
export function countKinds(changes: readonly ChangeItem[]): Record<ChangeItem['kind'], number> {
  const counts = { added: 0, removed: 0, changed: 0, moved: 0 };
  for (const change of changes) counts[change.kind] += 1;
  return counts;
}

/** The label without the word that the concern's column says already: `LOG_LEVEL` for `env LOG_LEVEL`. */
export function fieldName({ label, concern }: Pick<ChangeItem, 'label' | 'concern'>): string {
  const said = concern === 'env' ? 'env ' : concern === 'volumes' ? 'volume ' : '';
  return said !== '' && label.startsWith(said) ? label.slice(said.length) : label;
}

/** The path as people point at it: `app.image` for `spec.containers[app].image`. */
export function fieldPath(path: string): string {
  return path
    .replace(/^spec\./, '')
    .replace(/^(?:c|initC|ephemeralC)ontainers\[([^\]]*)\]\.(?=.)/, '$1.')
    .replace(/^application\./, '');
}
