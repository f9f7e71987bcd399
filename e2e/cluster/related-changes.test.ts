import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubectl, manifestOf, nativeKinds, resourceOf, rolledOut, until } from '@/e2e/cluster/fixtures';
import { needs } from '@/e2e/cluster/needs';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { seedNamespace } from '@/e2e/controlplane/seed';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import type { ActionAnswer } from '@/lib/api/actions';
import type { ChangeItem, Diff } from '@/lib/api/diff';
import type { RecordAnswer, RecordItem, RecordList } from '@/lib/api/records';
import type { WorkloadDetail } from '@/lib/api/workloads';
import type { RevisionItem } from '@/lib/api/revisions';

const namespace = 'shop';
const name = 'cart';
let cluster: ControlPlane;
let shiplog: Shiplog;

beforeAll(async () => {
  cluster = await startControlPlane();
  shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin });
  await seedNamespace(cluster, namespace);
});

afterAll(async () => {
  await shiplog?.stop();
  await cluster?.stop();
});

const hasKubectl = await needs('History-aware comparing', 'kubectl');

describe.runIf(hasKubectl).each(nativeKinds)(
  'a memory limit of a %s that was raised and is lowered',
  (kind) => {
    const target = `${kind}/${name}`;
    const resource = resourceOf(kind);
    const base = `/api/workloads/${resource}/${namespace}/${name}`;

    const records = async (): Promise<RecordItem[]> => {
      const { items }: RecordList = await shiplog.get(
        `/api/records?namespace=${namespace}&resource=${resource}`,
      );
      return items.toReversed();
    };

    /** Changes the container with a change cause, in one write, and waits until the rollout is recorded to its end. */
    async function roll(cause: string, container: object): Promise<void> {
      const before = (await records()).length;
      const patch = {
        metadata: { annotations: { 'kubernetes.io/change-cause': cause } },
        spec: { template: { spec: { containers: [{ name: 'app', ...container }] } } },
      };
      await kubectl(cluster, ['-n', namespace, 'patch', target, '-p', JSON.stringify(patch)]);
      await rolledOut(cluster, kind, namespace, name);
      await until('the rollout is recorded', async () => {
        const all = await records();
        return all.length > before && all.at(-1)?.outcome === 'completed';
      });
    }

    const limit = (memory: string) => ({ resources: { limits: { memory } } });
    const memoryChange = (diff: Diff | null | undefined): ChangeItem | undefined =>
      diff?.changes.find(({ label }) => label === 'memory limit');
    const detail = (): Promise<WorkloadDetail> => shiplog.get(base);
    const diffOf = (from: string, to: string): Promise<Diff> =>
      shiplog.get(`${base}/diff?${new URLSearchParams({ from, to })}`);
    const latestRecord = async (): Promise<RecordAnswer> =>
      shiplog.get(`/api/records/${(await records()).at(-1)?.id}`);

    it('is marked as a revert with its change cause: compared, in the preview of a rollback, and in its record', async () => {
      const manifest = manifestOf(kind, namespace, name, 'registry.example.com/app:1.0');
      await kubectl(cluster, ['create', '-f', '-'], manifest);
      await rolledOut(cluster, kind, namespace, name);
      await until('the first rollout is recorded', async () => (await records()).length > 0);
      await roll('A limit', limit('768Mi'));
      await roll('OOM kills under load', limit('1Gi'));
      await roll('Version 1.1', { image: 'registry.example.com/app:1.1' });
      const { workload, revisions } = await detail();
      const raised = (await records()).find(({ cause }) => cause === 'OOM kills under load');
      if (raised === undefined) throw new Error('The raise is not recorded.');

      const back = idOf(revisions, raised.from?.number);
      const preview = await diffOf('live', back);
      const reverts = {
        kind: 'reverts',
        rollout: { id: raised.id, number: raised.to.number, cause: 'OOM kills under load' },
        sentence: `Reverts revision ${raised.to.number}, which raised it for “OOM kills under load”`,
      };
      expect(memoryChange(preview)?.echo).toMatchObject(reverts);
      expect(preview.reverts?.sentence).toBe(
        `Reverts revision ${raised.to.number} (“OOM kills under load”) and 1 later rollout`,
      );
      const request = { to: back, seen: workload.seen, reason: '', dryRun: true };
      const { diff }: ActionAnswer = (await shiplog.post(`${base}/rollback`, request)).body;
      expect(memoryChange(diff)?.echo).toMatchObject(reverts);

      await roll('Save memory', limit('805306368'));
      const lowered = await latestRecord();
      const compared = await diffOf(idOf((await detail()).revisions, lowered.from?.number), 'live');
      expect(memoryChange(compared)).toMatchObject({ afterText: '768Mi', echo: reverts });
      // The image is still the new one, so the complete diff is no return.
      expect(compared.reverts).toBeNull();
      expect(memoryChange(lowered.diff)?.echo).toMatchObject(reverts);

      await roll('OOM kills again', limit('1Gi'));
      const raisedAgain = await latestRecord();
      expect(memoryChange(raisedAgain.diff)?.echo).toMatchObject({
        rollout: { id: lowered.id, cause: 'Save memory' },
        repeats: { id: raised.id, cause: 'OOM kills under load' },
      });
      expect(raisedAgain.diff?.reverts).toMatchObject({ rollout: { id: lowered.id }, others: 0 });
    });
  },
);

function idOf(revisions: readonly RevisionItem[], number: number | null | undefined): string {
  const found = revisions.find((revision) => revision.number === number);
  if (found === undefined) throw new Error(`There is no revision ${number}.`);
  return found.id;
}
