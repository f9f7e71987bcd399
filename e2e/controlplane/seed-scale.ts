import { createHash } from 'node:crypto';
import { type TestApp, appTemplate, selectorOf } from '@/e2e/controlplane/app-template';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { seedNamespace } from '@/e2e/controlplane/seed';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';

export interface Scale {
  deployments: number;
  revisionsEach: number;
}

const NAMESPACES = 20;
const AT_ONCE = 24;
const REVISION = 'deployment.kubernetes.io/revision';

/**
 * Writes Deployments without replicas and their ReplicaSets as the deployment controller would have left them, some
 * hundred objects a second. A running controller has nothing to do: the newest ReplicaSet has the template of the
 * Deployment, which is paused until it exists.
 */
export async function seedScale(cp: ControlPlane, { deployments, revisionsEach }: Scale): Promise<void> {
  await Promise.all(Array.from({ length: NAMESPACES }, (_, index) => seedNamespace(cp, namespaceOf(index))));
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < deployments) await seedDeployment(cp, next++, revisionsEach);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** Namespace and name of the scale Deployment of an index. */
export function scaleDeployment(index: number): { namespace: string; name: string } {
  return { namespace: namespaceOf(index), name: `service-${String(index).padStart(5, '0')}` };
}

async function seedDeployment(cp: ControlPlane, index: number, revisions: number): Promise<void> {
  const { namespace, name } = scaleDeployment(index);
  const collection = `/apis/apps/v1/namespaces/${namespace}`;
  const labels = selectorOf({ name });
  const created = await cp
    .client()
    .create<KubeObject>(`${collection}/deployments?fieldManager=argocd-controller`, {
      metadata: { name, labels, annotations: { [REVISION]: String(revisions) } },
      spec: {
        replicas: 0,
        paused: true,
        revisionHistoryLimit: revisions,
        selector: { matchLabels: labels },
        template: appTemplate(appAt(index, revisions)),
      },
    });
  for (let revision = 1; revision <= revisions; revision++) {
    await cp
      .client()
      .create(`${collection}/replicasets`, replicaSet(created, appAt(index, revision), revision));
  }
  await cp.client().patch(`${collection}/deployments/${name}`, { spec: { paused: false } });
  await cp.client().patch(`${collection}/deployments/${name}/status`, { status: statusOf(created) });
}

function replicaSet(owner: KubeObject, app: TestApp, revision: number): object {
  const template = appTemplate(app);
  const hash = createHash('sha256').update(JSON.stringify(template)).digest('hex').slice(0, 10);
  const labels = { ...selectorOf(app), 'pod-template-hash': hash };
  const { metadata } = template as { metadata: { labels: JsonObject } };

  return {
    metadata: {
      name: `${app.name}-${hash}`,
      labels,
      annotations: {
        [REVISION]: String(revision),
        'deployment.kubernetes.io/desired-replicas': '0',
        'deployment.kubernetes.io/max-replicas': '0',
        'kubernetes.io/change-cause': `${app.name} ${app.tag}`,
      },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          name: app.name,
          uid: owner.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { ...template, metadata: { ...metadata, labels: { ...metadata.labels, ...labels } } },
    },
  };
}

/** Revisions differ in the image, and some in environment or memory too. */
function appAt(index: number, revision: number): TestApp {
  const { namespace, name } = scaleDeployment(index);
  const env = Object.fromEntries(
    Array.from({ length: 8 }, (_, place) => [
      `SETTING_${place}`,
      place < revision ? `value-${place}-of-${revision}` : 'default',
    ]),
  );

  return {
    name,
    namespace,
    image: `registry.example.com/${namespace}/${name}`,
    tag: `1.${revision}.${index % 10}`,
    port: 8080,
    env,
    cpu: '200m',
    memory: `${128 * (1 + (revision % 3))}Mi`,
    probe: '/readyz',
  };
}

function statusOf({ metadata }: KubeObject): object {
  const at = metadata.creationTimestamp;
  const condition = { status: 'True', lastUpdateTime: at, lastTransitionTime: at };

  return {
    observedGeneration: (metadata.generation ?? 1) + 1,
    conditions: [
      {
        ...condition,
        type: 'Available',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      },
      {
        ...condition,
        type: 'Progressing',
        reason: 'NewReplicaSetAvailable',
        message: 'ReplicaSet has successfully progressed.',
      },
    ],
  };
}

function namespaceOf(index: number): string {
  return `team-${String(index % NAMESPACES).padStart(2, '0')}`;
}
