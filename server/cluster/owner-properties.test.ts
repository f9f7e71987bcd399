import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KubeObject, OwnerReference } from '@/lib/kube/object';
import { ownerKind } from '@/lib/producers/owner-kind';
import type { WorkloadKind } from '@/lib/workloads/kind';
import { cloneSet } from '@/lib/workloads/kinds/clone-set';
import { leaderWorkerSet } from '@/lib/workloads/kinds/leader-worker-set';
import { statefulSet } from '@/lib/workloads/kinds/stateful-set';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { BodyStore } from '@/server/cluster/body-store';
import { IndexedCache } from '@/server/cluster/indexed-cache';
import type { StoreChange } from '@/server/cluster/store-change';
import { OwnerHistories } from '@/server/cluster/owner-histories';
import type { OwnerReadState } from '@/server/cluster/owner-index';
import { ingestSource, ingestWorkload, type IngestContext, SemanticIds } from '@/server/cluster/ingest';

const fleet = ownerKind({
  id: 'fleets.example.com',
  group: 'example.com',
  versions: ['v1'],
  plural: 'fleets',
  kind: 'Fleet',
});
const kinds: readonly WorkloadKind[] = [statefulSet, cloneSet, leaderWorkerSet, fleet];
const OTHERS = [
  ['apps/v1', 'DaemonSet'],
  ['core.oam.dev/v1beta1', 'Application'],
  ['core.oam.dev/v1beta1', 'ResourceTracker'],
  ['core.oam.dev/v1alpha2', 'Component'],
  ['kubevirt.io/v1', 'VirtualMachine'],
  ['v1', 'Pod'],
] as const;

const namespace = fc.constantFrom('shop', 'mall');
const labels = fc.dictionary(
  fc.constantFrom('controller.oam.dev/component', 'app', 'x-hash'),
  fc.constantFrom('a', 'web', ''),
  { maxKeys: 3 },
);
const spec = { template: { spec: { containers: [{ name: 'app', image: 'app:1' }] } } };

/** A uid belongs to one object only: its kind and namespace follow from it. */
const objects = Array.from({ length: 8 }, (_, index) => {
  const kind = kinds[index % kinds.length] ?? fleet;
  return { kind, uid: `u${index}`, namespace: index < 5 ? 'shop' : 'mall', name: `n${index % 3}` };
});

const reference = fc.oneof(
  fc.constantFrom(...objects).map(({ kind: { resource }, uid, name }): OwnerReference => ({
    apiVersion: `${resource.group}/${resource.versions[0] ?? 'v1'}`,
    kind: resource.kind,
    name,
    uid,
    controller: true,
  })),
  fc.constantFrom(...OTHERS).map(([apiVersion, kind]): OwnerReference => ({
    apiVersion,
    kind,
    name: 'other',
    uid: `uid-of-${kind}`,
    controller: true,
  })),
);

/** An object owns nothing in another namespace. */
const revision = fc
  .record({
    id: fc.nat(9),
    namespace,
    labels,
    data: fc.constantFrom<KubeObject['data']>(
      { spec },
      {},
      { spec: { template: 'none' } },
      { novel: [1] },
      undefined,
    ),
    owner: fc.option(reference),
    isDeleted: fc.boolean(),
  })
  .map((made) => ({
    ...made,
    namespace: objects.find(({ uid }) => uid === made.owner?.uid)?.namespace ?? made.namespace,
  }));

const workload = fc.record({
  of: fc.nat(objects.length - 1),
  app: fc.constantFrom('a', 'web', 'b'),
  owner: fc.option(reference),
  isDeleted: fc.boolean(),
});

type Step =
  | ({ step: 'revision' } & (typeof revision extends fc.Arbitrary<infer T> ? T : never))
  | ({ step: 'workload' } & (typeof workload extends fc.Arbitrary<infer T> ? T : never));

const steps = fc.array(
  fc.oneof(
    revision.map((made): Step => ({ step: 'revision', ...made })),
    workload.map((made): Step => ({ step: 'workload', ...made })),
  ),
  { maxLength: 30 },
);

function metadataOf(uid: string, name: string, place: string, owner: OwnerReference | null) {
  return {
    name,
    namespace: place,
    uid,
    resourceVersion: '1',
    creationTimestamp: '2026-08-01T12:00:00Z',
    ...(owner && { ownerReferences: [owner] }),
  };
}

