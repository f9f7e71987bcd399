import 'server-only';
import { type z } from 'zod';
import { type rollbackRequestSchema } from '@/lib/api/actions';
import { AppError } from '@/lib/errors';
import { type Revision } from '@/lib/history/revision';
import { cleanTemplate } from '@/lib/workloads/summarise';
import { called } from '@/lib/workloads/words';
import { type Template } from '@/lib/workloads/workload';
import { type Attempt } from '@/server/actions/attempt';
import { changedError } from '@/server/actions/changed';
import { preflight } from '@/server/actions/checks/preflight';
import { type ActionsContext } from '@/server/actions/context';
import { type DiffSide } from '@/server/actions/diff';
import { type Present } from '@/server/actions/present';
import { type Proposal } from '@/server/actions/proposal';
import { findRevision } from '@/server/reads/find';
import { type Viewer } from '@/server/viewer';

export type ParsedRollback = z.output<typeof rollbackRequestSchema>;

interface Target {
  /** With the history in which the fresh source stands. */
  present: Present;
  revision: Revision;
  template: Template;
  /** Stands for what the template means. */
  seen: string;
  side: DiffSide;
}

/** Plans the return to a revision, on the workload and the revision as they are at this moment. */
export async function proposeRollback(
  context: ActionsContext,
  viewer: Viewer,
  present: Present,
  attempt: Attempt,
  request: ParsedRollback,
): Promise<Proposal> {
  const isChanged = present.seen !== request.seen;
  const target = await findTarget(context, viewer, present, String(request.to)).catch((error: unknown) => {
    if (isChanged) throw changedError(context, present);
    throw error;
  });
  attempt.choose(target.revision);
  if (isChanged) throw changedError(context, present, target);
  if (request.toSeen !== undefined && request.toSeen !== target.seen) throw targetChanged(target);
  const { revision, template } = target;
  const { plan, findings } = present.kind.planRollback({
    workload: present.workload,
    present: present.template,
    history: target.present.history,
    to: revision,
    template,
    pods: present.input.pods,
    reason: request.reason,
    likeKubectl: request.likeKubectl,
  });
  const input = {
    cluster: context.cluster,
    viewer,
    present: target.present,
    called: `revision ${called(revision)}`,
    to: revision,
    template,
  };
  return {
    present: target.present,
    plan,
    findings,
    preflight: () => preflight(input),
    after: { kind: 'known', template },
    side: target.side,
    until: 'rollout',
    pod: null,
    to: { revision, seen: target.seen },
  };
}

/** The revision by number or id, with its source object read as the viewer. */
async function findTarget(
  { cluster, keys }: ActionsContext,
  viewer: Viewer,
  present: Present,
  ref: string,
): Promise<Target> {
  const { kind, workload } = present;
  const known = findRevision(present.history, workload, ref);
  const { object, summary } = await cluster.readSource(viewer, kind, workload.namespace, known.name);
  const raw = kind.source.templateOf(object);
  if (summary.uid !== known.id || summary.controllerUid !== workload.uid || raw === undefined) {
    throw new AppError(
      'not_found',
      `${known.name}, which held revision ${called(known)} of ${workload.name}, is another object now. Choose again.`,
      { revision: ref },
    );
  }
  const sources = present.input.sources.map((source) => (source.uid === summary.uid ? summary : source));
  const input = { ...present.input, sources };
  const history = kind.history(input);
  const revision = findRevision(history, workload, ref);
  return {
    present: { ...present, input, history },
    revision,
    template: cleanTemplate(raw),
    seen: keys.seen(cluster.identity.id, summary.uid, summary.semanticId),
    side: { label: called(revision), ref: revision.id, revisionId: revision.id, number: revision.number },
  };
}

function targetChanged({ revision, seen }: Target): AppError {
  return new AppError(
    'changed',
    `Revision ${called(revision)} is not the template that you saw under this name, so nothing was written. Look at it again.`,
    { toSeen: seen, revision: { id: revision.id, number: revision.number } },
  );
}
