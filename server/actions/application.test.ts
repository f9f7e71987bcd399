import { zstdCompressSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { rollbackRequestSchema } from '@/lib/api/actions';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import {
  applicationObject,
  type ApplicationParts,
  applicationRevision,
  applicationSpec,
  generatedLabels,
  type RevisionParts,
} from '@/lib/workloads/testing/application';
import { at, NAMESPACE, object, pod, WORKLOAD_UID } from '@/lib/workloads/testing/objects';
import { ana, openShop, path as deploymentPath, ref as deploymentRef } from '@/server/actions/testing/shop';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { MemoryArchive } from '@/server/recorder/testing/memory-archive';
import { recorderOf } from '@/server/recorder/testing/recorder-of';

const ref = { resource: 'applications.core.oam.dev', namespace: NAMESPACE, name: 'checkout' };
const path = `/apis/core.oam.dev/v1beta1/namespaces/${NAMESPACE}/applications/checkout`;

const scaler: JsonObject = {
  kind: 'TraitDefinition',
  metadata: { name: 'scaler', namespace: 'vela-system' },
  spec: { appliesToWorkloads: ['deployments.apps'] },
};

let shop: ReturnType<typeof openShop>;

beforeEach(() => {
  // Its Deployment has the uid that all workloads of the tests have.
  shop = openShop([]);
  shop.cluster.remove(deploymentPath);
});

/** A revision as KubeVela stores it once its rollout is recorded. */
function packed(number: number, image: string, parts: RevisionParts = {}): KubeObject {
  const plain = applicationRevision(number, image, {
    beside: { traitDefinitions: { scaler } },
    ...parts,
  });
  const data = zstdCompressSync(JSON.stringify(plain.spec)).toString('base64');
  return applicationRevision(number, image, { ...parts, compression: { type: 'zstd', data } });
}

function show(parts: ApplicationParts = {}, revisions = [packed(1, '1'), packed(2, '2')]): void {
  for (const revision of revisions) shop.cluster.put(revision);
  const latest = parts.latest ?? 2;
  shop.cluster.put(
    object(
      'Deployment',
      { name: 'web', owner: null, labels: generatedLabels(latest) },
      { spec: { replicas: 1 } },
    ),
  );
  shop.cluster.put(pod('web-1', { owner: 'uid-web' }));
  shop.cluster.put(applicationObject({ publish: 'first', ...parts }));
}

const seen = () => {
  const workload = shop.cluster.cache.workload(ref.resource, ref.namespace, ref.name);
  return shop.keys.preconditionToken('cluster', WORKLOAD_UID, workload?.bodyId ?? '');
};
const rollBack = (members: object = {}) =>
  shop.actions.rollback(ana, ref, rollbackRequestSchema.parse({ to: 1, seen: seen(), ...members }));

describe('a rollback of an Application', () => {
  test('shows the changes, writes the decompressed spec with a new publishVersion, and is followed to its end', async () => {
    show();
    shop.cluster.store({ apiVersion: 'core.oam.dev/v1beta1', ...scaler } as unknown as KubeObject);
    const tried = await rollBack({ dryRun: true });
    expect(tried).toMatchObject({
      applied: false,
      diff: { summary: 'web image 2 → 1', changes: [{ containerKind: 'component', container: 'web' }] },
      dryRun: { accepted: true },
    });
    expect(shop.cluster.get(path).spec).toEqual(applicationSpec('2'));

    const answer = await rollBack();
    const { spec, metadata } = shop.cluster.get(path);
    expect(spec).toEqual(applicationSpec('1'));
    const publish = metadata.annotations?.['app.oam.dev/publishVersion'] ?? '';
    expect(publish).toBe('rollback-1-1');
    const id = answer.result?.actionId ?? '';
    const { generation } = metadata;
    const written = { publish, spec, ...(generation && { generation }) };
    const own = shop.cluster.get(path).status;
    show({ ...written, status: { ...own, observedGeneration: generation ?? 0 } });
    await shop.cluster.settled();
    expect(await shop.actions.get(ana, id)).toMatchObject({ state: 'accepted' });
    show({ ...written, latest: 3, phase: 'runningWorkflow' }, [packed(3, '1', { publish })]);
    await shop.cluster.settled();
    expect(await shop.actions.get(ana, id)).toMatchObject({ state: 'following', recordedAs: 3 });
    show({ ...written, latest: 3 }, []);
    await shop.cluster.settled();
    expect(await shop.actions.get(ana, id)).toMatchObject({ state: 'done', recordedAs: 3 });
  });

  test('warns where a definition has changed or is missing', async () => {
    show();
    const codes = async () => (await rollBack({ dryRun: true })).findings.map(({ code }) => code);
    expect(await codes()).toContain('definition_gone');
    const changed = { ...scaler, apiVersion: 'core.oam.dev/v1beta1', spec: { podDisruptive: true } };
    shop.cluster.store(changed as unknown as KubeObject);
    expect(await codes()).toContain('definition_changed');
  });

  test('writes nothing where the Application was written meanwhile, or the revision cannot be decoded', async () => {
    show();
    const before = seen();
    show({ spec: applicationSpec('9'), resourceVersion: '7' });
    await expect(rollBack({ seen: before })).rejects.toMatchObject({ code: 'changed' });
    show({}, [applicationRevision(1, '1', { compression: { type: 'zstd', data: 'AAAA' } }), packed(2, '2')]);
    const refused = rollBack();
    await expect(refused).rejects.toMatchObject({ code: 'refused' });
    await expect(refused).rejects.toThrow(
      /cannot be decoded: its zstd data is damaged\. Nothing was applied\./,
    );
    expect(shop.writes()).toEqual([]);
  });
});

test('a workload that an Application generated is not rolled back by itself', async () => {
  shop = openShop();
  const made = shop.cluster.get(deploymentPath);
  shop.cluster.put({ ...made, metadata: { ...made.metadata, labels: generatedLabels(2) } });
  const request = shop.request({ dryRun: true });
  const { findings } = await shop.actions.rollback(ana, deploymentRef, request);
  expect(findings.find(({ severity }) => severity === 'refusal')).toMatchObject({
    code: 'application_owner',
    action: 'Roll back Application checkout instead.',
  });
});

test('records rollouts of Applications, and recognizes one that is compressed or requested again later', async () => {
  const clock = new VirtualClock();
  const archive = new MemoryArchive();
  await clock.advance(Date.parse(at(10)));
  const recorder = recorderOf(shop.cluster, archive, clock);
  // The annotation of the revisions does not count here: only the status says which one is desired.
  const step = async (parts: ApplicationParts, revisions: KubeObject[]) => {
    show({ publish: 'same', ...parts }, revisions);
    await clock.advance(60_000);
  };
  recorder.start();
  const first = applicationRevision(1, '1', { beside: { traitDefinitions: { scaler } } });
  const second = applicationRevision(2, '2', { beside: { traitDefinitions: { scaler } } });
  await step({ latest: 1 }, [first]);
  await step({ latest: 1 }, [packed(1, '1')]);
  await step({ latest: 2, phase: 'runningWorkflow' }, [second]);
  await step({ latest: 2 }, [packed(2, '2')]);
  await step({ latest: 1, phase: 'runningWorkflow' }, []);
  await step({ latest: 1 }, []);
  await recorder.stop();
  const records = archive.recordsOfName('checkout');
  expect(records.map(({ to, outcome, summary }) => [to.number, outcome, summary])).toEqual([
    [1, 'completed', expect.anything()],
    [2, 'completed', 'web image 1 → 2'],
    [1, 'completed', 'web image 2 → 1'],
  ]);
  expect(new Set(records.map(({ to }) => to.hash)).size).toBe(2);
});
