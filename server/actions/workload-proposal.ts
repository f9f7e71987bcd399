import 'server-only';
import { AppError } from '@/lib/errors';
import { capitalize, formatList } from '@/lib/format/text';
import { formatRevision, type Revision } from '@/lib/history/revision';
import type { JsonObject } from '@/lib/kube/json';
import { numberAt } from '@/lib/kube/read';
import { finding, type Finding, type Plan } from '@/lib/workloads/plan';
import type { PlanResult } from '@/lib/workloads/kind';
import type { CheckedTemplate } from '@/server/actions/checks/check';
import { changedError } from '@/server/actions/changed-error';
import { type CurrentWorkload, readCurrentWorkload, templateIn } from '@/server/actions/current-workload';
import { diffOf, type DiffSide } from '@/server/actions/diff';
import { desiredTemplateKey, templateKey } from '@/server/actions/template-key';
import { ingestWorkload, temporaryContext } from '@/server/cluster/ingest';
import type { KubeObject } from '@/lib/kube/object';
import { hasReferencedTemplate } from '@/lib/workloads/desired-template';
import type { Comparison, Execution, WriteOutcome, Proposal } from '@/server/actions/strategy';
import { failedTests, hasValues, namesOf, scalarsOf } from '@/lib/workloads/patch';
import type { Expectation } from '@/server/audit/audit';
import { isUnreachable } from '@/server/cluster/api-errors';

/** What a rollback results in where admission stores a template: the one verdict on whether it is another one. */
export interface RollbackResult {
  checked: CheckedTemplate;
  /**
   * The rollback by that template, with its name and the revision that has it already, if one has. Null: it is the
   * requested one, or that is unknown.
   */
  altered: { planned: PlanResult; side: DiffSide; carrier: Revision | null } | null;
}

/** What is planned on the current workload. */
export interface WorkloadDraft {
  current: CurrentWorkload;
  planned: PlanResult;
  /** `Proposal.check`, also by the result in the answer; undefined where that does not show it. */
  check?: (
    answered: Promise<RollbackResult | undefined>,
    answer: Promise<JsonObject | undefined>,
  ) => Promise<Finding[]>;
  usualDurationMs?: Proposal['usualDurationMs'];
  /** The template after the write: as the dry run answers it, or unchanged. */
  after: 'answered' | 'untouched';
  /** Of a rollback, its template. Absent: only the dry run shows all of it. */
  requested?: JsonObject | undefined;
  /** Of a rollback. */
  resultOf?: (stored: JsonObject) => RollbackResult;
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
  /** By answer: plan, difference and checks ask for it. */
  readonly #results = new WeakMap<JsonObject, RollbackResult>();

  constructor(execution: Execution, draft: WorkloadDraft) {
    this.plan = draft.planned.plan;
    this.findings = draft.planned.findings;
    this.preconditionToken = draft.current.preconditionToken;
    this.to = draft.to;
    const { check } = draft;
    if (check !== undefined)
      this.check = (answer) =>
        check(
          answer.then((object) => this.#resultIn(object)),
          answer,
        );
    this.usualDurationMs = draft.usualDurationMs;
    this.#execution = execution;
    this.#draft = draft;
  }

  /** An action with an unknown difference is rejected. */
  async compare(answer: JsonObject | undefined): Promise<Comparison> {
    const { context, request } = this.#execution;
    const { current, requested, side } = this.#draft;
    const template = this.#templateIn(answer) ?? requested;
    if (template === undefined) return { diff: null, findings: [] };
    try {
      const altered = this.#resultIn(answer)?.altered ?? null;
      const withRelatedChanges = request.dryRun;
      const diff = await diffOf(context, current, template, altered?.side ?? side, { withRelatedChanges });
      if (altered === null || requested === undefined) return { diff, findings: [] };
      const { summary } = await context.keys.mask.diff(requested, template);
      return { diff, planned: altered.planned, findings: [alteredByAdmission(summary, altered.carrier)] };
    } catch (error) {
      context.log.error('a difference could not be determined', { workload: current.workload.name, error });
      return { diff: null, findings: [differenceUnknown] };
    }
  }

  /** Undefined where the answer does not show it. */
  #templateIn(answer: JsonObject | undefined): JsonObject | undefined {
    const { after, current } = this.#draft;
    return answer === undefined || after === 'untouched' ? undefined : templateIn(current, answer);
  }

  #resultIn(answer: JsonObject | undefined): RollbackResult | undefined {
    const template = this.#templateIn(answer);
    if (answer === undefined || template === undefined) return undefined;
    const result = this.#results.get(answer) ?? this.#draft.resultOf?.(template);
    if (result !== undefined) this.#results.set(answer, result);
    return result;
  }

  planFor(answer: JsonObject): Plan | null {
    return this.#resultIn(answer)?.altered?.planned.plan ?? this.plan;
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
      ...(after === 'untouched' && { sets: scalarsOf(write.patch) }),
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
    if (this.#draft.after === 'untouched' && sets.length === 0) return false;
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
    const { requested, side } = this.#draft;
    const { context } = this.#execution;
    const diff = requested === undefined ? null : await diffOf(context, fresh, requested, side);
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

function alteredByAdmission(summary: string, carrier: Revision | null): Finding {
  const result = carrier === null ? '' : ` The result equals revision ${formatRevision(carrier)}.`;
  const message = `An admission plugin changes the template before it is stored: ${summary}.${result}`;
  return finding('warning', 'altered_by_admission', message);
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