/** A cache in which everything has been read, with the owners that the API server reported as deleted. */
function setUp(
  sightOf: (owner: { kind: string }) => OwnerReadState = ({ kind }) =>
    kind === 'Pod' ? 'unreadable' : kind === 'VirtualMachine' ? 'gone' : 'read',
) {
  const bodies = new BodyStore();
  const semantic = new SemanticIds(bodies);
  const context: IngestContext = { bodies, semantic };
  const cache = new IndexedCache({
    kinds: workloadKinds,
    bodies,
    semantic,
    states: () => [],
    onChange: () => undefined,
  });
  const histories = new OwnerHistories(cache, { readStateOf: sightOf });
  cache.extend(histories);
  histories.addKind(fleet);
  const kept = new Map<string, { uid: string }>();
  function change<T extends { uid: string }>(
    value: T,
    isDeleted: boolean,
    apply: (change: StoreChange<T>) => void,
  ) {
    const previous = kept.get(value.uid) as T | undefined;
    if (isDeleted) {
      kept.delete(value.uid);
      if (previous !== undefined) apply({ type: 'deleted', value: previous, previous });
    } else {
      kept.set(value.uid, value);
      apply(previous === undefined ? { type: 'added', value } : { type: 'updated', value, previous });
    }
  }
  /** Children live in the namespace of their parent, and are deleted with it. */
  const isWhole = (index: number) => objects[index]?.kind === leaderWorkerSet;
  const ownerIn = (place: string, owner: OwnerReference | null): OwnerReference | null => {
    if (owner?.kind !== leaderWorkerSet.resource.kind) return owner;
    const { uid, name } =
      objects.find(({ kind, namespace }) => kind === leaderWorkerSet && namespace === place) ?? owner;
    return { ...owner, uid, name };
  };
  const take = (step: Step) => {
    if (step.step === 'revision') {
      const { id, namespace: place, labels: own, owner, data, isDeleted } = step;
      const metadata = { ...metadataOf(`r${id}`, `r-${id}`, place, owner), labels: own };
      const object: KubeObject = {
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
        metadata,
        revision: 1,
        ...(data && { data }),
      };
      change(ingestSource(controllerRevisions, object, context), isDeleted, (made) =>
        cache.changeSource(made),
      );
      return;
    }
    const { app, owner, isDeleted } = step;
    const of = objects[step.of];
    if (of === undefined) return;
    const object: KubeObject = {
      apiVersion: `${of.kind.resource.group}/v1`,
      kind: of.kind.resource.kind,
      metadata: metadataOf(
        of.uid,
        of.name,
        of.namespace,
        isWhole(step.of) ? null : ownerIn(of.namespace, owner),
      ),
      spec: { ...spec, selector: { matchLabels: { app } } },
    };
    change(ingestWorkload(of.kind, object, context), isDeleted && !isWhole(step.of), (made) =>
      cache.changeWorkload(made),
    );
  };
  /** Lets the cache settle, and marks every missing owner as deleted. */
  const settle = async () => {
    for (let round = 0; round < 3; round += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      for (const { uid } of [...histories.missing()]) histories.markDeleted(uid);
    }
  };
  objects.forEach((_, of) => {
    if (isWhole(of)) take({ step: 'workload', of, app: 'b', owner: null, isDeleted: false });
  });
  return { cache, take, settle };
}

test('shows every ControllerRevision once, whatever is added or deleted and whatever its content', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const { cache, take, settle } = setUp();
      const there = new Map<string, string>();
      for (const step of all) {
        take(step);
        if (step.step !== 'revision') continue;
        if (step.isDeleted) there.delete(`r${step.id}`);
        else there.set(`r${step.id}`, step.namespace);
        // The cache observes some of it before the next change.
        if (step.id % 3 === 0) await settle();
      }
      await settle();
      const pages = [...cache.workloads()];
      const parts = pages
        .flatMap((page) => cache.childrenOf(page))
        .filter((part) => !pages.includes(part) && cache.kindOf(part.resource) !== undefined);
      const shown = [
        ...[...pages, ...parts].flatMap((page) => cache.sourcesOf(page)),
        ...pages.flatMap((page) => cache.orphansOf(page)),
      ];
      expect(shown.map(({ uid }) => uid).toSorted()).toEqual([...there.keys()].toSorted());
      for (const page of pages) {
        const kind = cache.kindOf(page.resource);
        const input = { workload: page, sources: cache.sourcesOf(page), orphans: [], pods: [] };
        const { revisions = [], stored = [] } = kind?.history(input) ?? {};
        // Of a LeaderWorkerSet, several objects may have one revision.
        if (kind === leaderWorkerSet) continue;
        const told = [...revisions.map(({ source }) => source), ...stored];
        expect(told.map(({ uid }) => uid).toSorted()).toEqual(input.sources.map(({ uid }) => uid).toSorted());
      }
    }),
    { numRuns: 150 },
  );
});

test.each(['read', 'reading'] as const)(
  'a workload that arrives after its first revision has that one, and all later ones (its kind is %s)',
  async (sight) => {
    const { cache, take, settle } = setUp(() => sight);
    const [of] = objects;
    const owner: OwnerReference = {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      name: of?.name ?? '',
      uid: of?.uid ?? '',
      controller: true,
    };
    const made = {
      step: 'revision',
      namespace: 'shop',
      labels: {},
      data: { spec },
      owner,
      isDeleted: false,
    } as const;
    take({ ...made, id: 1 });
    await settle();
    take({ step: 'workload', of: 0, app: 'a', owner: null, isDeleted: false });
    take({ ...made, id: 2 });
    await settle();
    const page = cache.workload('statefulsets.apps', 'shop', owner.name);
    expect(page && cache.sourcesOf(page).map(({ uid }) => uid)).toEqual(['r1', 'r2']);
    expect([...cache.workloads()].filter(({ resource }) => resource === 'statefulsets.apps')).toEqual([page]);
  },
);
