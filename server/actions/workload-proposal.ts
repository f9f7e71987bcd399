import 'server-only';
import { AppError } from '@/lib/errors';
import { capitalize, formatList } from '@/lib/format/text';
import { type JsonObject } from '@/lib/kube/json';
import { numberAt } from '@/lib/kube/read';
import { finding, type Finding } from '@/lib/workloads/plan';
import { type PlanResult } from '@/lib/workloads/kind';
import { changedError } from '@/server/actions/changed-error';
import { type CurrentWorkload, readCurrentWorkload, templateIn } from '@/server/actions/current-workload';
import { comparablePart, diffOf, type DiffSide } from '@/server/actions/diff';
import { desiredTemplateKey, templateKey } from '@/server/actions/template-key';
import { ingestWorkload, temporaryContext } from '@/server/cluster/ingest';
import { type KubeObject } from '@/lib/kube/object';
import { hasReferencedTemplate } from '@/lib/workloads/desired-template';
import { type Comparison, type Execution, type WriteOutcome, type Proposal } from '@/server/actions/strategy';
import { failedTests, hasValues, namesOf, scalarsOf } from '@/lib/workloads/patch';
import { type Expectation } from '@/server/audit/audit';
import { isUnreachable } from '@/server/cluster/api-errors';

/** What is planned on the current workload. */
export interface WorkloadDraft {
  current: CurrentWorkload;
  planned: PlanResult;
  check?: Proposal['check'];
  usualDurationMs?: Proposal['usualDurationMs'];
  /**
   * The template after the write: known beforehand, or as the dry run answers; `untouched` when the action
   * does not change it.
   */
  after: { kind: 'known'; template: JsonObject } | { kind: 'answered' } | { kind: 'untouched' };
  /** The name of that template. */
  side: DiffSide;
  until: Expectation['until'];
  pod?: Expectation['pod'];
  to?: Proposal['to'];
}

/** A proposal to write a workload, or the object that has its template. */
export class WorkloadProposal implements Proposal {
  readonly plan: Proposal['plan'];
  readonly findings: readonly Finding[];
  readonly preconditionToken: string;
  readonly to?: Proposal['to'];
  readonly check?: Proposal['check'];
  readonly usualDurationMs?: Proposal['usualDurationMs'];
  translate?: Proposal['translate'];
  readonly #execution: Execution;
  readonly #draft: WorkloadDraft;

  constructor(execution: Execution, draft: WorkloadDraft) {
    this.plan = draft.planned.plan;
    this.findings = draft.planned.findings;
    this.preconditionToken = draft.current.preconditionToken;
    this.to = draft.to;
    this.check = draft.check;
    this.usualDurationMs = draft.usualDurationMs;
    this.#execution = execution;
    this.#draft = draft;
  }

  /** An action with an unknown difference is rejected. */
  async compare(answer: JsonObject | undefined): Promise<Comparison> {
    const { context, request } = this.#execution;
    const { after, current, side } = this.#draft;
    const answered =
      answer === undefined || after.kind === 'untouched' ? undefined : templateIn(current, answer);
    const template = after.kind === 'known' ? after.template : answered;
    if (template === undefined) return { diff: null, findings: [] };
    try {
      const diff = await diffOf(context, current, template, side, { withRelatedChanges: request.dryRun });
      if (answered === undefined) return { diff, findings: [] };
      // Admission plugins may change what is written.
      const sent = comparablePart(current, template, answered);
      const { equal, summary } = await context.keys.mask.diff(sent, answered);
      const message = `An admission plugin changes the template before it is stored: ${summary}.`;
      return { diff, findings: equal ? [] : [finding('warning', 'altered_by_admission', message)] };
    } catch (error) {
      context.log.error('a difference could not be determined', { workload: current.workload.name, error });
      return { diff: null, findings: [differenceUnknown] };
    }
  }

