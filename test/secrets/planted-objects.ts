import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject, ManagedFieldsEntry } from '@/lib/kube/object';
import { applicationObject, applicationRevision } from '@/lib/workloads/testing/application';
import { historyObject } from '@/lib/rollout/openkruise/testing/histories';
import { oamObject } from '@/lib/rollout/oam/testing/scenario';
import { waitingCanary } from '@/lib/workloads/testing/argo';
import { at, controllerRevision, object, pod } from '@/lib/workloads/testing/objects';
import { deployment, replicaSetOf } from '@/server/actions/testing/shop';
import type { SecretMaker } from '@/test/secrets/secret-maker';

/** A pod template with secrets in most of its members. */
export function plantedTemplate(secrets: SecretMaker, version: number): JsonObject {
  const tag = secrets.flip() ? `1.${version}` : secrets.token();
  return {
    metadata: {
      labels: { app: 'checkout', ...(secrets.flip() && { 'example.com/build': secrets.token() }) },
      annotations: {
        'example.com/note': secrets.text(),
        'example.com/db-password': secrets.value(),
        ...(secrets.flip() && { 'kubernetes.io/change-cause': secrets.text() }),
      },
    },
    spec: {
      containers: [
        {
          name: 'app',
          image: `registry.example/checkout:${tag}`,
          ...(secrets.flip() && { command: ['sh', '-c', secrets.text()] }),
          args: ['--token', secrets.value(), `--version=${version}`, secrets.text()],
          env: [
            { name: 'DB_PASSWORD', value: secrets.value() },
            { name: 'GREETING', value: secrets.text() },
            { name: secrets.token(), value: 'x' },
            { name: 'VERSION', value: String(version) },
          ],
          readinessProbe: {
            httpGet: {
              path: '/ready',
              port: 80,
              httpHeaders: [{ name: 'Authorization', value: `Bearer ${secrets.value()}` }],
            },
          },
          livenessProbe: { exec: { command: ['check', `--api-key=${secrets.value()}`] } },
          lifecycle: { preStop: { exec: { command: ['sh', '-c', secrets.text()] } } },
        },
        ...(secrets.flip() ? [{ name: 'proxy', image: `proxy:${version}`, args: [secrets.text()] }] : []),
      ],
      initContainers: [
        { name: 'migrate', image: 'migrate:1', env: [{ name: 'API_KEY', value: secrets.value() }] },
      ],
      volumes: [
        {
          name: 'files',
          csi: {
            driver: 'files.example',
            volumeAttributes: { accessKey: secrets.value(), note: secrets.text() },
          },
        },
      ],
      nodeSelector: { 'example.com/pool': secrets.flip() ? 'a' : secrets.token() },
      future: { clientSecret: secrets.value(), notes: [secrets.text()] },
    },
  };
}

/** A Deployment at revision `last`, with its ReplicaSets and pods, as its controllers leave them. */
export function plantedDeployment(
  secrets: SecretMaker,
  templates: readonly JsonObject[],
  state: 'progressing' | 'stalled' | 'complete',
): KubeObject[] {
  const last = templates.length;
  const ready = state === 'complete' ? 2 : 0;
  const sets = templates.map((body, index) => {
    const set = replicaSetOf(index + 1, body, index + 1 === last ? 2 : 0);
    annotate(set, { 'kubernetes.io/change-cause': secrets.later() });
    return set;
  });
  const workload = deployment(templates.at(-1) ?? {}, { generation: last, updated: 2, ready, total: 2 });
  annotate(workload, {
    'kubernetes.io/change-cause': secrets.later(),
    'example.com/api-token': secrets.value(),
    'example.com/note': secrets.text(),
  });
  workload.metadata.labels = { app: 'checkout', 'example.com/build': secrets.token(), team: secrets.token() };
  workload.metadata.managedFields = [templateWrite(state === 'stalled' ? secrets.token() : 'kubectl', last)];
  workload.status = {
    ...workload.status,
    conditions: [
      progressing(state, secrets),
      { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: secrets.text() },
    ],
  };
  const target = sets.at(-1)?.metadata.uid ?? '';
  const pods = [0, 1].map((index) => plantedPod(secrets, `checkout-${last}-${index}`, target, state));
  return [...sets, workload, ...pods];
}

function plantedPod(secrets: SecretMaker, name: string, owner: string, state: string): KubeObject {
  const failed = state === 'stalled';
  const waiting = { reason: 'CreateContainerError', message: secrets.text() };
  const terminated = { exitCode: 1, reason: 'Error', message: secrets.text(), finishedAt: at(2) };
  return pod(name, {
    owner,
    created: 3,
    ready: state === 'complete',
    annotations: { 'example.com/note': secrets.text() },
    ...(failed && {
      status: {
        phase: 'Pending',
        message: secrets.text(),
        conditions: [
          { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: secrets.text() },
        ],
        containerStatuses: [
          { name: 'app', ready: false, restartCount: 4, state: { waiting }, lastState: { terminated } },
        ],
      },
    }),
  });
}

