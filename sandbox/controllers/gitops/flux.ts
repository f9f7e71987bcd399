import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { conditionAt, numberAt, objectsAt, textAt } from '@/lib/kube/read';
import type { ObjectKey } from '@/server/cluster/reflector-store';
import { secondsOf } from '@/sandbox/controllers/argo/argo-rollout';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import { type Deployed, type GitState, runGitTool } from '@/sandbox/controllers/gitops/git-owners';
import { timeOf, timeText } from '@/sandbox/controllers/objects/time';

const GROUP = 'kustomize.toolkit.fluxcd.io';
const REQUESTED_AT = 'reconcile.fluxcd.io/requestedAt';
const HISTORY_MAX = 5;
/** A shorter interval would keep the sandbox busy. */
const INTERVAL_SECONDS_MIN = 60;

/**
 * Simulates the Kustomizations of Flux as far as a hand-made change shows them: nothing corrects drift before the interval
 * ends, a reconciliation is requested, or a commit comes, which is what its own field manager wrote.
 * https://fluxcd.io/flux/components/kustomize/kustomizations/
 */
export function runFlux(manager: ControllerManager): void {
  runGitTool(manager, {
    kind: `kustomizations.${GROUP}`,
    manager: 'kustomize-controller',
    ownerKeyOf,
    reconcile,
  });
}

function ownerKeyOf({ metadata: { labels } }: KubeObject): ObjectKey | undefined {
  const [namespace, name] = [labels?.[`${GROUP}/namespace`], labels?.[`${GROUP}/name`]];
  return namespace === undefined || name === undefined ? undefined : `${namespace}/${name}`;
}

async function reconcile(state: GitState): Promise<number | undefined> {
  const { owners, owner, drifted, annotations, now } = state;
  if (owner.spec?.suspend === true) return undefined;
  const requestedAt = owner.metadata.annotations?.[REQUESTED_AT] ?? null;
  const [last] = objectsAt(owner.status, 'history');
  const isTriggered =
    textAt(last, 'metadata', 'revision') !== revisionOf(state) ||
    requestedAt !== (textAt(owner.status, 'lastHandledReconcileAt') ?? null);
  const intervalMs = Math.max(secondsOf(textAt(owner.spec, 'interval')) ?? 0, INTERVAL_SECONDS_MIN) * 1000;
  const waitMs = (timeOf(textAt(last, 'lastReconciled')) ?? 0) + intervalMs - now;
  if (!isTriggered && waitMs > 0) return waitMs;
  await state.putBack(drifted.filter(isReconciled));
  const noted = await owners.merge(owner, { metadata: { annotations } });
  const status = { ...statusOf(state), lastHandledReconcileAt: requestedAt };
  await owners.merge(noted, { status }, 'status');
  return intervalMs;
}

/** The mark may be a label or an annotation. */
function isReconciled({ object: { metadata } }: Deployed): boolean {
  return ![metadata.labels, metadata.annotations].some(
    (marks) => marks?.[`${GROUP}/reconcile`] === 'disabled',
  );
}

function revisionOf({ revision }: GitState): string {
  return `main@sha1:${revision}`;
}

function statusOf(state: GitState): JsonObject {
  const [revision, time] = [revisionOf(state), timeText(state.now)];
  const { metadata, status } = state.owner;
  const history = objectsAt(status, 'history');
  const known = history.find((entry) => textAt(entry, 'metadata', 'revision') === revision);
  const totalReconciliations = (numberAt(known, 'totalReconciliations') ?? 0) + 1;
  const entry = { metadata: { revision }, lastReconciled: time, totalReconciliations };
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'ReconciliationSucceeded',
    message: `Applied revision: ${revision}`,
    lastTransitionTime: textAt(conditionAt(status, 'Ready'), 'lastTransitionTime') ?? time,
  };
  return {
    observedGeneration: metadata.generation ?? 1,
    lastAppliedRevision: revision,
    conditions: [ready],
    history: [entry, ...history.filter((each) => each !== known)].slice(0, HISTORY_MAX),
  };
}
