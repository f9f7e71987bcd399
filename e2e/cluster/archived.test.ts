import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDeployment, deploymentPath, IMAGE, shownAt } from '@/e2e/cluster/deployments';
import { until } from '@/e2e/cluster/fixtures';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { seedNamespace, untilSettled } from '@/e2e/controlplane/seed';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import { diffSchema } from '@/lib/api/diff';
import { type WorkloadDetail, workloadDetailSchema, workloadListSchema } from '@/lib/api/workloads';
import {
  type EarlierIncarnation,
  earlierIncarnationSchema,
  podTrackSchema,
} from '@/lib/api/earlier-incarnation';
import { revisionBodySchema, type RevisionItem } from '@/lib/api/revisions';

const namespace = 'remembered';
const base = shownAt(namespace, 'app');
const TAGS = ['1.0', '1.1', '1.2', '1.3', '1.4'];
const CAUSE = 'kubernetes.io/change-cause';

let cluster: ControlPlane;
let shiplog: Shiplog;

/** Five templates, of which the cluster retains two. */
beforeAll(async () => {
  cluster = await startControlPlane();
  shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin });
  await seedNamespace(cluster, namespace);
  await create('app', TAGS[0] ?? '');
  for (const tag of TAGS.slice(1)) await ship('app', tag);
});

afterAll(async () => {
  await shiplog?.stop();
  await cluster?.stop();
});

async function create(name: string, tag: string): Promise<void> {
  await createDeployment(cluster, namespace, name, {
    ...{ image: `${IMAGE}:${tag}`, replicas: 2, spec: { revisionHistoryLimit: 1 } },
    annotations: { [CAUSE]: `ship ${tag}` },
  });
  await shipped(name, tag);
}

/**
 * Sets the change cause in the same write, as `kubectl apply` does: alone, it would belong to the previous revision.
 */
async function ship(name: string, tag: string): Promise<void> {
  const template = { spec: { containers: [{ name: 'app', image: `${IMAGE}:${tag}` }] } };
  const object = { metadata: { annotations: { [CAUSE]: `ship ${tag}` } }, spec: { template } };
  await cluster
    .client()
    .patch(`${deploymentPath(namespace, name)}?fieldManager=kubectl`, object, 'strategic-merge-patch');
  await shipped(name, tag);
}

/** Until the rollout is complete and its record closed. */
async function shipped(name: string, tag: string): Promise<void> {
  await untilSettled(cluster, 'Deployment', { namespace, name });
  await until(`${tag} is recorded as completed`, async () => {
    const { workload } = await detailOf(name);
    const { lastRollout, images } = workload;
    return images[0]?.image === `${IMAGE}:${tag}` && lastRollout?.record?.outcome === 'completed';
  });
}

async function detailOf(name: string): Promise<WorkloadDetail> {
  return workloadDetailSchema.parse(await shiplog.get(shownAt(namespace, name)));
}

/** Whichever of them the cluster has pruned by now, and the recorder has seen pruned. */
function pruned(name: string, count: number): Promise<WorkloadDetail> {
  return until(`${count} are in the archive alone`, async () => {
    const detail = await detailOf(name);
    const gone = detail.revisions.filter(({ retained }) => !retained);
    return gone.length === count && gone.every(({ archived }) => archived?.prunedAt != null) && detail;
  });
}

const numbers = (revisions: readonly RevisionItem[]) => revisions.map(({ number }) => number);

