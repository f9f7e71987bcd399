import { afterEach, beforeEach, expect, test } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { argoRolloutSystem } from '@/lib/rollout/argo/argo-system';
import { argoRollout } from '@/lib/workloads/kinds/argo-rollout';
import { formatCount } from '@/lib/format/text';
import { historyInputOf } from '@/lib/workloads/testing/objects';
import { GUESTBOOK, guestbook, installArgo, theRollout } from '@/sandbox/controllers/argo/testing/guestbook';
import { TestSandbox } from '@/sandbox/controllers/testing/test-sandbox';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await TestSandbox.start();
  await installArgo(sandbox);
});
afterEach(() => sandbox.close());

const STEPS = [{ setWeight: 20 }, { pause: {} }, { setWeight: 60 }, { pause: { duration: '10m' } }];

/** Shiplog's view of the objects: the rollout, its pods, and the workload with its target. */
async function messages(): Promise<string> {
  const object = (await theRollout(sandbox)) as unknown as KubeObject;
  const sets = await sandbox.list('replicasets');
  const all = await sandbox.list('pods', '/api/v1');
  const input = historyInputOf(argoRollout, object, sets, all);
  const history = argoRollout.history(input);
  const now = new Date(sandbox.clock.now()).toISOString();
  const rollout = argoRolloutSystem.derive({
    object: argoRolloutSystem.parse(object),
    workload: {
      state: 'found',
      facts: {
        workload: input.workload,
        history,
        pods: input.pods,
        desired: argoRollout.desiredPods(input.workload),
      },
    },
    auxiliaries: [],
    relatedObjects: [],
    now,
  });
  const { state, step, message } = rollout;
  const pods = [...rollout.steps.flatMap((each) => each.pods), ...rollout.unassignedPods].length;
  const former = history.target?.alsoNumbers ?? [];
  return [
    `${state} ${step.index}/${step.total} ${message}${pods === 0 ? '' : ` ${formatCount(pods, 'pod')}`}`,
    `${argoRollout.status({ ...input, history, now }).state}, on ${history.target?.number ?? 'none'}${former.length === 0 ? '' : `, once ${former.join()}`}`,
  ].join(' | ');
}

async function ship(version: string): Promise<void> {
  const containers = [{ name: 'app', image: `guestbook:${version}` }];
  await sandbox.merge(GUESTBOOK, { spec: { template: { spec: { containers } } } });
}

async function status(patch: JsonObject): Promise<void> {
  await sandbox.merge(`${GUESTBOOK}/status`, { status: patch });
}

const REST = 60_000;

test('messages follow a rollout through promotion, abort, retry and rollback', async () => {
  const said: string[] = [];
  const then = async (what: string, rest = REST) => {
    await sandbox.untilIdle(rest);
    const look = await messages();
    said.push(`${what}: ${look}`);
  };
  await sandbox.create(guestbook({ canary: { steps: STEPS } }));
  await then('created');
  await ship('2');
  await then('shipped');
  await status({ pauseConditions: null });
  await then('promoted');
  await sandbox.merge(GUESTBOOK, { spec: { paused: true } });
  await then('paused');
  await sandbox.merge(GUESTBOOK, { spec: { paused: false } });
  await status({ abort: true });
  await then('aborted');
  await status({ abort: false });
  await then('retried');
  await status({ promoteFull: true });
  await then('promoted fully');
  await ship('1');
  await then('back to 1');
  await ship('2');
  await then('and to 2');
  expect(said).toEqual([
    'created: idle 0/4 No rollout yet. | complete, on 1',
    'shipped: waiting 2/4 Step 2 of 4 is waiting for promotion. 1 pod | held, on 2',
    'promoted: progressing 4/4 Step 4 of 4: pause for 10 min. 3 pods | held, on 2',
    'paused: paused 4/4 Paused in step 4 of 4: nothing continues until it is resumed. 3 pods | paused, on 2',
    'aborted: failed 0/4 Aborted by shiplog: revision 1 is serving; the spec still requests revision 2. | degraded, on 2',
    'retried: waiting 2/4 Step 2 of 4 is waiting for promotion. 1 pod | held, on 2',
    'promoted fully: completed 4/4 Revision 2 is stable. 5 pods | complete, on 2',
    'back to 1: waiting 2/4 Step 2 of 4 is waiting for promotion. 1 pod | held, on 3, once 1',
    'and to 2: completed 4/4 Revision 4 is stable. 5 pods | complete, on 4, once 2',
  ]);
});
