import 'server-only';
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '@/lib/errors';
import { formatRevision, type Revision } from '@/lib/history/revision';
import { canonicalJson } from '@/lib/kube/json';
import { formatTarget, retainedTarget, type RollbackTarget } from '@/lib/workloads/rollback-target';
import { finding } from '@/lib/workloads/plan';
import { cleanTemplate } from '@/lib/workloads/template-facts';
import type { RevisionSource, Template } from '@/lib/history/workload';
import type { ActionsContext } from '@/server/actions/context';
import type { CurrentWorkload } from '@/server/actions/current-workload';
import type { Execution } from '@/server/actions/strategy';
import { hashOfText } from '@/server/archive/revisions';
import {
  type ArchivedRevisionMatch,
  type FoundRevision,
  findAnyRevision,
  tryRetained,
} from '@/server/views/find-revision';
import { factsOf } from '@/server/cluster/ingest';
import { unpack } from '@/server/cluster/unpack';
import { findRevision } from '@/server/views/find-workload';
import { assertCan } from '@/server/views/rights';

/** The target of a rollback. */
export interface ResolvedTarget {
  /** With the history that has the target in its current state. */
  current: CurrentWorkload;
  to: RollbackTarget;
  /** Without what controllers add to it. */
  template: Template;
}

/**
 * The revision of a number or id with its template: from its current source object, read as the viewer, or,
 * when the cluster no longer has it, from the archive. Rejects with AppError: `not_found`, `ambiguous`,
 * `forbidden`; `refused` where the archive has the revision but no template that may be written;
 * `archive_unavailable` where only the archive could tell.
 */
export async function findTarget(
  execution: Execution,
  current: CurrentWorkload,
  ref: string,
): Promise<ResolvedTarget> {
  const { retained, missing } = tryRetained(current, ref);
  if (retained === undefined) return fromArchive(execution, current, ref, missing);
  try {
    return await fromCluster(execution, current, retained);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    // It has just been pruned, and the cache does not show that yet.
    const others = withSources(current, (source) => (source.uid === retained.source.uid ? [] : source));
    return fromArchive(execution, others, retained.id, error);
  }
}

async function fromCluster(
  { context, viewer, attempt }: Execution,
  current: CurrentWorkload,
  known: Revision,
): Promise<ResolvedTarget> {
  const { kind, workload } = current;
  const { object, summary } = await context.cluster.readSource(
    viewer,
    kind,
    known.source.namespace,
    known.name,
  );
  const raw = templateIn(kind.source.templateOf(object), known);
  if (summary.uid !== known.source.uid || summary.controllerUid !== workload.uid || raw === undefined) {
    throw new AppError(
      'not_found',
      `${known.name}, which held revision ${formatRevision(known)} of ${workload.name}, was replaced. Nothing was applied; choose a revision again.`,
      { revision: known.id },
    );
  }
  // The plan has to be of the object that was read now: its number and template may be newer than the cache's.
  const isKnown = current.sources.some((source) => isDeepStrictEqual(source, summary));
  const fresh = isKnown
    ? current
    : withSources(current, (source) => (source.uid === summary.uid ? summary : source));
  const to = retainedTarget(isKnown ? known : findRevision(fresh.history, workload, known.id));
  const template = cleanTemplate(raw);
  attempt.describeTarget(to, hashOfText(canonicalJson(template)));
  return { current: fresh, to, template };
}

/**
 * The template that the source object records, decompressed. Throws AppError `refused` where it cannot be
 * read.
 */
function templateIn(body: Template | undefined, revision: Revision): Template | undefined {
  if (body === undefined) return undefined;
  const { template, problem } = unpack(body);
  if (problem === null) return template;
  throw new AppError(
    'refused',
    `Cannot roll back to revision ${formatRevision(revision)}. ${problem} Nothing was applied.`,
    { revision: revision.id },
  );
}

/**
 * `missing` names the reason why the cluster does not have it. Templates are for viewers who are allowed to
 * read their source object.
 */
async function fromArchive(
  execution: Execution,
  current: CurrentWorkload,
  ref: string,
  missing: AppError,
): Promise<ResolvedTarget> {
  const { context, viewer, attempt } = execution;
  await assertCan(context.cluster, viewer, 'get', current.kind.source.resource, current.workload.namespace);
  const found = await findArchived(context, current, ref, missing);
  if (found.kind === 'retained') return fromCluster(execution, current, found.revision);
  const { revision, number, template } = found;
  const target = { id: revision.id, number, name: revision.name, origin: originOf(found) };
  attempt.describeTarget(target, revision.hash);
  const called = `revision ${formatTarget(target)}`;
  if (template === null)
    throw refusal(
      'template_gone',
      `Neither the cluster nor Shiplog's archive has the template of ${called}: it expired, was imported with masked credentials, or contains a Secret, which is never archived.`,
      'Choose another revision, or import an export made with --with-values.',
    );
  // A body with markers for its credentials, or a damaged one, must never reach a cluster.
  if (hashOfText(canonicalJson(template)) !== revision.hash)
    throw refusal(
      'template_damaged',
      `The template of ${called} in Shiplog's archive is damaged.`,
      'Choose another revision, and run `npm run archive -- verify`.',
    );
  return { current, to: { ...target, facts: factsOf(template) }, template };
}

function originOf({ revision, incarnation }: ArchivedRevisionMatch): RollbackTarget['origin'] {
  const { firstSeenAt: recordedAt, prunedAt } = revision;
  return incarnation.present
    ? { kind: 'archive', recordedAt, prunedAt }
    : { kind: 'earlierIncarnation', recordedAt, prunedAt, deletedAt: incarnation.deletedAt };
}

function refusal(code: string, message: string, remedy: string): AppError {
  const findings = [finding('refusal', code, message, remedy)];
  const details = { findings, plan: null, diff: null, toSeen: null, dryRun: null };
  return new AppError('refused', `${message} Nothing was applied.`, details);
}

async function findArchived(
  { cluster, archive }: ActionsContext,
  current: CurrentWorkload,
  ref: string,
  missing: AppError,
): Promise<FoundRevision> {
  const open = archive();
  // Only the cluster knows the new number of a renumbered revision.
  if (open === null && missing.details.became === undefined) {
    throw new AppError(
      'archive_unavailable',
      `The cluster has no revision ${ref} of ${current.workload.name}, and Shiplog's archive is not available; see its log. Nothing was applied.`,
      { revision: ref },
    );
  }
  return findAnyRevision({ cluster, archive: open }, current, ref);
}

function withSources(
  current: CurrentWorkload,
  change: (source: RevisionSource) => RevisionSource | [],
): CurrentWorkload {
  const changed = { ...current, sources: current.sources.flatMap(change) };
  return { ...changed, history: current.kind.history(changed) };
}
