import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffTemplates } from '@/lib/diff/testing/diff-templates';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { podTemplatesOf } from '@/lib/kube/pod-templates';
import { deriveStatus } from '@/lib/messages/workload-status';
import { stormService } from '@/lib/workloads/kinds/storm-service';
import { retainedTarget } from '@/lib/workloads/rollback-target';
import { templateOfObject } from '@/lib/workloads/template-location';
import {
  at,
  controllerRevision,
  historyInputOf,
  object,
  pod,
  template as podTemplate,
} from '@/lib/workloads/testing/objects';
import { plannedScenario } from '@/lib/workloads/testing/patch';

const labels = { app: 'llm' };

/** A prefill of one pod and two decodes of two pods each. */
function roleSet(image: string, decodes = 2): JsonObject {
  return {
    metadata: { labels },
    spec: {
      roles: [
        { name: 'prefill', replicas: 1, template: podTemplate(image) },
        { name: 'decode', replicas: decodes, podGroupSize: 2, template: podTemplate(`${image}-d`) },
      ],
    },
  };
}

function revision(number: number, recorded: JsonObject = roleSet(String(number))): KubeObject {
  const parts = { name: `llm-${number}`, created: number, labels: { name: 'llm' }, template: recorded };
  const made = controllerRevision(number, '', parts);
  Object.assign(made.metadata.ownerReferences?.[0] ?? {}, {
    apiVersion: 'orchestration.aibrix.ai/v1alpha1',
    kind: 'StormService',
  });
  return made;
}

interface Scene {
  live?: JsonObject;
  spec?: JsonObject;
  status?: JsonObject;
  observed?: number;
  revisions?: readonly KubeObject[];
  pods?: readonly KubeObject[];
}

const updated = (count: number, ready = 3, total = 3): JsonObject => ({
  replicas: total,
  readyReplicas: ready,
  updatedReplicas: count,
  currentRevision: count === 3 ? 'llm-2' : 'llm-1',
  updateRevision: 'llm-2',
});

function read({ live = roleSet('2'), spec, status = updated(3), observed = 2, ...rest }: Scene = {}) {
  const workload = object(
    'StormService',
    { name: 'llm', uid: 'uid-workload', owner: null, generation: 2 },
    {
      apiVersion: 'orchestration.aibrix.ai/v1alpha1',
      spec: { replicas: 3, selector: { matchLabels: labels }, template: live, ...spec },
      status: { observedGeneration: observed, ...status },
    },
  );
  const { revisions = [revision(1), revision(2)], pods = [] } = rest;
  const input = historyInputOf(stormService, workload, revisions, pods);
  const history = stormService.history(input);
  const facts = stormService.facts({ ...input, history, now: at(30) });
  const current = {
    ...input,
    history,
    currentTemplate: templateOfObject(stormService, workload) ?? {},
    now: at(30),
  };
  return { workload, input, history, current, facts, status: deriveStatus(facts) };
}

function rollBack(scene: Scene = {}, number = 1) {
  const { workload, history, current } = read(scene);
  const to = history.revisions.find((each) => each.number === number);
  const from = scene.revisions?.find(({ revision: each }) => each === number) ?? revision(number);
  if (to === undefined) throw new Error(`no revision ${number}`);
  const planned = stormService.writes.rollback({
    ...current,
    to: retainedTarget(to),
    template: stormService.source.templateOf(from) ?? {},
    reason: '',
    likeKubectl: false,
  });
  return plannedScenario(planned, workload);
}

describe('revisions', () => {
  test('target and current are those that the status names', () => {
    expect(read({ status: updated(1) }).history.revisions).toMatchObject([
      { number: 2, target: true, current: false, live: true },
      { number: 1, target: false, current: true, live: true },
    ]);
  });

  test('until the last edit is observed, the target is the newest with an equal template', () => {
    const { history } = read({ live: roleSet('1'), status: updated(3), observed: 1 });
    expect(history.target).toMatchObject({ number: 1 });
    expect(read({ live: roleSet('9'), observed: 1 }).history.target).toBeNull();
  });

  test('are those of this incarnation alone', () => {
    const foreign = revision(7);
    Object.assign(foreign.metadata.ownerReferences?.[0] ?? {}, { uid: 'uid-of-another' });
    expect(read({ revisions: [revision(2), foreign] }).history.revisions).toHaveLength(1);
  });

  test('are not called unused where no pod names one', () => {
    expect(read().history.livenessUnknown).toBe(true);
    const own = pod('llm-0', { labels: { 'controller-revision-hash': 'llm-2' } });
    const { history } = read({ pods: [own] });
    expect(history.livenessUnknown).toBeUndefined();
    expect(history.revisionOfPod.get('uid-llm-0')?.number).toBe(2);
  });
});

describe('templates', () => {
  const [before, after] = [revision(1), revision(2)].map(
    (source) => stormService.source.templateOf(source) ?? {},
  ) as [JsonObject, JsonObject];

  test('differ by the images of their roles', () => {
    expect(podTemplatesOf(after).map(({ role }) => role)).toEqual(['prefill', 'decode']);
    const { changes } = diffTemplates(before, after);
    expect(changes.map(({ container, label }) => `${container} ${label}`)).toEqual([
      'prefill/app image',
      'decode/app image',
    ]);
  });

  test('are the same in the object and in its revision', () => {
    expect(read().current.currentTemplate).toEqual(after);
  });

  test('without roles are read as pod templates', () => {
    const plain = revision(1, podTemplate('1'));
    expect(stormService.source.templateOf(plain)).toEqual(podTemplate('1'));
    expect(read({ live: podTemplate('1') }).facts.counts.desired).toBe(3);
  });
});