  expect(answer: JsonObject): Expectation {
    const { keys } = this.#execution.context;
    const { current, until, pod = null, after } = this.#draft;
    const { holder, workload } = current;
    const { uid, generation } = workload;
    const replaces = desiredTemplateKey(keys, current) ?? '';
    const write = this.plan?.write;
    if (write?.kind !== 'patch') return { template: replaces, generation, until, pod };
    const written = ingestWorkload(holder.kind, answer as unknown as KubeObject, temporaryContext());
    const isOwn = holder.kind === current.kind;
    const template = templateKey(keys, { uid, semanticId: written.semanticId });
    return {
      template: isOwn && hasReferencedTemplate(current) ? replaces : template,
      // The workload itself does not show the write to another object, nor has another generation by it.
      ...(!isOwn && { before: replaces }),
      generation: isOwn ? written.generation : generation,
      replaces,
      ...(after.kind === 'untouched' && { sets: scalarsOf(write.patch) }),
      until,
      pod,
    };
  }

  async explainConflict(error: AppError): Promise<never> {
    const write = this.plan?.write;
    const fresh = await this.#reread();
    if (fresh === undefined) throw error;
    if (write?.kind === 'delete') {
      throw new AppError(
        'changed',
        'The pod was deleted or replaced in the meantime. Nothing was deleted; check the pods again.',
        { seen: fresh.preconditionToken, diff: null },
        error,
      );
    }
    const failed = write?.kind === 'patch' ? failedTests(objectOf(fresh), write.patch) : [];
    throw failed.length === 0 ? error : await this.#errorOfTests(fresh, failed);
  }

  /** The fresh object may prove that the write was executed, or that it can't be any more; else it may still arrive. */
  async findOutcome(expectation: Expectation): Promise<WriteOutcome> {
    const write = this.plan?.write;
    const fresh = write?.kind === 'patch' ? await this.#reread().catch(() => undefined) : undefined;
    if (write?.kind !== 'patch' || fresh === undefined) return { is: 'unknown', isUnchanged: false };
    const object = objectOf(fresh);
    if (this.#isWritten(expectation, fresh)) return { is: 'written', object };
    const failed = failedTests(object, write.patch);
    // One write at most has come since, and it is another one.
    const isOverwritten = generationOf(object) <= generationOf(objectOf(this.#draft.current)) + 1;
    return failed.length > 0 && isOverwritten
      ? { is: 'overwritten', error: await this.#errorOfTests(fresh, failed) }
      : { is: 'unknown', isUnchanged: true };
  }

  #isWritten({ generation, template, sets = [] }: Expectation, fresh: CurrentWorkload): boolean {
    if (this.#draft.after.kind === 'untouched' && sets.length === 0) return false;
    return (
      fresh.workload.generation >= generation &&
      templateKey(this.#execution.context.keys, fresh.workload) === template &&
      hasValues(objectOf(fresh), sets)
    );
  }

  /** As it is now; undefined while the API server is out of reach. */
  async #reread(): Promise<CurrentWorkload | undefined> {
    const { workload, templateOwner } = this.#draft.current;
    const withTemplateOwner = templateOwner !== undefined;
    try {
      return await readCurrentWorkload(this.#execution, workload, { withTemplateOwner });
    } catch (error) {
      if (error instanceof AppError && isUnreachable(error)) return undefined;
      throw error;
    }
  }

  async #errorOfTests(fresh: CurrentWorkload, paths: readonly string[]): Promise<AppError> {
    const { after, side } = this.#draft;
    const { context } = this.#execution;
    const diff = after.kind === 'known' ? await diffOf(context, fresh, after.template, side) : null;
    const { code, message, details } = changedError(fresh, diff);
    const isTemplateSame = fresh.preconditionToken === this.preconditionToken;
    return new AppError(
      code,
      isTemplateSame
        ? `${capitalize(describePaths(paths))} of ${fresh.workload.name} changed in the meantime. Nothing was applied; try again.`
        : message,
      { ...details, paths },
    );
  }
}

const differenceUnknown = finding(
  'refusal',
  'diff_unavailable',
  'The changes could not be determined, so this cannot be confirmed.',
  'Compare both templates as YAML, and report this with the log of Shiplog.',
);

/** The object that the patch goes to. */
function objectOf({ holder }: CurrentWorkload): JsonObject {
  return holder.object as unknown as JsonObject;
}

function generationOf(object: JsonObject): number {
  return numberAt(object, 'metadata', 'generation') ?? 0;
}

/** "annotations kubernetes.io/change-cause", "paused": the last names of pointers. */
function describePaths(paths: readonly string[]): string {
  return formatList(paths.map((path) => namesOf(path).slice(1).join(' ')));
}
