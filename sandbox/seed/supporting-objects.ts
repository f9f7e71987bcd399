import type { JsonObject } from '@/lib/kube/json';
import { groupOf } from '@/lib/kube/object';
import { textAt } from '@/lib/kube/read';
import { definitionGroups } from '@/sandbox/crds/crds';
import { ownersOf } from '@/sandbox/seed/owners';
import { type SeedWrite, seedWritesOf } from '@/sandbox/seed/seed-writes';
import { flux } from '@/sandbox/seed/story';
import {
  configOf,
  labelsOf,
  manifest,
  pathOf,
  secretOf,
  type SeedObject,
  type WorkloadSeed,
} from '@/sandbox/seed/workload';

/** A Kustomization reconciles every few minutes, which would take longer than the rest of the month. */
const RECONCILED_MS = 3_600_000;

/** Besides the workloads: the objects that a rollback is checked against. */
const LIMITS = manifest('v1', 'LimitRange', 'shop/defaults', {
  spec: { limits: [{ type: 'Container', max: { cpu: '8', memory: '16Gi' } }] },
});

/**
 * What must exist before the workloads: definitions of kinds, namespaces, ConfigMaps, Secrets, and traffic
 * objects, created at `at`; Kustomizations later, before `end`.
 */
export function supportingObjectsOf(fleet: readonly WorkloadSeed[], at: number, end: number): SeedWrite[] {
  const owners = ownersOf(fleet);
  const required = [...fleet.flatMap(({ prerequisites = [] }) => prerequisites), ...owners, LIMITS];
  const workloads = fleet.flatMap((seed) => seedWritesOf(seed, end)).flatMap(createdBy);
  const objects = [
    ...definitionsOf([...required, ...workloads]),
    ...namespacesOf([...workloads, ...owners]),
    ...fleet.flatMap(configsOf),
    ...required,
  ];
  // Versions of one component share their ConfigMap.
  const once = new Map(objects.map((object) => [pathOf(object), object]));
  return [...once.values()].map((object) => {
    const isLate = object.kind === 'Kustomization';
    return { at: isLate ? end - RECONCILED_MS : at, by: flux, do: 'create', object };
  });
}

function createdBy(write: SeedWrite): SeedObject[] {
  return write.do === 'create' || write.do === 'apply' ? [write.object] : [];
}

function definitionsOf(objects: readonly SeedObject[]): SeedObject[] {
  const kinds = new Set(objects.map(({ apiVersion, kind }) => `${groupOf(apiVersion)}/${kind}`));
  const kindIn = ({ spec }: JsonObject) => `${textAt(spec, 'group')}/${textAt(spec, 'names', 'kind')}`;
  return definitionGroups()
    .filter((group) => group.some((definition) => kinds.has(kindIn(definition))))
    .flat() as SeedObject[];
}

function namespacesOf(objects: readonly SeedObject[]): SeedObject[] {
  const names = new Set(objects.map(({ metadata }) => metadata.namespace ?? ''));
  return [...names].sort().map((name) => manifest('v1', 'Namespace', name, {}));
}

function configsOf({ app }: WorkloadSeed): SeedObject[] {
  const place = (name: string) => `${app.namespace}/${name}`;
  const data = { 'app.yaml': `name: ${app.component ?? app.name}\nshutdown: 20s\n` };
  const config = manifest('v1', 'ConfigMap', place(configOf(app)), { data }, labelsOf(app));
  if (app.hasSecret !== true) return [config];
  const password = Buffer.from(`not-a-real-password-of-${app.name}`).toString('base64');
  const members = { type: 'Opaque', data: { password } };
  return [config, manifest('v1', 'Secret', place(secretOf(app)), members, labelsOf(app))];
}
