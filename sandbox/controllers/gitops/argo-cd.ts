import { Cron } from 'croner';
import { deepEqual, type JsonObject } from '@/lib/kube/json';
import { groupOf, type KubeObject } from '@/lib/kube/object';
import { numberAt, objectAt, objectsAt, textAt, valueAt } from '@/lib/kube/read';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { secondsOf } from '@/sandbox/controllers/argo/argo-rollout';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import type { CustomKind } from '@/sandbox/controllers/runtime/custom-kind';
import { type GitState, idOf, runGitTool } from '@/sandbox/controllers/gitops/git-owners';
import { controllerOf, controllerReference } from '@/sandbox/controllers/objects/owner';
import { timeOf, timeText } from '@/sandbox/controllers/objects/time';

const NAMESPACE = 'argocd';
/** Times of field managers are in seconds: a later one shows who wrote last. */
const HEAL_AFTER_MS = 1_000;
/** How soon it sees that a window has closed. */
const WINDOW_POLL_MS = 60_000;
const HISTORY_MAX = 10;

/**
 * Simulates the application controller of Argo CD as far as a hand-made change shows it: a commit is what its own field
 * manager wrote, and self-heal puts back what others wrote since, outside deny windows.
 * https://argo-cd.readthedocs.io/en/stable/user-guide/auto_sync/
 */
export function runArgoCd(manager: ControllerManager): void {
  const projects = manager.follow<KubeObject>('appprojects.argoproj.io');
  runGitTool(manager, {
    kind: 'applications.argoproj.io',
    manager: 'argocd-controller',
    ownerKeyOf,
    reconcile: (state) => {
      const project = textAt(state.owner.spec, 'project') ?? 'default';
      return reconcile(state, projects.resource?.store.get(`${NAMESPACE}/${project}`));
    },
  });
}

/** A copied object has the tracking id of another one. */
function ownerKeyOf(workload: KubeObject): ObjectKey | undefined {
  const trackingId = workload.metadata.annotations?.['argocd.argoproj.io/tracking-id'] ?? '';
  const [application = ''] = trackingId.split(':');
  return trackingId === `${application}:${idOf(workload)}` ? `${NAMESPACE}/${application}` : undefined;
}

async function reconcile(state: GitState, project: KubeObject | undefined): Promise<number | undefined> {
  const { owners, owner: app, drifted, revision, annotations, now } = state;
  const isCommit = revision !== textAt(app.status, 'sync', 'revision');
  if (isCommit || syncStateOf(drifted) !== textAt(app.status, 'sync', 'status')) {
    const synced = { ...operationOf(state), history: historyOf(state) };
    const status = { ...comparisonOf(state), ...(isCommit && synced) };
    await owners.merge(app, { metadata: { annotations }, status });
    return undefined;
  }
  const automated = objectAt(app.spec, 'syncPolicy', 'automated');
  const heals = automated?.selfHeal === true && automated.enabled !== false;
  if (drifted.length === 0 || !heals) return undefined;
  if (isDenied(project, app.metadata.name, now)) return WINDOW_POLL_MS;
  const dueMs = (timeOf(textAt(app.status, 'reconciledAt')) ?? 0) + HEAL_AFTER_MS;
  if (dueMs > now) return dueMs - now;
  await state.putBack(drifted);
  const attempts = numberAt(app.status, 'operationState', 'operation', 'sync', 'autoHealAttemptsCount') ?? 0;
  const status = { ...comparisonOf({ ...state, drifted: [] }), ...operationOf(state, attempts + 1) };
  await owners.merge(app, { status });
  return undefined;
}

/**
 * Whether a deny window of its project is open for an application that the window names.
 * https://argo-cd.readthedocs.io/en/stable/user-guide/sync_windows/
 */
function isDenied(project: KubeObject | undefined, application: string, nowMs: number): boolean {
  return objectsAt(project?.spec, 'syncWindows').some((window) => {
    const names = valueAt(window, 'applications');
    return (
      window.kind === 'deny' && Array.isArray(names) && names.includes(application) && isOpen(window, nowMs)
    );
  });
}

function isOpen(window: JsonObject, nowMs: number): boolean {
  const durationMs = (secondsOf(textAt(window, 'duration')) ?? 0) * 1000;
  const schedule = new Cron(textAt(window, 'schedule') ?? '', { timezone: 'UTC' });
  const opened = schedule.nextRun(new Date(nowMs - durationMs));
  return opened !== null && opened.getTime() <= nowMs;
}