describe('revisions beyond the limit of a history', () => {
  it('are listed in order with number, change cause, images and what they changed', async () => {
    const { revisions, gaps, partial, workload } = await pruned('app', 3);
    expect(numbers(revisions)).toEqual([5, 4, 3, 2, 1]);
    expect({ gaps, partial }).toEqual({ gaps: [], partial: [] });
    expect(revisions.map(({ changeCause }) => changeCause)).toEqual(
      TAGS.toReversed().map((tag) => `ship ${tag}`),
    );
    expect(revisions.map(({ images }) => images[0]?.image)).toEqual(
      TAGS.toReversed().map((tag) => `${IMAGE}:${tag}`),
    );
    expect(revisions.slice(0, -1).map(({ summary }) => summary)).toEqual(
      [3, 2, 1, 0].map((index) => `image ${TAGS[index]} → ${TAGS[index + 1]}`),
    );
    for (const { archived, live, pods } of revisions.slice(2)) {
      expect(archived).toMatchObject({ hasTemplate: true, prunedAt: expect.any(String) as unknown });
      expect({ live, pods }).toEqual({ live: false, pods: { total: 0, ready: 0 } });
    }
    expect(workload.defaultTarget).toMatchObject({ number: 4, why: expect.stringMatching(/^completed on /) });
  });

  it('have the times and outcomes of their rollouts, one after the other', async () => {
    const { revisions } = await detailOf('app');
    const activations = revisions.toReversed().flatMap((revision) => revision.activations);
    expect(activations.map(({ open }) => open)).toEqual([false, false, false, false, true]);
    expect(activations.map(({ record }) => record?.outcome)).toEqual(TAGS.map(() => 'completed'));
    activations.forEach(({ from, to }, index) => {
      expect(from).not.toBeNull();
      expect(to).toBe(activations[index + 1]?.from ?? null);
    });
  });

  it('are compared and read, by number as by id', async () => {
    const { revisions } = await detailOf('app');
    const first = revisions.at(-1);
    for (const from of ['1', first?.id]) {
      const diff = diffSchema.parse(await shiplog.get(`${base}/diff?from=${from}&to=live&yaml=1`));
      expect(diff).toMatchObject({ summary: 'image 1.0 → 1.4', from: { number: 1, revisionId: first?.id } });
      const body = revisionBodySchema.parse(await shiplog.get(`${base}/revisions/${from}`));
      expect(body).toMatchObject({ number: 1, id: first?.id });
      expect(JSON.stringify(body.template)).toContain(`${IMAGE}:1.0`);
      expect(JSON.stringify(body.template)).not.toContain('pod-template-hash');
    }
    expect((await shiplog.fetch(`${base}/revisions/77`)).status).toBe(404);
  });

  it('have their pods over time, and rows with the outcome of the last rollout', async () => {
    const { revisions } = await detailOf('app');
    const track = podTrackSchema.parse(await shiplog.get(`${base}/track`));
    expect(track.rollouts).toHaveLength(TAGS.length);
    const known = new Set(revisions.map(({ id }) => id));
    for (const { samples } of track.rollouts)
      for (const { pods } of samples) for (const { revisionId } of pods) expect(known).toContain(revisionId);
    const { items } = workloadListSchema.parse(await shiplog.get(`/api/workloads?namespace=${namespace}`));
    expect(items[0]?.lastRollout).toMatchObject({ to: 5, record: { outcome: 'completed' } });
    const found = await shiplog.get('/api/workloads?q=ship+1.4');
    expect(found.items).toHaveLength(1);
  });
});

describe('a workload that was deleted and created again', () => {
  let before: WorkloadDetail;

  beforeAll(async () => {
    before = await pruned('app', 3);
    await cluster.client().remove(deploymentPath(namespace, 'app'));
    await until('it is gone', async () => (await shiplog.fetch(base)).status === 404);
  });

  it('is deleted, and has one incarnation', async () => {
    const { uid } = before.workload;
    await until('the end of its incarnation is recorded', async () => {
      const { error } = await (await shiplog.fetch(base)).json();
      return error.details.incarnations?.[0]?.to != null;
    });
    const past: EarlierIncarnation = earlierIncarnationSchema.parse(await shiplog.get(`${base}?uid=${uid}`));
    expect(numbers(past.revisions)).toEqual([5, 4, 3, 2, 1]);
    expect(past.revisions.every(({ retained }) => !retained)).toBe(true);
    const [last, first] = [past.revisions[0]?.id, past.revisions[4]?.id];
    const diff = await shiplog.get(`${base}/diff?from=${first}&to=${last}`);
    expect(diff.summary).toBe('image 1.0 → 1.4');
  });

  it('has two incarnations; numbers mean the current one, ids either', async () => {
    await create('app', '2.0');
    const { uid } = before.workload;
    const { incarnations, revisions, workload } = await detailOf('app');
    expect(incarnations.map((incarnation) => incarnation.uid)).toEqual([workload.uid, uid]);
    expect(incarnations.map(({ to }) => to === null)).toEqual([true, false]);
    expect(numbers(revisions)).toEqual([1]);
    const old = before.revisions.at(-1)?.id;
    expect((await shiplog.get(`${base}/revisions/1`)).id).toBe(revisions[0]?.id);
    expect((await shiplog.get(`${base}/revisions/${old}`)).id).toBe(old);
    expect((await shiplog.get(`${base}/diff?from=${old}&to=1`)).summary).toBe('image 1.0 → 2.0');
    expect((await shiplog.fetch(`${base}/revisions/3`)).status).toBe(404);
    expect((await shiplog.fetch(`${base}?uid=nobody`)).status).toBe(404);
    expect(await shiplog.get(`${base}?uid=${workload.uid}`)).toMatchObject({
      workload: { uid: workload.uid },
    });
  });
});
