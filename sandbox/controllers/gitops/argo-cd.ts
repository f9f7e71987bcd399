import { Cron } from 'croner';
import { type JsonObject } from '@/lib/kube/json';
import { groupOf, type KubeObject } from '@/lib/kube/object';
import { numberAt, objectAt, objectsAt, textAt, valueAt } from '@/lib/kube/read';
import { type ObjectKey } from '@/server/cluster/reflector-store';
import { secondsOf } from '@/sandbox/controllers/argo/argo-rollout';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { type GitState, idOf, runGitTool } from '@/sandbox/controllers/gitops/git-owners';
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
      message: 'successfully synced (all tasks run)',
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
function historyOf({ owner: { spec, status }, revision, now }: GitState): JsonObject[] {
  const before = objectsAt(status, 'history');
  const id = (numberAt(before.at(-1), 'id') ?? -1) + 1;
  const source = objectAt(spec, 'source') ?? {};
  const deployed = { id, revision, source, deployStartedAt: timeText(now), deployedAt: timeText(now) };
  return [...before, deployed].slice(-HISTORY_MAX);
}
