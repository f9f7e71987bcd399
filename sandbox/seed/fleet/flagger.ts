import { type JsonObject } from '@/lib/kube/json';
import { appsOf, scale, ship } from '@/sandbox/seed/seed-actions';
import { flagger, pipeline, priyaNair } from '@/sandbox/seed/people';
import { type SeedAction, type Ago, type WorkloadSeed } from '@/sandbox/seed/workload-seed';

const app = appsOf('search');
const CANARIES = '/apis/flagger.app/v1beta1/namespaces/search/canaries';

const canary: JsonObject = {
  apiVersion: 'flagger.app/v1beta1',
  kind: 'Canary',
  metadata: { name: 'spellcheck', namespace: 'search' },
  spec: {
    targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'spellcheck' },
    progressDeadlineSeconds: 600,
    service: { port: 80, targetPort: 8080 },
    analysis: {
      interval: '1m',
      threshold: 5,
      maxWeight: 50,
      stepWeight: 10,
      metrics: [{ name: 'request-success-rate', interval: '1m', thresholdRange: { min: 99 } }],
      webhooks: [
        {
          name: 'approval',
          type: 'confirm-promotion',
          url: 'http://flagger-loadtester.flagger-system/gate/check',
        },
      ],
    },
  },
};

const MESSAGES: Readonly<Record<string, string>> = {
  Initialized: 'Deployment initialization completed.',
  Progressing: 'New revision detected, progressing canary analysis.',
  WaitingPromotion: 'Waiting for approval.',
  Succeeded: 'Canary analysis completed successfully, promotion finished.',
};

/**
 * A Deployment that Flagger rolls out, and its primary copy. The sandbox has no Flagger controller: the seed
 * contains what it would write.
 */
export const FLAGGER: readonly WorkloadSeed[] = [
  {
    kind: 'Deployment',
    app: app('spellcheck', '1.4.0'),
    replicas: 2,
    created: '24d',
    by: pipeline,
    cause: 'Spellcheck 1.4.0',
    // prettier-ignore
    acts: [
      { do: 'createObject', ago: '23d20h', by: priyaNair, collection: CANARIES, object: canary },
      scale('23d19h', 0, flagger),
      status('23d19h', { phase: 'Initialized', canaryWeight: 0, failedChecks: 0, iterations: 0,...hashes('1.4.0', '1.4.0') }),
      ship('9d3h', '1.5.0', 'Spellcheck 1.5.0: recognize names', pipeline),
      scale('9d2h59m', 2, flagger),
      status('9d2h59m', { phase: 'Progressing', canaryWeight: 10, failedChecks: 0, iterations: 0,...hashes('1.5.0', '1.4.0') }),
      status('9d2h', { phase: 'Succeeded', canaryWeight: 0, failedChecks: 0, iterations: 0,...hashes('1.5.0', '1.5.0') }),
      scale('9d1h59m', 0, flagger),
      ship('52m', '1.6.0', 'Spellcheck 1.6.0: keep brand names', pipeline),
      scale('51m', 2, flagger),
      status('50m', { phase: 'Progressing', canaryWeight: 10, failedChecks: 1, iterations: 0,...hashes('1.6.0', '1.5.0') }),
      status('44m', { phase: 'WaitingPromotion', canaryWeight: 50, failedChecks: 1, iterations: 0,...hashes('1.6.0', '1.5.0') }),
    ],
  },
  {
    kind: 'Deployment',
    app: app('spellcheck-primary', '1.4.0', { image: 'registry.example.com/search/spellcheck' }),
    replicas: 2,
    created: '23d19h30m',
    by: flagger,
    acts: [ship('9d2h5m', '1.5.0', null, flagger)],
  },
];

/** Hashes of the target's spec, as last observed and as last promoted. */
function hashes(applied: string, promoted: string): JsonObject {
  return { lastAppliedSpec: hashOf(applied), lastPromotedSpec: hashOf(promoted) };
}

function hashOf(version: string): string {
  return `5f8b6c${version.replaceAll('.', '')}d`;
}

function status(ago: Ago, members: JsonObject & { phase: string }): SeedAction {
  const { phase } = members;
  const value = phase === 'Initialized' || phase === 'Succeeded' ? 'True' : 'Unknown';
  const condition = { type: 'Promoted', status: value, reason: phase, message: MESSAGES[phase] ?? '' };
  return {
    do: 'patchObject',
    ago,
    by: flagger,
    path: `${CANARIES}/spellcheck/status`,
    patch: { status: { ...members, conditions: [condition] } },
  };
}
