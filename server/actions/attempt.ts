import 'server-only';
import { type Action, type FindingItem } from '@/lib/api/actions';
import { AppError, type ErrorCode } from '@/lib/errors';
import { type Revision } from '@/lib/history/revision';
import { type ActionName } from '@/lib/workloads/plan';
import { type RollbackTarget } from '@/lib/workloads/rollback-target';
import { type Workload } from '@/lib/workloads/workload';
import { type ActionsContext } from '@/server/actions/context';
import { type AuditEntry, type AuditFacts, type Expectation } from '@/server/audit';
import { ownHolder } from '@/server/actions/process-holder';
import { maskText } from '@/server/mask';
import { type WorkloadRef } from '@/server/reads/find';
import { requestFacts } from '@/server/request-facts';
import { type Viewer } from '@/server/viewer';

/** Codes that say that the attempt was turned away, as against one that broke. */
const refusals = new Set<ErrorCode>([
  'refused',
  'changed',
  'forbidden',
  'unauthorized',
  'read_only',
  'not_found',
  'ambiguous',
  'conflict',
  'bad_request',
]);

/** One attempt to change something, from the request to the audit. What is learned on the way is filled in. */
export class Attempt {
  readonly #context: ActionsContext;
  readonly #seen: string;
  #facts: AuditFacts;
  #action: Action;
  #isClosed = false;
  #hasBegun = false;
  readonly #viewerId: string;

  constructor(
    context: ActionsContext,
    viewer: Viewer,
    kind: ActionName,
    ref: WorkloadRef,
    request: { seen: string; reason: string },
  ) {
    this.#context = context;
    this.#seen = request.seen;
    this.#viewerId = viewer.id;
    const { impersonate } = viewer;
    const identity =
      impersonate === undefined ? null : { user: impersonate.user, groups: [...(impersonate.groups ?? [])] };
    this.#facts = { ...requestFacts(), identity, fromHash: null, holder: ownHolder };
    this.#action = {
      id: context.newId(),
      cluster: context.cluster.identity.id,
      action: kind,
      resource: ref.resource,
      namespace: ref.namespace,
      name: ref.name,
      uid: '',
      actor: viewer.name,
      reason: maskText(request.reason, context.keys),
      from: null,
      to: null,
      fromId: null,
      toId: null,
      toOrigin: null,
      toHash: null,
      step: null,
      rollout: null,
      state: 'accepted',
      startedAt: this.#time(),
      endedAt: null,
      message: '',
      recordedAs: null,
      progress: null,
    };
  }

  get action(): Action {
    return this.#action;
  }

  /** What is acted on, and the revision that was its target; `hash` stands for the template of now. */
  identify(workload: Workload, target: Revision | null, hash: string): void {
    this.#set({ uid: workload.uid, from: target?.number ?? null, fromId: target?.id ?? null });
    this.#facts = { ...this.#facts, fromHash: hash };
  }

  /** The rollout that is acted on. */
  identifyRollout({ uid }: { uid: string }): void {
    this.#set({ uid });
  }

  /** From which step to which one, and what the button of that said. */
  go(step: NonNullable<Action['step']>, label: string): void {
    this.#set({ step: { from: step.from, to: step.to }, label });
  }

  /** The group that goes and comes again with a pod. */
  restartGroup(group: number): void {
    this.#set({ group });
  }

  /** What is written is the workload of the rollout that was asked for. */
  throughRollout({ resource, name, uid }: Workload, rollout: NonNullable<Action['rollout']>): void {
    this.#set({ resource, name, uid, rollout });
  }

  /** `hash` stands for the template; see `Keys.template`. */
  choose({ number, id, origin }: Pick<RollbackTarget, 'number' | 'id' | 'origin'>, hash: string): void {
    this.#set({ to: number, toId: id, toOrigin: origin.kind, toHash: hash });
  }

  /** Written before the write is sent. Throws when it can't be: then nothing is sent. */
  begin(expectation: Expectation): AuditEntry {
    this.#set({ state: 'accepted', message: 'Sent to the API server.' });
    const entry = this.#entry('attempted', expectation);
    this.#context.audit.append(entry);
    this.#hasBegun = true;
    return entry;
  }

  /** The write has been done. A line that can't be written any more is a log line: the write stands. */
  accept(expectation: Expectation): AuditEntry {
    this.#isClosed = true;
    this.#set({ state: 'accepted', message: 'The API server accepted it.' });
    const entry = this.#entry('accepted', expectation);
    this.#tryAppend(entry);
    return entry;
  }

  /** It is not known whether the write was done; the follower finds out. */
  leaveOpen(): void {
    this.#isClosed = true;
  }

  /** The error with the action's id; refusals and failures are told apart and kept. */
  fail(error: unknown): unknown {
    if (this.#isClosed) return error;
    this.#isClosed = true;
    const known = error instanceof AppError ? error : undefined;
    // What was turned away halfway has changed something.
    const isRefusal = known !== undefined && refusals.has(known.code) && known.details.isHalfDone !== true;
    const message = known?.message ?? 'Shiplog made a mistake.';
    this.#set({
      state: isRefusal ? 'refused' : 'failed',
      message: maskText(message, this.#context.keys),
      endedAt: this.#time(),
    });
    const isKept = this.#tryAppend(this.#entry(isRefusal ? 'refused' : 'failed', null, known));
    if (known === undefined || !isKept) return error;
    return new AppError(known.code, known.message, { ...known.details, actionId: this.#action.id }, known);
  }

  #entry(event: AuditEntry['event'], expectation: Expectation | null, error?: AppError): AuditEntry {
    const said = error?.details.apiMessage;
    return {
      at: this.#time(),
      event,
      action: this.#action,
      seen: this.#seen,
      expectation,
      code: error?.code ?? null,
      apiMessage: typeof said === 'string' ? maskText(said, this.#context.keys) : null,
      ...this.#facts,
      findings: this.#refusals(error),
    };
  }

  /** Why it was refused, as far as the error says. */
  #refusals(error: AppError | undefined): { code: string; message: string }[] {
    const { findings } = error?.details ?? {};
    if (!Array.isArray(findings)) return [];
    return (findings as Pick<FindingItem, 'severity' | 'code' | 'message'>[])
      .filter(({ severity }) => severity === 'refusal')
      .map(({ code, message }) => ({ code, message: maskText(message, this.#context.keys) }));
  }

  /** Whether there is a line of it. */
  #tryAppend(entry: AuditEntry): boolean {
    const { audit, refusals } = this.#context;
    try {
      if (!this.#hasBegun) return refusals.append(this.#viewerId, entry);
      audit.append(entry);
      return true;
    } catch (error) {
      this.#context.log.error('an outcome is missing from the audit file', {
        action: entry.action.id,
        error,
      });
      return false;
    }
  }

  #set(change: Partial<Action>): void {
    this.#action = { ...this.#action, ...change };
  }

  #time(): string {
    return new Date(this.#context.now()).toISOString();
  }
}