function progressing(state: string, secrets: SecretMaker): JsonObject {
  const facts = {
    progressing: { status: 'True', reason: 'ReplicaSetUpdated' },
    stalled: { status: 'False', reason: 'ProgressDeadlineExceeded' },
    complete: { status: 'True', reason: 'NewReplicaSetAvailable' },
  }[state as 'progressing' | 'stalled' | 'complete'];
  return { type: 'Progressing', ...facts, message: secrets.text(), lastUpdateTime: at(4) };
}

function templateWrite(manager: string, minute: number): ManagedFieldsEntry {
  return {
    manager,
    operation: 'Update',
    time: at(minute),
    fieldsV1: { 'f:spec': { 'f:template': { 'f:spec': {} } } },
  };
}

/** A StatefulSet whose rollout is held by a partition. */
export function plantedStatefulSet(secrets: SecretMaker): KubeObject[] {
  const templates = [1, 2].map((version) => plantedTemplate(secrets, version));
  const revisions = templates.map((template, index) =>
    controllerRevision(index + 1, String(index + 1), {
      template,
      owner: 'uid-db',
      name: `db-${index + 1}`,
      annotations: { 'kubernetes.io/change-cause': secrets.text() },
    }),
  );
  const set = object(
    'StatefulSet',
    {
      ...{ name: 'db', uid: 'uid-db', owner: null },
      annotations: { 'example.com/note': secrets.text(), 'meta.helm.sh/release-name': secrets.token() },
    },
    {
      spec: {
        replicas: 2,
        template: templates[1] ?? {},
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
      },
      status: {
        ...{ observedGeneration: 1, replicas: 2, readyReplicas: 2, availableReplicas: 2, updatedReplicas: 1 },
        ...{ currentRevision: 'db-1', updateRevision: 'db-2' },
        conditions: [{ type: 'Unknown', status: 'False', message: secrets.text() }],
      },
    },
  );
  return [...revisions, set];
}

/** A Rollout of Argo in the step of a plugin, one of OpenKruise for the Deployment, and one of OAM. */
export function plantedRollouts(secrets: SecretMaker): KubeObject[] {
  const { rollout, sets } = waitingCanary({
    ...{ name: 'cart', uid: 'uid-cart', template: plantedTemplate(secrets, 2) },
    annotations: { 'example.com/note': secrets.text() },
    strategy: { canary: { steps: argoSteps(secrets) } },
    status: {
      phase: 'Degraded',
      message: secrets.text(),
      currentStepIndex: PLUGIN_STEP,
      canary: {
        stepPluginStatuses: [{ index: PLUGIN_STEP, name: 'gate', phase: 'Running', message: secrets.line() }],
      },
      conditions: [
        { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: secrets.text() },
        { type: 'InvalidSpec', status: 'True', reason: 'InvalidSpec', message: secrets.text() },
      ],
    },
  });
  for (const set of sets) {
    for (const owner of set.metadata.ownerReferences ?? []) owner.uid = 'uid-cart';
    set.metadata.name = set.metadata.name.replace('checkout', 'cart');
    set.metadata.uid = `uid-${set.metadata.name}`;
  }
  return [rollout, ...sets, kruiseRollout(secrets), oamRollout(secrets)];
}

/** Counts from 0. */
const PLUGIN_STEP = 2;

function argoSteps(secrets: SecretMaker): JsonObject[] {
  const bearer = { headerName: 'authorization', headerValue: { exact: `Bearer ${secrets.value()}` } };
  return [
    { setHeaderRoute: { name: 'testers', match: [bearer] } },
    { setMirrorRoute: { name: 'copy', match: [{ path: { prefix: `/?token=${secrets.value()}` } }] } },
    { plugin: { name: secrets.line() } },
    { [secrets.token()]: {} },
    { pause: {} },
  ];
}

/** In a batch that cannot begin. */
function oamRollout(secrets: SecretMaker): KubeObject {
  const metrics = () => [{ name: secrets.line() }];
  const webhooks = (type: string) => [
    { type, name: secrets.line(), url: `https://gate.example/?token=${secrets.value()}` },
  ];
  const rollout = oamObject({
    name: 'cart-oam',
    annotations: { 'example.com/note': secrets.text() },
    plan: {
      rolloutWebhooks: webhooks('initialize-rollout'),
      canaryMetric: metrics(),
      rolloutBatches: [1, 2].map((replicas) => ({
        replicas,
        batchRolloutWebhooks: webhooks('pre-batch-rollout'),
        canaryMetric: metrics(),
      })),
    },
    status: {
      batchRollingState: 'batchInitializing',
      conditions: [
        { type: 'BatchInitializing', status: 'False', message: secrets.line(), lastTransitionTime: at(2) },
      ],
    },
  });
  rollout.metadata.uid = 'uid-cart-oam';
  return rollout;
}