function syncStateOf(drifted: readonly unknown[]): string {
  return drifted.length === 0 ? 'Synced' : 'OutOfSync';
}

function comparisonOf({ workloads, drifted, revision, now }: GitState): JsonObject {
  return {
    controllerNamespace: NAMESPACE,
    reconciledAt: timeText(now),
    resources: workloads.map((each) => ({
      group: groupOf(each.object.apiVersion),
      kind: each.object.kind,
      namespace: each.object.metadata.namespace ?? '',
      name: each.object.metadata.name,
      status: syncStateOf(drifted.filter((other) => other === each)),
    })),
    sync: { status: syncStateOf(drifted), revision },
  };
}

/** A sync that has succeeded: one by self-heal counts its attempts at the same commit. */
function operationOf({ owner: { spec }, revision, now }: GitState, healAttempts?: number): JsonObject {
  const automated = objectAt(spec, 'syncPolicy', 'automated') !== undefined;
  return {
    operationState: {
      phase: 'Succeeded',
      startedAt: timeText(now),
      finishedAt: timeText(now),
      operation: {
        initiatedBy: automated ? { automated } : { username: 'admin' },
        sync: { revision, autoHealAttemptsCount: healAttempts ?? null },
      },
      syncResult: { revision, source: objectAt(spec, 'source') ?? {} },
    },
  };
}

/** Newest last; self-heal adds nothing to it. */
function historyOf({ owner: { status }, revision, now }: GitState): JsonObject[] {
  const before = objectsAt(status, 'history');
  const id = (numberAt(before.at(-1), 'id') ?? -1) + 1;
  return [...before, { id, revision, deployedAt: timeText(now) }].slice(-HISTORY_MAX);
}

/**
 * Simulates ApplicationSets with a list generator: creates their Applications, and puts their sync policies back unless
 * told to leave them alone. https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/
 */
export function runApplicationSets(manager: ControllerManager): void {
  const sets = manager.follow<KubeObject>('applicationsets.argoproj.io');
  const applications = manager.follow<KubeObject>('applications.argoproj.io');
  const work = manager.register((key) => generate(sets, applications, key));
  sets.onChange(({ object }) => {
    if (object !== undefined) work.add(keyOf(object));
  });
  applications.onChange(({ object, before }) => {
    const application = object ?? before;
    const owner = application && controllerOf(application);
    if (owner?.kind === 'ApplicationSet') work.add(`${application?.metadata.namespace ?? ''}/${owner.name}`);
  });
}

async function generate(
  sets: CustomKind<KubeObject>,
  applications: CustomKind<KubeObject>,
  key: ObjectKey,
): Promise<void> {
  const resource = applications.resource?.as('argocd-applicationset-controller');
  const set = sets.resource?.store.get(key);
  if (resource === undefined || set === undefined) return;
  const { namespace } = set.metadata;
  const ownerReferences = [controllerReference(set)];
  for (const element of objectsAt(set.spec, 'generators').flatMap((each) =>
    objectsAt(each, 'list', 'elements'),
  )) {
    const { metadata, spec } = fillTemplate(set, element);
    const present = resource.store.get(`${namespace ?? ''}/${textAt(metadata, 'name') ?? ''}`);
    const syncPolicy = valueAt(spec, 'syncPolicy') ?? {};
    if (present === undefined)
      await resource.create(namespace, { metadata: { ...metadata, ownerReferences }, spec });
    else if (!leavesSyncPolicy(set) && !deepEqual(present.spec?.syncPolicy, syncPolicy))
      await resource.replace({ ...present, spec: { ...present.spec, syncPolicy } });
  }
}

function fillTemplate({ spec }: KubeObject, element: JsonObject): { metadata: JsonObject; spec: JsonObject } {
  const text = JSON.stringify(objectAt(spec, 'template')).replaceAll(
    /\{\{(\w+)\}\}/g,
    (_, name: string) => textAt(element, name) ?? '',
  );
  return JSON.parse(text) as { metadata: JsonObject; spec: JsonObject };
}

function leavesSyncPolicy({ spec }: KubeObject): boolean {
  return objectsAt(spec, 'ignoreApplicationDifferences').some(({ jsonPointers }) =>
    JSON.stringify(jsonPointers ?? []).includes('"/spec/syncPolicy"'),
  );
}
