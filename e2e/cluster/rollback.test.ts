import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import {
  BIG_INTEGER,
  kubectl,
  makeHistory,
  nativeKinds,
  readObject,
  resourceOf,
  rolledOut,
  until,
} from '@/e2e/cluster/fixtures';
import { needs } from '@/e2e/cluster/needs';
import { seedNamespace } from '@/e2e/controlplane/seed';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';

const ours = 'ours';
const theirs = 'theirs';
let cluster: ControlPlane;
let shiplog: Shiplog;

beforeAll(async () => {
  cluster = await startControlPlane();
  shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin });
  await Promise.all([ours, theirs].map((namespace) => seedNamespace(cluster, namespace)));
  await Promise.all(
    nativeKinds.flatMap((kind) =>
      [ours, theirs].map((namespace) => makeHistory(cluster, kind, namespace, 'app')),
    ),
  );
});

afterAll(async () => {
  await shiplog?.stop();
  await cluster?.stop();
});

describe.runIf(await needs('Rollback', 'kubectl')).each(nativeKinds)('a rollback of a %s', (kind) => {
  const base = `/api/workloads/${resourceOf(kind)}/${ours}/app`;
  const followed = (id: string) =>
    until('the rollback has ended', async () => {
      const action = await shiplog.get(`/api/actions/${id}`);
      return (action.state === 'done' || action.state === 'failed') && action;
    });

  it('changes nothing in a dry run, and describes its effect', async () => {
    const before = await readObject(cluster, kind, ours, 'app');
    const { workload } = await shiplog.get(base);
    const { status, body } = await shiplog.post(`${base}/rollback`, {
      ...{ to: 1, seen: workload.seen, reason: 'looks bad', dryRun: true },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ applied: false, result: null, dryRun: { accepted: true } });
    expect(body.plan.steps.length).toBeGreaterThan(0);
    expect(body.diff.changes.length).toBeGreaterThan(0);
    expect(JSON.stringify(body)).not.toContain('correct horse');
    const after = await readObject(cluster, kind, ours, 'app');
    expect(after.object.metadata.generation).toBe(before.object.metadata.generation);
  });

  it('writes byte for byte the template that kubectl writes, and leaves every other annotation unchanged', async () => {
    await kubectl(cluster, ['-n', ours, 'annotate', `${kind}/app`, 'team=cart', '--overwrite']);
    const { workload, revisions } = await until('the annotation is read', async () => {
      const answer = await shiplog.get(base);
      return answer.workload.annotations.team === 'cart' && answer;
    });
    const first = revisions.at(-1);
    const { status, body } = await shiplog.post(`${base}/rollback`, {
      ...{ to: first.id, seen: workload.seen, reason: 'looks bad', dryRun: false },
    });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.applied).toBe(true);
    await kubectl(cluster, ['-n', theirs, 'rollout', 'undo', `${kind}/app`, '--to-revision=1']);
    const mine = await readObject(cluster, kind, ours, 'app');
    const kubectls = await readObject(cluster, kind, theirs, 'app');
    expect(mine.object.spec.template).toEqual(kubectls.object.spec.template);
    const integerOf = (text: string) => /"terminationGracePeriodSeconds": (\d+)/.exec(text)?.[1];
    expect(integerOf(mine.text)).toBe(integerOf(kubectls.text));
    if (kind === 'deployment') expect(integerOf(mine.text)).toBe(BIG_INTEGER);
    expect(mine.object.metadata.annotations.team).toBe('cart');

    const action = await followed(body.result.actionId);
    expect(action, action.message).toMatchObject({ state: 'done', recordedAs: 5, reason: 'looks bad' });
    await rolledOut(cluster, kind, ours, 'app');
    const audit = readFileSync(join(shiplog.dataDir, 'audit.jsonl'), 'utf8');
    expect(audit).toContain(body.result.actionId);
    expect(audit).not.toContain('correct horse');
  });

  it('is refused when it would change nothing', async () => {
    const { workload } = await until('the rollback is in the cache', async () => {
      const answer = await shiplog.get(base);
      return answer.workload.targetRevision === 5 && answer;
    });
    const request = { to: 5, seen: workload.seen, reason: '', dryRun: false };
    const { status, body } = await shiplog.post(`${base}/rollback`, request);
    expect(status).toBe(422);
    expect(body.error.code).toBe('refused');
    const preview = await shiplog.post(`${base}/rollback`, { ...request, dryRun: true });
    expect(preview.status).toBe(200);
    expect(preview.body.applied).toBe(false);
    expect(preview.body.findings.map(({ severity }: { severity: string }) => severity)).toContain('refusal');
  });

  it('overwrites nothing that changed after the preview', async () => {
    const { workload, revisions } = await shiplog.get(base);
    await kubectl(cluster, ['-n', ours, 'set', 'env', `${kind}/app`, 'SOMEBODY=else']);
    const { status, body } = await shiplog.post(`${base}/rollback`, {
      ...{ to: revisions.at(-1).id, seen: workload.seen, reason: '', dryRun: false },
    });
    expect(status).toBe(409);
    expect(body.error.code).toBe('changed');
    expect(JSON.stringify(body.error.details)).toContain('SOMEBODY');
    const { text } = await readObject(cluster, kind, ours, 'app');
    expect(text).toContain('SOMEBODY');
  });

  it('is not disturbed by scaling and status in between', async () => {
    await rolledOut(cluster, kind, ours, 'app');
    const { workload, revisions } = await until('the last change is in the cache', async () => {
      const answer = await shiplog.get(base);
      return answer.workload.state === 'complete' && answer.revisions[0].target && answer;
    });
    if (kind !== 'daemonset') await kubectl(cluster, ['-n', ours, 'scale', `${kind}/app`, '--replicas=4']);
    const { status, body } = await shiplog.post(`${base}/rollback`, {
      ...{ to: revisions[1].id, seen: workload.seen, reason: '', dryRun: false },
    });
    expect(status, JSON.stringify(body)).toBe(200);
    expect((await followed(body.result.actionId)).state).toBe('done');
    if (kind !== 'daemonset') {
      expect((await readObject(cluster, kind, ours, 'app')).object.spec.replicas).toBe(4);
    }
  });

  it('is done once for a repeated key', async () => {
    const { workload, revisions } = await until('all is quiet', async () => {
      const answer = await shiplog.get(base);
      return answer.workload.state === 'complete' && answer.revisions[0].target && answer;
    });
    const request = { to: revisions[1].id, seen: workload.seen, reason: 'twice', dryRun: false };
    const key = { 'idempotency-key': `${kind}-key` };
    const [a, b] = await Promise.all([
      shiplog.post(`${base}/rollback`, request, key),
      shiplog.post(`${base}/rollback`, request, key),
    ]);
    expect(a.status, JSON.stringify(a.body)).toBe(200);
    expect(b.body).toEqual(a.body);
    const other = await shiplog.post(`${base}/rollback`, { ...request, reason: 'else' }, key);
    expect(other.status).toBe(422);
    await followed(a.body.result.actionId);
  });
});
