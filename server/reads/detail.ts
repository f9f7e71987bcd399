import 'server-only';
import { type Partial } from '@/lib/api/common';
import { type RevisionItem, type WorkloadDetail } from '@/lib/api/workloads';
import { defaultTarget } from '@/lib/history/default-target';
import { type History, type Revision } from '@/lib/history/revision';
import { actionKinds, type ActionKind } from '@/lib/workloads/plan';
import { type JsonObject } from '@/lib/kube/json';
import { ownersOf } from '@/lib/workloads/owners';
import { type WriteMark } from '@/lib/workloads/workload';
import { type ReadContext } from '@/server/reads/context';
import { findWorkload, type WorkloadRef } from '@/server/reads/find';
import { freshness } from '@/server/reads/freshness';
import { workloadLinks } from '@/server/reads/links';
import { missingParts } from '@/server/reads/partial';
import { may } from '@/server/reads/rights';
import { itemOf, type WorkloadView } from '@/server/reads/view';
import { maskAnnotations, maskText } from '@/server/mask';
import { type Viewer } from '@/server/viewer';

/** The workload page in one answer: state, history, what can be done. */
export async function workloadDetail(
  context: ReadContext,
  viewer: Viewer,
  ref: WorkloadRef,
): Promise<WorkloadDetail> {
  const view = await findWorkload(context, viewer, ref);
  const { cluster, keys } = context;
  const { workload, history, kind, status } = view;
  const maySource = await may(cluster, viewer, 'get', kind.source.resource, ref.namespace);
  const shown: History = maySource ? history : withoutSources(history);
  const offered = defaultTarget(shown, kind.previous(shown));
  const spec = workload.spec;
  return {
    workload: {
      ...itemOf(cluster.identity.id, view, keys),
      seen: keys.seen(cluster.identity.id, workload.uid, workload.bodyId),
      sentence: maskText(status.sentence, keys),
      strategy: kind.strategy(workload),
      paused: spec['paused'] === true,
      replicas: numberOrNull(spec['replicas']),
      partition: partitionOf(spec),
      revisionHistoryLimit: numberOrNull(spec['revisionHistoryLimit']),
      generation: workload.generation,
      observedGeneration: numberOrNull(workload.status['observedGeneration']),
      deletedAt: workload.deletedAt,
      blockers: status.blockers.map((blocker) => ({
        ...blocker,
        block: { ...blocker.block, message: maskNullable(blocker.block.message, context) },
      })),
      conditions: conditionsOf(workload.status, context),
      owners: ownersOf(workload),
      controls: controlsOf(view, context),
      defaultTarget:
        offered === null
          ? null
          : { id: offered.revision.id, number: offered.revision.number, why: offered.why },
      kubectlStatus: maskText(status.kubectl.text, keys),
      links: workloadLinks(context.config.links, view),
      annotations: maskAnnotations(workload.annotations, keys),
    },
    revisions: shown.revisions.map((revision, index) =>
      revisionItem(context, revision, shown.revisions[index + 1]),
    ),
    orphans: shown.orphans.map((orphan) => ({
      name: orphan.name,
      number: orphan.number.kind === 'number' ? orphan.number.value : null,
      createdAt: orphan.createdAt,
    })),
    gaps: [...shown.gaps],
    lives: [],
    warnings: [...shown.warnings],
    partial: partialOf(context, view, maySource, viewer),
    ...freshness(context),
  };
}

function withoutSources(history: History): History {
  return { ...history, revisions: [], target: null, orphans: [], gaps: [], warnings: [] };
}

