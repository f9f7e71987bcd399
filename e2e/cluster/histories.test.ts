import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { kubectlHistory, kubectlRevision } from '@/e2e/controlplane/kubectl';
import {
  BIG_INTEGER,
  kubectl,
  makeHistory,
  nativeKinds,
  resourceOf,
  rolledOut,
  until,
} from '@/e2e/cluster/fixtures';
import { needs } from '@/e2e/cluster/needs';
import { seedNamespace } from '@/e2e/controlplane/seed';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';

const namespace = 'histories';
const canCompare = await needs('Histories', 'kubectl');
let cluster: ControlPlane;
let shiplog: Shiplog;

beforeAll(async () => {
  cluster = await startControlPlane();
  shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin });
  await seedNamespace(cluster, namespace);
  await Promise.all(nativeKinds.map((kind) => makeHistory(cluster, kind, namespace, 'app')));
});

afterAll(async () => {
  await shiplog?.stop();
  await cluster?.stop();
});

describe.runIf(canCompare).each(nativeKinds)('the history of a %s', (kind) => {
  const base = `/api/workloads/${resourceOf(kind)}/${namespace}/app`;
  const run = (args: string[]) => cluster.kubectl(args);

  /** `first` is the number of the first template. */
  async function expectSameHistory(first = 1) {
    const rows = (await kubectlHistory(run, kind, namespace, 'app')).map((row) => ownCause(row, first));
    const top = rows.at(-1)?.revision;
    const detail = await until('the cache has the last revision', async () => {
      const answer = await shiplog.get(base);
      return answer.workload.targetRevision === top && answer;
    });
    const shown = detail.revisions.map((revision: { number: number; changeCause: string | null }) => ({
      revision: revision.number,
      changeCause: revision.changeCause ?? undefined,
    }));
    expect(shown.reverse()).toEqual(rows);
    return { detail, rows };
  }

  /**
   * The change cause of the second revision was written before its image: kubectl shows it for the first revision of
   * a Deployment, too.
   */
  function ownCause<Row extends { revision: number }>(row: Row, first: number): Row {
    return kind === 'deployment' && row.revision === first ? { ...row, changeCause: 'first release' } : row;
  }

  /** As kubectl prints it: some controllers corrupt an integer beyond 2^53. */
  async function integerOf(revision: number): Promise<string | undefined> {
    const at = ['-n', namespace, 'rollout', 'history', `${kind}/app`, `--revision=${revision}`, '-o', 'json'];
    const integer = /"terminationGracePeriodSeconds": (\d+)/.exec(await kubectl(cluster, at))?.[1];
    if (kind === 'deployment') expect(integer).toBe(BIG_INTEGER);
    return integer;
  }

  it('has the numbers and change causes that kubectl shows', async () => {
    const { rows } = await expectSameHistory();
    expect(rows).toHaveLength(4);
  });

  it('holds in each revision the template that kubectl shows', async () => {
    for (const { revision } of await kubectlHistory(run, kind, namespace, 'app')) {
      const object = await kubectlRevision(run, kind, namespace, 'app', revision);
      const template = structuredClone((object as any).spec.template);
      delete template.metadata.labels['pod-template-hash'];
      delete template.metadata.creationTimestamp;
      const { template: shown } = await shiplog.get(`${base}/revisions/${revision}`);
      const secret = shown.spec.containers[0].env.find(
        (entry: { name: string }) => entry.name === 'DB_PASSWORD',
      );
      expect(secret.value).toMatch(/^\[masked:[0-9a-f]{8}\]$/);
      secret.value = 'correct horse';
      // A double cannot hold the number, neither in kubectl's parsed answer nor here: the text is compared below.
      delete shown.spec.terminationGracePeriodSeconds;
      delete template.spec.terminationGracePeriodSeconds;
      expect(shown).toEqual(template);
      const yaml = await shiplog.fetch(`${base}/revisions/${revision}`, {
        headers: { accept: 'application/yaml' },
      });
      expect(await yaml.text()).toContain(`terminationGracePeriodSeconds: ${await integerOf(revision)}`);
    }
  });

  it('distinguishes a restart from a change, and describes what changed', async () => {
    const { detail } = await expectSameHistory();
    const [restart, env, image, first] = detail.revisions;
    expect(restart).toMatchObject({ restart: true, target: true, live: true });
    expect(env).toMatchObject({ restart: false, live: false });
    expect(env.summary).toContain('env LOG_LEVEL');
    expect(image.summary).toContain('image 1.0 → 1.1');
    expect(first.summary).toBeNull();
  });

  it('has stable ids through a rollback by kubectl, and says how the number changed', async () => {
    const before = (await shiplog.get(base)).revisions.at(-1);
    expect(before.number).toBe(1);
    await kubectl(cluster, ['-n', namespace, 'rollout', 'undo', `${kind}/app`, '--to-revision=1']);
    const { detail } = await expectSameHistory(5);
    const after = detail.revisions[0];
    expect(after.id).toBe(before.id);
    expect(after.number).toBe(5);
    expect(after.explanation).toMatch(/5/);
    await until('the archive knows the new number', async () => {
      const gone = await shiplog.fetch(`${base}/revisions/1`);
      return (await gone.json()).error?.details.number === 5;
    });
    for (const path of [
      'revisions/1',
      'revisions/1/manifest',
      'diff?from=1&to=live',
      'diff?from=live&to=1',
    ]) {
      const gone = await shiplog.fetch(`${base}/${path}`);
      expect([path, gone.status]).toEqual([path, 404]);
      const { message, details } = (await gone.json()).error;
      expect(message).toMatch(/^Revision 1 was renumbered to 5/);
      expect(details).toMatchObject({ id: before.id, number: 5 });
    }
    const rollbackRequest = { to: 1, seen: detail.workload.seen, reason: '', dryRun: true };
    const { status, body } = await shiplog.post(`${base}/rollback`, rollbackRequest);
    expect([status, body.error.details.number]).toEqual([404, 5]);
    expect((await shiplog.get(`${base}/revisions/${before.id}`)).number).toBe(5);
  });

  it('never presents the creation of a reused object as the time of a rollout', async () => {
    const { revisions } = await shiplog.get(base);
    const [target, previous] = revisions;
    const open = target.activations.at(-1);
    expect(open).toMatchObject({ number: 5, open: true });
    expect(open.from === null || open.from >= previous.createdAt).toBe(true);
  });

  it('agrees with kubectl on the state', async () => {
    await rolledOut(cluster, kind, namespace, 'app');
    // The last pods of an old revision may still be ending, so both are requested until they describe the same state.
    await until('Shiplog says the same', async () => {
      const { stdout } = await cluster.kubectl([
        ...['-n', namespace, 'rollout', 'status', `${kind}/app`, '--watch=false'],
      ]);
      const { workload } = await shiplog.get(base);
      return workload.kubectlStatus === stdout.trim();
    });
  });
});

