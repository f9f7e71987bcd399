import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { seedNamespace } from '@/e2e/controlplane/seed';
import { testCluster } from '@/e2e/controlplane/test-cluster';
import {
  BIG_INTEGER,
  kubectl,
  manifestOf,
  type NativeKind,
  nativeKinds,
  readObject,
  resourceOf,
  rolledOut,
  until,
} from '@/e2e/cluster/fixtures';
import { needs } from '@/e2e/cluster/needs';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import type { Action } from '@/lib/api/action';
import type { ActionAnswer } from '@/lib/api/actions';
import type { RecordAnswer, RecordItem, RecordList } from '@/lib/api/records';
import type { WorkloadDetail } from '@/lib/api/workloads';
import type { JsonObject } from '@/lib/kube/json';

const namespace = 'altered';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const image = (tag: string) => `registry.example.com/app:${tag}`;
/** The sandbox has no admission plugins. */
const canRun = (await needs('Rollback through admission', 'kubectl')) && testCluster() !== 'sandbox';

/** Injects an annotation, as a service mesh does, into the templates of workloads with the label. */
const policy: JsonObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingAdmissionPolicy',
  metadata: { name: 'injector' },
  spec: {
    failurePolicy: 'Fail',
    reinvocationPolicy: 'Never',
    matchConstraints: {
      objectSelector: { matchExpressions: [{ key: 'stamp', operator: 'Exists' }] },
      resourceRules: [
        {
          apiGroups: ['apps'],
          apiVersions: ['v1'],
          operations: ['UPDATE'],
          resources: nativeKinds.map((kind) => `${kind}s`),
        },
      ],
    },
    mutations: [
      {
        patchType: 'JSONPatch',
        jsonPatch: {
          expression:
            '[JSONPatch{op: "add", path: "/spec/template/metadata/annotations/mesh~1injector", value: "v2"}]',
        },
      },
    ],
  },
};
const binding: JsonObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingAdmissionPolicyBinding',
  metadata: { name: 'injector' },
  spec: { policyName: 'injector' },
};

let cluster: ControlPlane;
let shiplog: Shiplog;

beforeAll(async () => {
  if (!canRun) return;
  cluster = await startControlPlane();
  await seedNamespace(cluster, namespace);
  shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin });
  await Promise.all(nativeKinds.map(create));
  await cluster.client().create(`${ADMISSION}/mutatingadmissionpolicies`, policy);
  await cluster.client().create(`${ADMISSION}/mutatingadmissionpolicybindings`, binding);
  await Promise.all(nativeKinds.map(inject));
});

afterAll(async () => {
  await shiplog?.stop();
  await cluster?.stop();
});

async function create(kind: NativeKind): Promise<void> {
  const manifest = manifestOf(kind, namespace, 'app', image('1.0')).replace(BIG_INTEGER, '30');
  await kubectl(cluster, ['create', '-f', '-'], manifest);
  await rolledOut(cluster, kind, namespace, 'app');
}

/** Revision 2: the first image, with the annotation. The API server learns of a policy after some seconds. */
async function inject(kind: NativeKind): Promise<void> {
  let attempt = 0;
  await until(`the policy injects into ${kind} app`, async () => {
    attempt += 1;
    await kubectl(cluster, ['-n', namespace, 'label', kind, 'app', `stamp=${attempt}`, '--overwrite']);
    const { object } = await readObject(cluster, kind, namespace, 'app');
    return object.spec.template.metadata.annotations['mesh/injector'] === 'v2';
  });
  await rolledOut(cluster, kind, namespace, 'app');
}

const baseOf = (kind: NativeKind) => `/api/workloads/${resourceOf(kind)}/${namespace}/app`;

/** The workload, complete on the revision of that number. */
function completeOn(kind: NativeKind, number: number): Promise<WorkloadDetail> {
  return until(`${kind} app is complete on revision ${number}`, async () => {
    const detail: WorkloadDetail = await shiplog.get(baseOf(kind));
    return detail.workload.state === 'complete' && detail.workload.targetRevision === number && detail;
  });
}

function rollback(kind: NativeKind, { workload }: WorkloadDetail, request: object) {
  return shiplog.post(`${baseOf(kind)}/rollback`, { seen: workload.seen, reason: 'looks bad', ...request });
}

const findingOf = ({ findings }: ActionAnswer, code: string) => findings.find((each) => each.code === code);

describe.runIf(canRun).each(nativeKinds)('a rollback of a %s whose template admission alters', (kind) => {
  it('is refused where the result is the current template', async () => {
    const { status, body } = await rollback(kind, await completeOn(kind, 2), { to: 1, dryRun: true });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(findingOf(body, 'altered_by_admission')?.message).toMatch(/mesh\/injector added/);
    expect(findingOf(body, 'equal_target')).toMatchObject({ severity: 'refusal' });
    expect(body).toMatchObject({ plan: null, diff: { equal: true } });
  });

  it('shows what will be stored, and its record belongs to the action', async () => {
    await kubectl(cluster, ['-n', namespace, 'set', 'image', `${kind}/app`, `app=${image('1.1')}`]);
    await rolledOut(cluster, kind, namespace, 'app');
    const before = await completeOn(kind, 3);
    const preview = await rollback(kind, before, { to: 1, dryRun: true });
    expect(preview.status, JSON.stringify(preview.body)).toBe(200);
    const { plan, diff }: ActionAnswer = preview.body;
    expect(findingOf(preview.body, 'altered_by_admission')?.message).toMatch(/equals revision 2\.$/);
    const steps = plan?.steps.join(' ') ?? '';
    expect(steps).toContain('revision 2');
    expect(steps).toContain('renumbers revision 2 to 4');
    expect(steps).not.toContain('revision 1');
    expect(JSON.stringify(diff)).not.toContain('mesh/injector');
    expect(diff).toMatchObject({ summary: 'image 1.1 → 1.0', to: { number: 2 } });

    const { status, body } = await rollback(kind, before, { to: 1, dryRun: false });
    expect(status, JSON.stringify(body)).toBe(200);
    const { actionId } = body.result;
    const action = await until<Action>('the rollback has ended', async () => {
      const found: Action = await shiplog.get(`/api/actions/${actionId}`);
      return (found.state === 'done' || found.state === 'failed') && found;
    });
    expect(action, action.message).toMatchObject({ state: 'done', to: 1, recordedAs: 4 });
    const { revisions } = await completeOn(kind, 4);
    const renumbered = before.revisions.find(({ number }) => number === 2);
    expect(revisions.find(({ target }) => target)?.id).toBe(renumbered?.id);
    expect(revisions.map(({ number }) => number)).toContain(1);
    const cause = 'rollback to revision 1, altered by admission (was 3): looks bad';
    if (kind === 'deployment') expect(revisions.find(({ target }) => target)?.changeCause).toBe(cause);
    const record = await until<RecordItem>('the rollback is recorded', async () => {
      const query = `namespace=${namespace}&resource=${resourceOf(kind)}`;
      const { items }: RecordList = await shiplog.get(`/api/records?${query}`);
      return items.find(({ to }) => to.number === 4);
    });
    expect(record.actor).toMatchObject({ source: 'shiplog' });
    const whole: RecordAnswer = await shiplog.get(`/api/records/${record.id}`);
    expect(whole.actionId).toBe(actionId);
  });
});