function revisionItem(
  { cluster, keys, summaries }: ReadContext,
  revision: Revision,
  before: Revision | undefined,
): RevisionItem {
  const { source } = revision;
  const summary = before === undefined ? null : summaries.between(cluster.cache, before.source, source);
  return {
    id: revision.id,
    number: revision.number,
    name: revision.name,
    target: revision.target,
    current: revision.current,
    live: revision.live,
    serving: revision.serving,
    pods: { ...revision.pods },
    images: source.images.map(({ container, image }) => ({ container, image })),
    changeCause: revision.changeCause === null ? null : maskText(revision.changeCause, keys),
    causeInheritedFrom: revision.causeInheritedFrom,
    createdAt: revision.createdAt,
    activations: revision.activations.map((activation) => ({ ...activation, record: null })),
    summary: summary?.text ?? null,
    risks: summary?.risks ?? 0,
    restart: revision.restart,
    retained: true,
    archived: null,
    prunedNext: revision.prunedNext,
    alsoNumbers: [...revision.alsoNumbers],
    duplicateOf: revision.duplicateOf,
    sharesNumber: revision.sharesNumber,
    explanation: revision.explanation,
    writer: writerOf(source.writes),
  };
}

function writerOf(writes: readonly WriteMark[]): RevisionItem['writer'] {
  const write = writes.find((mark) => mark.revision) ?? writes.at(0);
  return write === undefined
    ? null
    : { manager: write.manager, operation: write.operation, time: write.time };
}

function controlsOf(view: WorkloadView, context: ReadContext): WorkloadDetail['workload']['controls'] {
  const { kind, workload, history, pods } = view;
  const present = context.cluster.cache.template(workload.bodyId) ?? {};
  const now = new Date(context.now()).toISOString();
  return actionKinds.flatMap((action: ActionKind): WorkloadDetail['workload']['controls'] => {
    if (action === 'rollback' || action === 'partition' || action === 'deletePod') {
      const has = action === 'rollback' || kind.controls[action] !== undefined;
      return has ? [{ action, enabled: true, reason: null }] : [];
    }
    const control = kind.controls[action];
    if (control === undefined) return [];
    const planned = control({ workload, present, history, pods, now });
    const refusal = planned.findings.find((finding) => finding.severity === 'refusal');
    return [{ action, enabled: refusal === undefined, reason: refusal?.message ?? null }];
  });
}

function conditionsOf(status: JsonObject, context: ReadContext): WorkloadDetail['workload']['conditions'] {
  const list = Array.isArray(status['conditions']) ? status['conditions'] : [];
  return list.slice(0, 50).flatMap((entry) => {
    if (entry === null || typeof entry !== 'object' || Array.isArray(entry)) return [];
    return [
      {
        type: textOf(entry['type']) ?? '',
        status: textOf(entry['status']) ?? '',
        reason: textOf(entry['reason']),
        message: maskNullable(textOf(entry['message']), context),
        lastTransitionTime: textOf(entry['lastTransitionTime']),
        lastUpdateTime: textOf(entry['lastUpdateTime']),
      },
    ];
  });
}

function partialOf(context: ReadContext, view: WorkloadView, maySource: boolean, viewer: Viewer): Partial[] {
  const { kind } = view;
  const partial: Partial[] = [];
  const sourceId = kind.source.resource.id;
  if (!maySource) {
    partial.push({
      resource: sourceId,
      reason: `${viewer.name} may not read ${kind.source.resource.plural} in ${view.workload.namespace}, so the revisions are not shown.`,
    });
  }
  const shown = new Set([kind.resource.id, sourceId, 'pods', 'events']);
  const { namespace } = view.workload;
  return [...partial, ...missingParts(context.cluster, (resource) => shown.has(resource), namespace)];
}

function partitionOf(spec: JsonObject): number | null {
  const strategy = spec['updateStrategy'];
  if (strategy === null || typeof strategy !== 'object' || Array.isArray(strategy)) return null;
  const rolling = strategy['rollingUpdate'];
  if (rolling === null || typeof rolling !== 'object' || Array.isArray(rolling)) return null;
  return numberOrNull(rolling['partition']);
}

function maskNullable(text: string | null, { keys }: ReadContext): string | null {
  return text === null ? null : maskText(text, keys);
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