function kruiseRollout(secrets: SecretMaker): KubeObject {
  const matches = [
    { headers: [{ type: 'Exact', name: 'authorization', value: `Bearer ${secrets.value()}` }] },
  ];
  const made = object(
    'Rollout',
    { name: 'checkout-ro', uid: 'uid-ro', owner: null, annotations: { 'example.com/note': secrets.text() } },
    {
      spec: {
        workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' },
        strategy: {
          canary: {
            steps: [
              { replicas: '50%', matches, pause: {} },
              { replicas: '100%', pause: {} },
            ],
            trafficRoutings: [{ service: 'checkout', ingress: { name: 'checkout' } }],
          },
        },
      },
      status: {
        phase: 'Progressing',
        message: secrets.text(),
        observedGeneration: 1,
        conditions: [
          {
            ...{ type: 'Progressing', status: 'True', reason: 'InRolling', message: secrets.text() },
            lastUpdateTime: at(4),
          },
        ],
        canaryStatus: {
          ...{ currentStepIndex: 1, nextStepIndex: 2, currentStepState: 'StepPaused' },
          ...{ canaryRevision: 'c', stableRevision: 's', podTemplateHash: 'hash-3' },
          ...{ canaryReplicas: 1, canaryReadyReplicas: 1, message: secrets.text() },
        },
      },
    },
  );
  return { ...made, apiVersion: 'rollouts.kruise.io/v1beta1' };
}

/** What OpenKruise wrote about a rollout of the Deployment. */
export function plantedHistory(secrets: SecretMaker): KubeObject {
  return historyObject({
    name: 'checkout-history',
    pods: [1],
    spec: {
      rollout: {
        name: 'checkout-ro',
        rolloutID: 'r1',
        data: { strategy: { canary: { steps: [{ replicas: 1, note: secrets.text() }] } } },
      },
      service: { name: 'checkout', data: { note: secrets.text() } },
      trafficRouting: {},
      workload: {
        ...{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' },
        data: { replicas: 1, template: plantedTemplate(secrets, 3) },
      },
    },
  });
}

/** An Application with a Secret among its components. */
export function plantedApplication(secrets: SecretMaker): KubeObject[] {
  const parts = { name: 'storefront', uid: 'uid-storefront' };
  const specs = [1, 2].map((version): JsonObject => ({
    components: [
      {
        name: 'web',
        type: 'webservice',
        properties: {
          image: `shop/web:${version}`,
          cmd: ['run', '--token', secrets.value()],
          env: [{ name: 'DB_PASSWORD', value: secrets.value() }],
          note: secrets.text(),
        },
      },
      {
        name: 'secrets',
        type: 'k8s-objects',
        properties: {
          objects: [
            {
              apiVersion: 'v1',
              kind: 'Secret',
              metadata: { name: 'db' },
              stringData: { plain: secrets.value() },
              data: { other: secrets.value() },
            },
          ],
        },
      },
    ],
    workflow: { steps: [{ name: 'notify', type: 'webhook', properties: { token: secrets.value() } }] },
  }));
  const application = applicationObject({
    ...parts,
    spec: specs[1] ?? {},
    annotations: { 'example.com/note': secrets.text() },
    phase: 'workflowFailed',
    status: {
      conditions: [{ type: 'Parsed', status: 'False', reason: 'Error', message: secrets.text() }],
      services: [{ name: 'web', namespace: 'shop', healthy: false, message: secrets.text() }],
      workflow: {
        message: secrets.text(),
        steps: [{ name: 'notify', phase: 'failed', message: secrets.text() }],
      },
    },
  });
  const revisions = specs.map((spec, index) =>
    applicationRevision(index + 1, String(index + 1), {
      ...{ spec, owner: parts.uid, name: `storefront-v${index + 1}` },
      labels: { 'app.oam.dev/name': 'storefront' },
    }),
  );
  const unreadable = applicationRevision(0, '0', {
    ...{ owner: parts.uid, name: 'storefront-v0', labels: { 'app.oam.dev/name': 'storefront' } },
    compression: { type: secrets.token(), data: 'x' },
  });
  return [unreadable, ...revisions, application];
}

function annotate(target: KubeObject, annotations: Record<string, string>): void {
  target.metadata.annotations = { ...target.metadata.annotations, ...annotations };
}
