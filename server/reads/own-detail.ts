import 'server-only';
import { actionKinds, type ActionKind } from '@/lib/api/action-values';
import type { Answer } from '@/lib/api/common';
import type { workloadDetailSchema } from '@/lib/api/workloads';
import type { Placeholder, Template } from '@/lib/history/workload';
import type { JsonObject } from '@/lib/kube/json';
import { refuseGenerated } from '@/lib/workloads/owner-checks';
import { isReleasable } from '@/lib/workloads/release-fields';
import { retainedTarget } from '@/lib/workloads/rollback-target';
import type { ReadContext } from '@/server/views/context';
import { workloadPreconditionToken } from '@/server/views/precondition-token';
import { hideInText } from '@/server/views/view-rights';
import { workloadItemOf, type WorkloadView } from '@/server/views/workload-view';

type Detail = Answer<typeof workloadDetailSchema>['workload'];
/** What depends on the viewer's rights, on the archive, or on the links of the configuration. */
type Elsewhere = 'defaultTarget' | 'links' | 'owners' | 'producer' | 'targetAssumed' | 'groups' | 'rollout';
type OwnDetail = Omit<Detail, Elsewhere>;

/** Every page of a workload has the same until it changes. */
const details = new WeakMap<WorkloadView, OwnDetail>();

/** What the page of a workload shows of the workload itself, once for each view. */
export function ownDetail(context: ReadContext, view: WorkloadView): OwnDetail {
  const known = details.get(view);
  if (known !== undefined) return known;
  const detail = describe(context, view);
  details.set(view, detail);
  return detail;
}

function describe(context: ReadContext, view: WorkloadView): OwnDetail {
  const { cluster, keys } = context;
  const { mask } = keys;
  const { workload, kind, status } = view;
  const { spec } = workload;
  const { isPaused, partition, strategy } = kind.settings(workload);
  return {
    ...workloadItemOf(cluster.identity.id, view, mask),
    seen: workloadPreconditionToken(keys, cluster.identity.id, view),
    sentence: mask.text(status.sentence),
    strategy,
    paused: isPaused === true,
    replicas: numberOrNull(spec['replicas']),
    partition: partition?.value ?? null,
    partitionKeeps: partition?.keeps ?? null,
    ...(partition?.of && { partitionOf: partition.of }),
    revisionHistoryLimit: numberOrNull(spec['revisionHistoryLimit']),
    generation: workload.generation,
    observedGeneration: numberOrNull(workload.status['observedGeneration']),
    deletedAt: workload.deletedAt,
    blockers: status.blockers.map((blocker) => ({
      ...blocker,
      block: { ...blocker.block, message: mask.text(blocker.block.message) },
    })),
    conditions: conditionsOf(workload.status, context),
    controls: controlsOf(view, context),
    kubectlStatus: mask.text(status.kubectl.text),
    ...(status.kubectl.command !== undefined && { kubectlCommand: status.kubectl.command }),
    annotations: mask.annotations(workload.annotations),
    ...(workload.placeholder && { placeholder: placeholderItem(workload.placeholder) }),
    ...(kind.writes.movesPartition && { movesPartition: true as const }),
  };
}

function controlsOf(view: WorkloadView, context: ReadContext): Detail['controls'] {
  const { kind, workload, pods } = view;
  const names = pods.map(({ name }) => name);
  const text = (reason: string | null) => context.keys.mask.text(hideInText(reason, names, view.rights));
  const present = context.cluster.cache.template(workload.bodyId) ?? {};
  const now = new Date(context.now()).toISOString();
  const controls = actionKinds.flatMap((action: ActionKind): Detail['controls'] => {
    if (action === 'rollback') {
      const reason = refusalOfAll(view, context, present);
      return [{ action, enabled: reason === null, reason: text(reason) }];
    }
    if (action === 'partition' || action === 'deletePod') {
      const has = kind.writes[action] !== undefined;
      return has ? [{ action, enabled: true, reason: null }] : [];
    }
    const control = kind.writes[action];
    if (control === undefined) return [];
    const planned = control({ ...view, currentTemplate: present, now });
    const refusal = planned.findings.find((finding) => finding.severity === 'refusal');
    return [{ action, enabled: refusal === undefined, reason: text(refusal?.message ?? null) }];
  });
  if (isReleasable(workload)) controls.push({ action: 'releaseFields', enabled: true, reason: null });
  return controls;
}

/**
 * For a workload with a generator, and for a kind whose controllers are unknown: why no rollback to any of its
 * revisions is possible, as far as the newest one shows. Null where it may be tried.
 */
function refusalOfAll(view: WorkloadView, { cluster }: ReadContext, present: Template): string | null {
  const { kind, workload, history } = view;
  const generatorRefusal = refuseGenerated(workload) ?? kind.writes.refusesRollback?.(workload)[0];
  if (generatorRefusal !== undefined)
    return `${generatorRefusal.message} ${generatorRefusal.action ?? ''}`.trimEnd();
  if (kind.producer === undefined) return null;
  const revision = history.revisions.find(({ target }) => !target) ?? history.revisions[0];
  const template = revision && cluster.cache.template(revision.source.bodyId);
  if (revision === undefined || template === undefined) return null;
  const to = retainedTarget(revision);
  const asked = { currentTemplate: present, to, template, reason: '', likeKubectl: false };
  const { findings } = kind.writes.rollback({ ...view, ...asked });
  return (
    findings.find(({ severity, code }) => severity === 'refusal' && code !== 'equal_target')?.message ?? null
  );
}

function conditionsOf(status: JsonObject, context: ReadContext): Detail['conditions'] {
  const list = Array.isArray(status['conditions']) ? status['conditions'] : [];
  return list.slice(0, 50).flatMap((entry) => {
    if (entry === null || typeof entry !== 'object' || Array.isArray(entry)) return [];
    return [
      {
        type: textOf(entry['type']) ?? '',
        status: textOf(entry['status']) ?? '',
        reason: textOf(entry['reason']),
        message: context.keys.mask.text(textOf(entry['message'])),
        lastTransitionTime: textOf(entry['lastTransitionTime']),
        lastUpdateTime: textOf(entry['lastUpdateTime']),
      },
    ];
  });
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function placeholderItem({ state, owner, component }: Placeholder): Detail['placeholder'] {
  const shown = owner && { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.name };
  return { state, owner: shown, component };
}