describe.runIf(canCompare)('one name for three kinds', () => {
  it('never mixes their revisions or pods', async () => {
    const details = await Promise.all(
      nativeKinds.map((kind) => shiplog.get(`/api/workloads/${resourceOf(kind)}/${namespace}/app`)),
    );
    const ids = details.flatMap(({ revisions }) => revisions.map((revision: { id: string }) => revision.id));
    expect(new Set(ids).size).toBe(ids.length);
    const pods = await Promise.all(
      nativeKinds.map((kind) => shiplog.get(`/api/workloads/${resourceOf(kind)}/${namespace}/app/pods`)),
    );
    const uids = pods.flatMap(({ items }) => items.map((pod: { uid: string }) => pod.uid));
    expect(new Set(uids).size).toBe(uids.length);
  });

  it('gives a recreated workload nothing of the former one', async () => {
    await kubectl(cluster, ['-n', namespace, 'delete', 'deployment/app', '--wait=false']);
    const again = ['-n', namespace, 'create', 'deployment', 'app', '--image=registry.example.com/other:1'];
    await kubectl(cluster, again);
    const base = `/api/workloads/${resourceOf('deployment')}/${namespace}/app`;
    const detail = await until('the new one is read', async () => {
      const answer = await shiplog.get(base);
      return (
        answer.workload.images[0]?.image === 'registry.example.com/other:1' &&
        answer.revisions.length > 0 &&
        answer
      );
    });
    expect(detail.revisions).toHaveLength(1);
    expect(detail.revisions[0].number).toBe(1);
  });
});