describe('facts', () => {
  test('count RoleSets, and pods by the roles', () => {
    const { facts, status } = read({ status: updated(1, 2) });
    expect(facts.progress).toMatchObject({ updated: 1, goal: 3, serving: 2, desired: 3 });
    expect(facts.counts).toMatchObject({ desired: 15, updated: 5, ready: 10 });
    expect(status).toMatchObject({ state: 'rolling', message: '1 of 3 groups updated' });
  });

  test.each<[string, string, Scene]>([
    ['complete', 'all RoleSets are updated and ready', {}],
    ['rolling', 'a RoleSet is not ready', { status: updated(3, 2) }],
    ['rolling', 'a surplus RoleSet remains', { status: updated(3, 4, 4) }],
    ['rolling', 'the current revision is a former one', { status: { ...updated(3), currentRevision: 'x' } }],
    ['unknown', 'the last edit has not been observed for long', { observed: 1 }],
    ['complete', 'none is desired, and none is left', { spec: { replicas: 0 }, status: updated(0, 0, 0) }],
    ['paused', 'it is paused', { spec: { paused: true }, status: updated(1) }],
    [
      'deadlineExceeded',
      'its controller reports the deadline',
      {
        spec: { progressDeadlineSeconds: 600 },
        status: {
          ...updated(1),
          conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }],
        },
      },
    ],
  ])('%s: %s', (state, _, scene) => {
    expect(read(scene).status.state).toBe(state);
  });

  test.each<[string, JsonObject | undefined]>([
    ['RollingUpdate', undefined],
    ['RollingUpdate, surge 1, unavailable 25%', { maxSurge: 1, maxUnavailable: '25%' }],
    ['InPlaceUpdate', { type: 'InPlaceUpdate', maxUnavailable: 1 }],
  ])('the strategy reads %s', (text, updateStrategy) => {
    expect(stormService.settings(read({ spec: { updateStrategy } }).input.workload).strategy).toBe(text);
  });
});

describe('a rollback', () => {
  test('replaces the template alone by the recorded one, without its directive', () => {
    const plan = rollBack();
    const { workload } = plan;
    expect(plan.written()).toEqual({ ...workload, spec: { ...workload.spec, template: roleSet('1') } });
  });

  test('writes nothing where the template is no longer the one that the viewer saw', () => {
    const { planned } = rollBack();
    const changed = read({ live: roleSet('3') }).workload;
    expect(() => plannedScenario(planned, changed).written()).toThrow('/spec/template differs');
  });

  test('is refused to the template that it already has', () => {
    expect(rollBack({}, 2).codes('refusal')).toEqual(['equal_target']);
  });

  test('is refused to a revision that records something else', () => {
    const odd = { ...revision(1), data: { spec: {} } };
    expect(rollBack({ revisions: [odd, revision(2)] }).codes('refusal')).toEqual(['unreadable_revision']);
  });

  test('waits for the end of a pause', () => {
    expect(rollBack({ spec: { paused: true } }).steps[0]).toMatch(/once it is resumed\.$/);
    expect(rollBack().steps[0]).toMatch(/by the update strategy \(RollingUpdate\)\.$/);
  });
});

describe('pause and resume', () => {
  const plan = (action: 'pause' | 'resume', spec: JsonObject) => {
    const { workload, current } = read({ spec });
    const planned = stormService.writes[action]?.(current);
    if (planned === undefined) throw new Error(`no ${action}`);
    return plannedScenario(planned, workload);
  };

  test('write `paused`, and nothing else', () => {
    for (const spec of [{}, { paused: false }])
      expect(plan('pause', spec).written()).toMatchObject({ spec: { paused: true, template: roleSet('2') } });
    expect(plan('resume', { paused: true }).written()).toMatchObject({ spec: { paused: false } });
  });

  test('are refused where they change nothing', () => {
    expect(plan('pause', { paused: true }).codes('refusal')).toEqual(['already_paused']);
    expect(plan('resume', {}).codes('refusal')).toEqual(['not_paused']);
  });
});

test('reads any content of the objects without an error', () => {
  const odd = fc.jsonValue() as fc.Arbitrary<never>;
  const record = (...members: string[]) =>
    fc.record(Object.fromEntries(members.map((member) => [member, odd])), {
      requiredKeys: [],
    }) as fc.Arbitrary<JsonObject>;
  const role = record('name', 'replicas', 'podGroupSize', 'template');
  const roles = fc.record({ spec: fc.record({ roles: fc.array(role) }) }) as fc.Arbitrary<JsonObject>;
  const parts = fc.record({
    spec: record('replicas', 'selector', 'updateStrategy', 'paused', 'stateful', 'progressDeadlineSeconds'),
    status: record('replicas', 'readyReplicas', 'currentRevision', 'updateRevision', 'conditions'),
    live: fc.oneof(odd, roles),
    data: fc.oneof(odd, fc.record({ spec: fc.record({ template: fc.oneof(odd, roles) }) })),
  });
  fc.assert(
    fc.property(parts, ({ spec, status, live, data }) => {
      const source = { ...revision(1), data: data as JsonObject };
      const scene = { spec, status, live, revisions: [source, revision(2)] };
      const { input } = read(scene);
      expect(stormService.settings(input.workload).strategy).not.toBe('');
      const { plan, findings } = rollBack(scene).planned;
      expect(plan === null).toBe(findings.some(({ severity }) => severity === 'refusal'));
    }),
  );
});
