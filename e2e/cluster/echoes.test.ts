import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubectl, manifestOf, nativeKinds, resourceOf, rolledOut, until } from '@/e2e/cluster/fixtures';
import { needs } from '@/e2e/cluster/needs';
import { type ControlPlane, startControlPlane } from '@/e2e/controlplane/control-plane';
import { seedNamespace } from '@/e2e/controlplane/seed';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';

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

    const records = async (): Promise<any[]> => {
      const { items } = await shiplog.get(`/api/records?namespace=${namespace}&resource=${resource}`);
      return items.toReversed();
    };

    /** Changes the container for a reason, in one write, and waits until Shiplog has a record of the whole rollout. */
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
        return all.length > before && all.at(-1).outcome === 'completed';
      });
    }

    const limit = (memory: string) => ({ resources: { limits: { memory } } });
    const memoryChange = (changes: any[]) => changes.find(({ label }) => label === 'memory limit');

    it('says so with the cause: compared, in the preview of a rollback, and in its record', async () => {
      const manifest = manifestOf(kind, namespace, name, 'registry.example.com/app:1.0');
      await kubectl(cluster, ['create', '-f', '-'], manifest);
      await rolledOut(cluster, kind, namespace, name);
      await until('the first rollout is recorded', async () => (await records()).length > 0);
      await roll('A limit', limit('768Mi'));
      await roll('OOM kills under load', limit('1Gi'));
      await roll('Version 1.1', { image: 'registry.example.com/app:1.1' });
      const { revisions } = await shiplog.get(base);
      const [raised] = (await records()).filter(({ cause }) => cause === 'OOM kills under load');

      const back = revisions.find(({ number }: any) => number === raised.from.number);
      const preview = await shiplog.get(`${base}/diff?from=live&to=${encodeURIComponent(back.id)}`);
      const takesBack = {
        kind: 'takesBack',
        rollout: { id: raised.id, number: raised.to.number, cause: 'OOM kills under load' },
        sentence: `Takes back revision ${raised.to.number}, which had raised it for “OOM kills under load”`,
      };
      expect(memoryChange(preview.changes).echo).toMatchObject(takesBack);
      expect(preview.takesBack.sentence).toBe(
        `Takes back revision ${raised.to.number} (“OOM kills under load”) and 1 later rollout`,
      );
      const { workload } = await shiplog.get(base);
      const { body } = await shiplog.post(`${base}/rollback`, {
        ...{ to: back.id, seen: workload.seen, reason: '', dryRun: true },
      });
      expect(memoryChange(body.diff.changes).echo).toMatchObject(takesBack);

      await roll('Save memory', limit('805306368'));
      const { revisions: after } = await shiplog.get(base);
      const lowered = (await records()).at(-1);
      const before = after.find(({ number }: any) => number === lowered.from.number);
      const compared = await shiplog.get(`${base}/diff?from=${encodeURIComponent(before.id)}&to=live`);
      expect(memoryChange(compared.changes)).toMatchObject({ afterText: '768Mi', echo: takesBack });
      // The image stays the new one, so the whole is no return.
      expect(compared.takesBack).toBeNull();
      const record = await shiplog.get(`/api/records/${lowered.id}`);
      expect(memoryChange(record.diff.changes).echo).toMatchObject(takesBack);

      await roll('OOM kills again', limit('1Gi'));
      const raisedAgain = await shiplog.get(`/api/records/${(await records()).at(-1).id}`);
      expect(memoryChange(raisedAgain.diff.changes).echo).toMatchObject({
        rollout: { id: lowered.id, cause: 'Save memory' },
        repeats: { id: raised.id, cause: 'OOM kills under load' },
      });
      expect(raisedAgain.diff.takesBack).toMatchObject({ rollout: { id: lowered.id }, others: 0 });
    });
  },
);
