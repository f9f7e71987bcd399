import { type JsonObject } from '@/lib/kube/json';
import { appsOf, change, helmLabels, helmRelease } from '@/sandbox/seed/seed-actions';
import { helm, leaBrandt, majaLind, using, vela } from '@/sandbox/seed/people';
import { type SeedAction, type SeedActor, type Ago, type WorkloadSeed } from '@/sandbox/seed/workload-seed';

const APPLICATIONS = '/apis/core.oam.dev/v1beta1/namespaces/shop/applications';

/** The fields that the team changes in its Application from one rollout to the next. */
interface Campaigns {
  readonly api: string;
  readonly mailer: string;
  readonly replicas: number;
  readonly env: Readonly<Record<string, string>>;
}

const first: Campaigns = { api: '1.4.0', mailer: '0.8.1', replicas: 2, env: { LOG_LEVEL: 'info' } };
const segments: Campaigns = { ...first, api: '1.5.0', env: { ...first.env, SEGMENTS: 'on' } };
const mailer: Campaigns = { ...segments, mailer: '0.9.0' };
const sale: Campaigns = { ...mailer, api: '2.0.0', replicas: 3 };
const preview: Campaigns = { ...sale, api: '2.1.0', env: { ...sale.env, PREVIEW: 'all' } };
const winter: Campaigns = { ...sale, api: '2.1.1', mailer: '0.9.2' };

/**
 * KubeVela itself, and an Application that it applies: some revisions are compressed one way, some the other.
 */
export const KUBEVELA: readonly WorkloadSeed[] = [
  {
    kind: 'Deployment',
    app: appsOf('ops')('vela-core', '1.9.13', {
      image: 'registry.example.com/mirror/vela-core',
      args: argsOf('GzipApplicationRevision=true'),
      probe: '/readyz',
      labels: helmLabels('kubevela', 'vela-core-1.9.13'),
    }),
    annotations: helmRelease('kubevela', 'ops'),
    prerequisites: [
      definition('component', 'webservice', 'Long-running, scalable service with exposed ports.'),
      definition('component', 'worker', 'Long-running worker without exposed ports.'),
      definition('trait', 'scaler', 'Number of replicas.'),
    ],
    created: '27d',
    by: helm,
    acts: [
      {
        do: 'createObject',
        ago: '25d4h',
        by: vela,
        collection: APPLICATIONS,
        object: {
          apiVersion: 'core.oam.dev/v1beta1',
          kind: 'Application',
          metadata: { name: 'campaigns', namespace: 'shop' },
          spec: specOf(first),
        },
      },
      apply('19d5h', segments),
      apply('16d3h', mailer),
      change(
        '13d7h',
        {
          tag: '1.10.9',
          args: argsOf('ZstdApplicationRevision=true'),
          labels: helmLabels('kubevela', 'vela-core-1.10.9'),
        },
        null,
        helm,
      ),
      apply('9d2h', sale, 'autumn-sale'),
      apply('5d5h', preview, 'autumn-sale-preview'),
      apply('5d3h', sale, 'autumn-sale-again', majaLind),
      apply('2h20m', winter, 'winter'),
      // Without another publishVersion this has no effect.
      apply('36m', { ...winter, replicas: 5 }, undefined, using('edit', leaBrandt)),
    ],
  },
];

function apply(ago: Ago, to: Campaigns, publishVersion?: string, by: SeedActor = vela): SeedAction {
  const annotations = { 'app.oam.dev/publishVersion': publishVersion ?? '' };
  return {
    do: 'patchObject',
    ago,
    by,
    path: `${APPLICATIONS}/campaigns`,
    patch: { spec: specOf(to), ...(publishVersion !== undefined && { metadata: { annotations } }) },
  };
}

function specOf({ api, mailer, replicas, env }: Campaigns): JsonObject {
  return {
    components: [
      {
        name: 'campaigns-api',
        type: 'webservice',
        properties: {
          image: `registry.example.com/shop/campaigns-api:${api}`,
          ports: [{ port: 8080, expose: true }],
          env: Object.entries(env).map(([name, value]) => ({ name, value })),
          cpu: '100m',
          memory: '128Mi',
        },
        traits: [{ type: 'scaler', properties: { replicas } }],
      },
      {
        name: 'campaigns-mailer',
        type: 'worker',
        properties: {
          image: `registry.example.com/shop/campaigns-mailer:${mailer}`,
          cpu: '50m',
          memory: '64Mi',
        },
      },
    ],
    policies: [{ name: 'history', type: 'garbage-collect', properties: { applicationRevisionLimit: 10 } }],
  };
}

function argsOf(gate: string): string[] {
  return ['--leader-election=true', `--feature-gates=${gate}`, '--application-revision-limit=2'];
}

function definition(sort: 'component' | 'trait', name: string, description: string) {
  const kind = sort === 'component' ? 'ComponentDefinition' : 'TraitDefinition';
  const workload = { definition: { apiVersion: 'apps/v1', kind: 'Deployment' }, type: 'deployments.apps' };
  return {
    collection: `/apis/core.oam.dev/v1beta1/namespaces/ops/${sort}definitions`,
    object: {
      apiVersion: 'core.oam.dev/v1beta1',
      kind,
      metadata: { name, namespace: 'ops', annotations: { 'definition.oam.dev/description': description } },
      spec: sort === 'component' ? { workload } : { appliesToWorkloads: ['deployments.apps'] },
    },
  };
}
