import type { OamRollout } from '@/lib/rollout/oam/parse';
import { imagesOf, namedRevision, pendingRevision, rolloutRevisionOf } from '@/lib/rollout/common-shape';
import type { ProgressiveRollout, RevisionComparison } from '@/lib/rollout/rollout';
import type { RolloutRevision } from '@/lib/api/rollouts';
import type { RolloutInput } from '@/lib/rollout/system';
import type { RolloutFacts } from '@/lib/rollout/rollout-facts';
import { type OamContext, readOamContext } from '@/lib/rollout/oam/context';
import type { RevisionSource, TemplateFacts } from '@/lib/history/workload';
import { formatRevision } from '@/lib/history/revision';

/** The source and the target of the pods, by their names in the Rollout. */
export function findOamRevisions(context: OamContext): ProgressiveRollout['revisions'] {
  const { rollout, target, updated, stable, sources } = context;
  const targetName = targetNameOf(rollout);
  const sourceName = sourceNameOf(context);
  if (rollout.isInPlace)
    return {
      stable: stable === null ? named(sourceName) : rolloutRevisionOf(sourceName ?? stable.name, stable),
      updated:
        updated === null
          ? unrecorded(target, targetName)
          : rolloutRevisionOf(targetName ?? updated.name, updated),
    };
  return {
    stable:
      sourceName === null
        ? null
        : { ...namedRevision(sourceName, sourceName), images: imagesOf(sources[0]?.workload) },
    updated:
      target === null || targetName === null
        ? named(targetName)
        : {
            ...rolloutRevisionOf(targetName, updated),
            number: null,
            name: targetName,
            pending: updated === null,
            images: imagesOf(target.workload),
          },
  };
}

/** Name of the revision that is, was or will be rolled out. */
export function targetNameOf({ status, target }: OamRollout): string | null {
  return status.lastTarget ?? target;
}

/** Name of the source of the pods, which a spec need not contain; null where there is none. */
export function sourceNameOf({ rollout }: Pick<OamContext, 'rollout'>): string | null {
  const { status, naming, sources, source } = rollout;
  const name =
    naming === 'workload'
      ? (sources[0] ?? source)
      : (status.lastSource ?? (status.lastTarget === undefined ? source : null));
  return name === targetNameOf(rollout) ? null : name;
}

/** A recorded revision of the component by its name; undefined where it was pruned. */
export function recordedRevision(
  { component }: Pick<OamContext, 'component'>,
  name: string | null,
): RevisionSource | undefined {
  return name === null ? undefined : component?.revisions.find((revision) => revision.name === name);
}

/**
 * Both as in the history of the component; undefined where source and target are revisions of the workload
 * itself.
 */
export function comparisonOf(context: OamContext): RevisionComparison | null | undefined {
  const { rollout, component, stable, updated } = context;
  if (rollout.isInPlace && stable !== null && updated !== null) return undefined;
  const from = recordedRevision(context, sourceNameOf(context));
  const to = recordedRevision(context, targetNameOf(rollout));
  const history = component?.history ?? null;
  if (history === null || from === undefined || to === undefined || from.uid === to.uid) return null;
  return { ...history, from: from.uid, to: to.uid };
}

/** The templates of both: of the workloads where they exist, else as recorded of the component. */
export function sidesOf(
  input: RolloutInput<OamRollout>,
): { before: TemplateFacts; after: TemplateFacts } | null {
  const context = readOamContext(input);
  const { rollout, target, sources } = context;
  if (rollout.isInPlace) return null;
  if (sources[0] !== undefined && target !== null)
    return { before: sources[0].workload, after: target.workload };
  const before = recordedRevision(context, sourceNameOf(context));
  const after = recordedRevision(context, targetNameOf(rollout));
  return before === undefined || after === undefined ? null : { before, after };
}

/** The name of the target revision in a sentence. */
export function formatUpdatedRevision(context: OamContext): string {
  const { rollout, updated } = context;
  return formatRevisionOr(context, targetNameOf(rollout), updated, 'the target');
}

export function formatStableRevision(context: OamContext): string {
  return formatRevisionOr(context, sourceNameOf(context), context.stable, 'the source');
}

function formatRevisionOr(
  { rollout }: OamContext,
  name: string | null,
  revision: OamContext['updated'],
  otherwise: string,
): string {
  if (rollout.isInPlace && revision !== null)
    return name === null ? `revision ${formatRevision(revision)}` : name;
  if (name === null) return otherwise;
  return rollout.naming === 'workload' ? `${rollout.workload.kind} ${name}` : name;
}

function named(name: string | null): RolloutRevision | null {
  return name === null ? null : namedRevision(name, name);
}

/** Of a target whose workload has recorded no revision so far. */
function unrecorded(target: RolloutFacts | null, name: string | null): RolloutRevision | null {
  return target === null ? named(name) : pendingRevision(name, name, target.workload);
}
