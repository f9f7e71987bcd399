import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import type { ActionKind } from '@/lib/api/action-values';
import { deployment } from '@/lib/workloads/kinds/deployment';
import {
  at,
  historyInputOf,
  object,
  type Parts,
  replicaSet,
  template,
} from '@/lib/workloads/testing/objects';
import { applyPatch } from '@/lib/workloads/testing/patch';

type Control = Exclude<ActionKind, 'rollback'>;

function run(action: Control, spec: JsonObject, parts: Parts = {}) {
  const live = object(
    'Deployment',
    { uid: 'uid-workload', owner: null, ...parts },
    { spec: { replicas: 3, template: template('1'), ...spec } },
  );
  const input = historyInputOf(deployment, live, [replicaSet(1, '1')]);
  const planned = deployment.writes[action]?.({
    ...input,
    currentTemplate: live.spec?.template as JsonObject,
    history: deployment.history(input),
    now: at(30),
  });
  const write = planned?.plan?.write;
  return {
    planned,
    codes: planned?.findings.map(({ code }) => code),
    result: write?.kind === 'patch' ? applyPatch(live as unknown as JsonObject, write.patch) : undefined,
    patch: write?.kind === 'patch' ? write.patch : [],
    live: live as unknown as JsonObject,
  };
}

test('only pause, resume and restart exist', () => {
  expect(Object.keys(deployment.writes).sort()).toEqual(['pause', 'restart', 'resume', 'rollback']);
});

describe('pause and resume', () => {
  test('set and remove spec.paused, as kubectl does', () => {
    expect(run('pause', {}).result).toMatchObject({ spec: { paused: true } });
    expect(run('pause', { paused: false }).result).toMatchObject({ spec: { paused: true } });
    const resumed = run('resume', { paused: true });
    expect(Object.keys(resumed.result?.spec ?? {})).not.toContain('paused');
    expect(resumed.planned?.plan?.kubectl).toBe('kubectl -n shop rollout resume deployment/checkout');
  });

  test('are rejected when the Deployment is already in that state', () => {
    expect(run('pause', { paused: true })).toMatchObject({
      planned: { plan: null },
      codes: ['already_paused'],
    });
    expect(run('resume', {})).toMatchObject({ planned: { plan: null }, codes: ['not_paused'] });
    expect(run('pause', {}, { deleted: at(1) }).codes).toContain('deleting');
  });

  test('fail when the Deployment changed in the meantime', () => {
    const pause = run('pause', {});
    expect(() => applyPatch(pause.result ?? {}, pause.patch)).toThrow('/spec/paused');
  });
});

describe('restart', () => {
  const KEY = 'kubectl.kubernetes.io/restartedAt';

  test.each([
    ['no metadata', { spec: {} }],
    ['no annotations', { metadata: { labels: { a: 'b' } }, spec: {} }],
    ['other annotations', { metadata: { annotations: { other: 'x', [KEY]: at(1) } }, spec: {} }],
  ])('writes the time into a template with %s and nothing else', (_, body) => {
    const before = body as { metadata?: { annotations?: object } };
    expect(run('restart', { template: body }).result?.spec).toMatchObject({
      template: {
        ...before,
        metadata: { ...before.metadata, annotations: { ...before.metadata?.annotations, [KEY]: at(30) } },
      },
    });
  });

  test('tests the template that the viewer saw', () => {
    const { patch, live } = run('restart', {});
    expect(() => applyPatch({ ...live, spec: { template: template('2') } }, patch)).toThrow('/spec/template');
  });

  test('is rejected while paused, and within the same second', () => {
    expect(run('restart', { paused: true })).toMatchObject({ planned: { plan: null } });
    const now = { template: { metadata: { annotations: { [KEY]: at(30) } } } };
    expect(run('restart', now).codes).toContain('already_restarted');
  });
});
